// Converts numbers and dates to text, for fields that rank documents.
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>

#include "arrow/import.h"
#include "refrain/error.h"

namespace refrain::python {

namespace {

template <class T>
T at(const Chunk& chunk, std::int64_t i) {
  return static_cast<const T*>(chunk.array->buffers[1])[chunk.array->offset + chunk.first + i];
}

template <class T>
std::string decimal(T number) {
  std::array<char, 64> out;
  return {out.data(), std::to_chars(out.data(), out.data() + out.size(), number).ptr};
}

// Formats a time, given as seconds and nanoseconds since 1970.
std::string iso_time(std::int64_t seconds, std::int64_t nanoseconds) {
  using namespace std::chrono;
  const sys_seconds time{std::chrono::seconds(seconds)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> out;
  const int size = std::snprintf(out.data(), out.size(), "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                 static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                                 static_cast<int>(clock.seconds().count()));
  std::string text(out.data(), static_cast<std::size_t>(size));
  if (nanoseconds != 0) text += decimal(1'000'000'000 + nanoseconds).replace(0, 1, ".");
  return text;
}

std::string iso_time(std::int64_t ticks, std::int64_t per_second, std::int64_t nanoseconds_each) {
  std::int64_t seconds = ticks / per_second;
  std::int64_t rest = ticks % per_second;
  if (rest < 0) {
    --seconds;
    rest += per_second;
  }
  return iso_time(seconds, rest * nanoseconds_each);
}

}  // namespace

std::string value_text(const Chunk& chunk, std::int64_t i, std::string_view what) {
  const std::string_view format = chunk.schema->format;
  if (format == "c") return decimal(static_cast<int>(at<std::int8_t>(chunk, i)));
  if (format == "C") return decimal(static_cast<unsigned>(at<std::uint8_t>(chunk, i)));
  if (format == "s") return decimal(at<std::int16_t>(chunk, i));
  if (format == "S") return decimal(at<std::uint16_t>(chunk, i));
  if (format == "i") return decimal(at<std::int32_t>(chunk, i));
  if (format == "I") return decimal(at<std::uint32_t>(chunk, i));
  if (format == "l") return decimal(at<std::int64_t>(chunk, i));
  if (format == "L") return decimal(at<std::uint64_t>(chunk, i));
  if (format == "f") return decimal(at<float>(chunk, i));
  if (format == "g") return decimal(at<double>(chunk, i));
  if (format == "tdD") return iso_time(at<std::int32_t>(chunk, i) * std::int64_t{86400}, 0).substr(0, 10);
  if (format == "tdm") return iso_time(at<std::int64_t>(chunk, i), 1000, 1'000'000);
  if (format.starts_with("tss:")) return iso_time(at<std::int64_t>(chunk, i), 0);
  if (format.starts_with("tsm:")) return iso_time(at<std::int64_t>(chunk, i), 1000, 1'000'000);
  if (format.starts_with("tsu:")) return iso_time(at<std::int64_t>(chunk, i), 1'000'000, 1000);
  if (format.starts_with("tsn:")) return iso_time(at<std::int64_t>(chunk, i), 1'000'000'000, 1);
  if (format.starts_with("w:")) {
    const auto width = static_cast<std::size_t>(width_of(*chunk.schema));
    const auto row = static_cast<std::size_t>(chunk.array->offset + chunk.first + i);
    return {static_cast<const char*>(chunk.array->buffers[1]) + row * width, width};
  }
  throw Error(Errc::invalid_argument, std::string(what) + ": expected strings, numbers or dates, not Arrow's format '" +
                                          std::string(format) + "'");
}

}  // namespace refrain::python
