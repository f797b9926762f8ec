#include "faces/cli/view/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "faces/cli/table/numbers.h"
#include "refrain/utf8.h"

namespace refrain::cli {

namespace {

constexpr auto kBetweenLines = std::chrono::seconds(30);
constexpr double kMinSeconds = 0.5;  // below this, a rate means little

// Returns "1.2 GiB" for bytes, "17 tables" for another unit.
std::string amount(double value, std::string_view unit) {
  if (unit == "bytes") return bytes_text(value);
  return fmt::format("{} {}", count_text(static_cast<std::uint64_t>(value)), unit);
}

// Returns the facts to show, the most important first.
std::vector<std::string> facts(const ProgressUpdate& update, double seconds) {
  std::vector<std::string> out;
  if (update.run.stages != 0) {
    out.push_back(fmt::format("{:3}%", static_cast<int>(100 * update.run.share)));
    if (update.run.seconds_left >= 0 && seconds >= kMinSeconds)
      out.push_back(fmt::format("{} left", clock_text(update.run.seconds_left)));
    out.push_back(fmt::format("stage {} of {}", update.run.number, update.run.stages));
    return out;
  }
  const double done = static_cast<double>(update.done);
  const double total = static_cast<double>(update.total);
  if (update.total == 0) {
    out.push_back(amount(done, update.unit));
  } else {
    const double share = std::min(100.0, 100.0 * done / total);
    out.push_back(fmt::format("{:3}%", static_cast<int>(share)));
    const std::string of = update.unit == "bytes" ? bytes_text(done) : count_text(update.done);
    out.push_back(fmt::format("{} of {}", of, amount(total, update.unit)));
  }
  if (seconds < kMinSeconds || update.done == 0) return out;
  const double rate = done / seconds;
  out.push_back(rate >= 1 || update.unit == "bytes" ? fmt::format("{}/s", amount(rate, update.unit))
                                                    : fmt::format("{} elapsed", clock_text(seconds)));
  if (update.total > update.done) out.push_back(fmt::format("{} left", clock_text((total - done) / rate)));
  return out;
}

std::string_view stage_of(const ProgressUpdate& update) {
  return update.run.stages != 0 ? update.run.stage : update.stage;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    text.remove_prefix(decode_utf8(text, 0).size);
    ++columns;
  }
  return columns;
}

}  // namespace

std::string progress_bar(const ProgressUpdate& update, double seconds, const Look& look, std::size_t columns) {
  constexpr std::size_t kMaxCells = 24;
  constexpr std::size_t kMinCells = 6;
  const std::vector<std::string> all = facts(update, seconds);
  const std::string_view stage = stage_of(update);
  std::string tail;
  for (const std::string& fact : all) {
    const std::string longer = fmt::format("{}  {}", tail, fact);
    if (stage.size() + columns_of(longer) > columns) break;
    tail = longer;
  }
  const std::size_t text_columns = stage.size() + 2 + columns_of(tail);
  std::string bar;
  if ((update.total != 0 || update.run.stages != 0) && text_columns + kMinCells <= columns) {
    const std::size_t cells = std::min(kMaxCells, columns - text_columns);
    const double share = update.run.stages != 0 ? update.run.share
                                                : static_cast<double>(update.done) / static_cast<double>(update.total);
    const auto full = static_cast<std::size_t>(std::min(1.0, share) * static_cast<double>(cells));
    bar = look.colour ? "  \x1b[36m" : "  ";
    for (std::size_t i = 0; i < full; ++i) bar += look.utf8 ? "█" : "#";
    if (look.colour) bar += "\x1b[0m";
    for (std::size_t i = full; i < cells; ++i) bar += look.utf8 ? "░" : "-";
  }
  return fmt::format("{}{}{}", stage.substr(0, columns), bar, tail);
}

std::string progress_line(const ProgressUpdate& update, double seconds) {
  std::string line = fmt::format("{}:", stage_of(update));
  bool first = true;
  for (const std::string& fact : facts(update, seconds)) {
    line += first ? " " : ", ";
    line += std::string_view(fact).substr(std::min(fact.find_first_not_of(' '), fact.size()));
    first = false;
  }
  return line;
}

ProgressView::ProgressView(const Look& look)
    : look_(look), begun_(Clock::now()), last_update_(begun_), last_line_(begun_) {}

ProgressView::~ProgressView() {
  clear();
}

ProgressView::Clock::time_point ProgressView::start_of(std::string_view stage, Clock::time_point now) {
  const Clock::time_point before = last_update_;
  last_update_ = now;
  for (const auto& [name, start] : starts_) {
    if (name == stage) return start;
  }
  starts_.emplace_back(stage, before);
  return before;
}

void ProgressView::show(const ProgressUpdate& update) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  // If the run consists of stages, its whole time is shown rather than that of the stage.
  const Clock::time_point start = update.run.stages != 0 ? begun_ : start_of(update.stage, now);
  const double seconds = std::chrono::duration<double>(now - start).count();
  if (look_.terminal) {
    // The last column stays empty, because some terminals start a new line after it.
    const std::size_t columns = std::max<std::size_t>(terminal_columns(STDERR_FILENO), 2) - 1;
    write_error(fmt::format("\r\x1b[K{}", progress_bar(update, seconds, look_, columns)));
    drawn_ = true;
  } else if (now - last_line_ >= kBetweenLines) {
    last_line_ = now;
    write_error(fmt::format("refrain: {}\n", progress_line(update, seconds)));
  }
}

void ProgressView::clear() {
  const std::lock_guard lock(mutex_);
  if (drawn_) write_error("\r\x1b[K");
  drawn_ = false;
}

}  // namespace refrain::cli
