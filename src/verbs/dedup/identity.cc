#include "verbs/dedup/identity.h"

#include <fmt/format.h>

#include <string_view>

#include "refrain/options.h"
#include "refrain/version.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/run/input_identity.h"
#include "verbs/run/option_rows.h"

namespace refrain::verbs::dedup {

namespace {

// Incremented if the same options lead to other decisions.
constexpr int kRules = 1;

// The files of the set, each line under the name of the option.
std::string against_identity(const InputOptions& against) {
  constexpr std::string_view kInput = "input";  // begins every line of input_identity()
  std::string lines = run::input_identity(against);
  for (std::size_t at = 0; at < lines.size(); at = lines.find('\n', at) + 1)
    lines.replace(at, kInput.size(), "against");
  return lines + run::options_identity(against, "against_");
}

}  // namespace

std::string identity(const DedupOptions& options, const NearFinder* near) {
  std::string text = fmt::format("refrain dedup {}\n", kVersion);
  text += run::options_identity(options);
  text += run::options_identity(options.input);
  if (!options.against.empty()) text += against_identity(options.against);
  text += libraries_identity(options) + run::input_identity(options.input);
  // A message names the first line that differs, so what follows from the options comes after them.
  if (near != nullptr) text += near->identity();
  return text + fmt::format("fingerprint {}\nrules {}\n", fingerprint_version(options.windows.tokenizer), kRules);
}

}  // namespace refrain::verbs::dedup
