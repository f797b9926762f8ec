#include "faces/cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "faces/cli/table/options.h"
#include "faces/cli/view/reading.h"
#include "faces/cli/view/text.h"
#include "refrain/numbers.h"

namespace refrain::cli {

Session::Session(const Settings& settings, int grace_seconds)
    : watcher_("refrain", grace_seconds), view_(look_of(STDERR_FILENO)), context_(given_options<Context>(settings)) {
  prepare_memory(context_);
  context_.stop = watcher_.token();
  if (!settings.quiet) context_.progress = [this](const ProgressUpdate& update) { view_.show(update); };
}

void print(std::string_view text) {
  StandardOutput out;
  out.write(text);
  out.flush();
}

void print_report(const Settings& settings, std::string_view text, std::string_view json) {
  if (settings.json || !settings.quiet) print(settings.json ? json : text);
}

void remark(std::string_view text) {
  if (!text.empty()) write_error(fmt::format("refrain: {}", text));
}

void remark_unknown(std::string_view what, const std::vector<std::string>& unknown) {
  constexpr std::size_t kShown = 10;
  const std::size_t shown = std::min(unknown.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) remark(fmt::format("{}: '{}'\n", what, printable(unknown[i], false)));
  if (shown < unknown.size()) remark(fmt::format("{}: {} more\n", what, count_text(unknown.size() - shown)));
}

void remark_on_reading(const Settings& settings, const ReadReport& read) {
  if (settings.quiet) return;
  remark(bad_record_remark(read) + unreadable_remark(read));
  if (!settings.json) remark(skipped_remark(read, settings.has("skipped")));
}

void summarize(const Settings& settings, std::string_view line, std::string_view json) {
  if (settings.json) {
    write_error(json);
  } else if (!settings.quiet && look_of(STDERR_FILENO).terminal) {
    remark(line);
  }
}

}  // namespace refrain::cli
