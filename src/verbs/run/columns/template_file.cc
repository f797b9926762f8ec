#include "verbs/run/columns/template_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/array.h"
#include "base/hash.h"
#include "refrain/error.h"

namespace refrain::verbs::run {

namespace {

constexpr std::string_view kTemplateMagic = "rfntmpl2";
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}
template <class T>
std::span<char> room_of(std::span<T> values) {
  return {reinterpret_cast<char*>(values.data()), values.size_bytes()};
}

}  // namespace

void write_templates(RunFile& file, std::span<const std::vector<std::uint64_t>> sources,
                     std::span<const std::uint16_t> documents) {
  std::uint64_t sum = 0;
  const auto write = [&](std::string_view bytes) {
    sum += checksum_at(file.bytes(), bytes);
    file.write(bytes);
  };
  const std::array<std::uint64_t, 2> counts = {sources.size(), documents.size()};
  std::vector<std::uint64_t> ends;
  for (const std::vector<std::uint64_t>& windows : sources)
    ends.push_back((ends.empty() ? 0 : ends.back()) + windows.size());
  write(kTemplateMagic);
  write(bytes_of(std::span<const std::uint64_t>(counts)));
  write(bytes_of(std::span<const std::uint64_t>(ends)));
  for (const std::vector<std::uint64_t>& windows : sources) write(bytes_of(std::span<const std::uint64_t>(windows)));
  write(bytes_of(documents));
  file.write_values(std::span<const std::uint64_t>(&sum, 1));
}

TemplateFile::TemplateFile(const std::filesystem::path& path, MemoryBudget& budget)
    : file_(path), reservation_(budget.reserve(0, "the templates")) {
  check_sum();
  read_sources();
}

void TemplateFile::check_sum() const {
  if (file_.size() < kTemplateMagic.size() + sizeof(Counts) + sizeof(std::uint64_t)) refuse();
  const std::uint64_t end = file_.size() - sizeof(std::uint64_t);
  std::string chunk(kReadBytes, '\0');
  std::uint64_t sum = 0;
  for (std::uint64_t at = 0; at < end; at += chunk.size()) {
    chunk.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, end - at)));
    file_.read(at, chunk);
    if (at == 0 && !chunk.starts_with(kTemplateMagic)) refuse();
    sum += checksum_at(at, chunk);
  }
  std::uint64_t stored = 0;
  file_.read(end, room_of(std::span(&stored, 1)));
  if (stored != sum) refuse();
}

void TemplateFile::read_sources() {
  std::uint64_t place = kTemplateMagic.size();
  const auto read = [&]<class T>(std::span<T> values) {
    file_.read(place, room_of(values));
    place += values.size_bytes();
  };
  read(std::span(&counts_, 1));
  if (counts_.sources > kMostTemplateSources) refuse();
  std::vector<std::uint64_t> ends(static_cast<std::size_t>(counts_.sources));
  read(std::span(ends));
  std::uint64_t before = 0;
  for (const std::uint64_t end : ends) {
    if (end < before || end > file_.size() / sizeof(std::uint64_t)) refuse();
    const auto count = static_cast<std::size_t>(end - std::exchange(before, end));
    reservation_.resize(reservation_.bytes() + count * sizeof(std::uint64_t) + text::LeftOut::memory_bytes(count),
                        "the templates");
    read(std::span(windows_.emplace_back(count)));
    sources_.emplace_back(windows_.back());
  }
  documents_begin_ = place;
  if (file_.size() - place != counts_.documents * sizeof(std::uint16_t) + sizeof(std::uint64_t)) refuse();
}

std::uint16_t TemplateFile::source_of(std::uint64_t document) const {
  std::uint16_t source = 0;
  if (document >= counts_.documents) refuse();
  file_.read(documents_begin_ + document * sizeof source, room_of(std::span(&source, 1)));
  if (source > sources_.size()) refuse();
  return source;
}

const text::LeftOut* TemplateFile::of(std::uint64_t document) const {
  const std::uint16_t source = source_of(document);
  return source == 0 ? nullptr : &sources_[source - 1U];
}

std::span<const std::uint64_t> TemplateFile::windows_of(std::uint64_t document) const {
  const std::uint16_t source = source_of(document);
  if (source == 0) return {};
  return windows_[source - 1U];
}

void TemplateFile::write_some(RunFile& file, MemoryBudget& budget,
                              const std::function<bool(std::uint64_t)>& wanted) const {
  Array<std::uint16_t> some(budget, "the templates");
  for (std::uint64_t document = 0; document < counts_.documents; ++document)
    if (wanted(document)) some.push_back(source_of(document));
  write_templates(file, windows_, {some.data(), some.size()});
}

void TemplateFile::refuse() const {
  throw Error(Errc::corrupt, fmt::format("{}: damaged; run dedup again", file_.path()));
}

}  // namespace refrain::verbs::run
