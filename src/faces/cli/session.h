// What surrounds a verb on the command line: signals and progress while it works, and where its words go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/process.h"
#include "faces/cli/table/flags.h"
#include "faces/cli/view/progress.h"
#include "refrain/context.h"

namespace refrain::cli {

// A verb at work: signals stop it, its progress is shown. Gone before anything is printed about the result.
class Session {
 public:
  // The verb has `grace_seconds` to end by itself once it was told to stop.
  explicit Session(const Settings& settings, int grace_seconds = SignalWatcher::kGraceSeconds);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Context& context() const { return context_; }

 private:
  SignalWatcher watcher_;
  ProgressView view_;
  Context context_;
};

// Data, to standard output.
void print(std::string_view text);

// A word to the user, to standard error: "refrain: ...". Nothing where it is empty.
void remark(std::string_view text);

// A few of what was asked for and is not there: "WHAT: 'NAME'", a line each. All are in the JSON.
void remark_unknown(std::string_view what, const std::vector<std::string>& unknown);

// A summary for verbs whose standard output is data: JSON where that was asked for, else the line, where a person is
// watching.
void summarize(const Settings& settings, std::string_view line, std::string_view json);

}  // namespace refrain::cli
