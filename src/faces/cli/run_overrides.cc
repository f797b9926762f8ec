#include <fmt/format.h>

#include <string>

#include "faces/cli/process.h"
#include "faces/cli/run_verbs.h"
#include "faces/cli/view/summary.h"
#include "refrain/overrides.h"
#include "refrain/report_json.h"

namespace refrain::cli {

namespace {

int run_overrides_check(const Settings& settings) {
  const OverridesCheckReport report = in_session(settings, [&](const Context& context) {
    return check_overrides(settings.operands.front(), settings.run, context);
  });
  print(settings.json ? to_json(report) : overrides_check_text(report));
  return 0;
}

int run_overrides_merge(const Settings& settings) {
  if (settings.output.empty())
    print(merge_overrides(settings.operands[0], settings.operands[1]));
  else
    merge_overrides(settings.operands[0], settings.operands[1], settings.output);
  return 0;
}

constexpr VerbRun kOverridesRuns[] = {
    {Verb::overrides_check, run_overrides_check},
    {Verb::overrides_merge, run_overrides_merge},
};

}  // namespace

std::span<const VerbRun> overrides_runs() {
  return kOverridesRuns;
}

}  // namespace refrain::cli
