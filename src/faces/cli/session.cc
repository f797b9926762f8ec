#include "faces/cli/session.h"

#include <fmt/format.h>
#include <unistd.h>

#include "faces/cli/table/options.h"
#include "faces/cli/view/terminal.h"

namespace refrain::cli {

Session::Session(const Settings& settings, int grace_seconds)
    : watcher_("refrain", grace_seconds), view_(look_of(STDERR_FILENO)), context_(run_context(settings)) {
  prepare_memory(context_);
  context_.stop = watcher_.token();
  if (!settings.quiet) context_.progress = [this](const ProgressUpdate& update) { view_.show(update); };
}

void print(std::string_view text) {
  StandardOutput out;
  out.write(text);
  out.flush();
}

void remark(std::string_view text) {
  if (!text.empty()) write_error(fmt::format("refrain: {}", text));
}

void summarize(const Settings& settings, std::string_view line, std::string_view json) {
  if (settings.json) {
    write_error(json);
  } else if (!settings.quiet && look_of(STDERR_FILENO).terminal) {
    remark(line);
  }
}

}  // namespace refrain::cli
