// Turns the settings of the command line into the options of a verb. Flags override the preset, and the preset
// overrides the defaults.
#pragma once

#include "faces/cli/table/flags.h"
#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/error.h"
#include "refrain/explain.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/library.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/serve.h"
#include "refrain/substrings.h"

namespace refrain::cli {

// Makes the error for a file that was named on the command line and cannot be read: not_found if it is missing or a
// folder, otherwise io. `error` is the errno.
Error cannot_read(const std::string& name, int error);

// Returns the value that was given for an option, if any. Reads the file of a list of words, and throws cannot_read()
// if that fails.
std::optional<OptionValue> given_value(const Settings& settings, const OptionInfo& option);

// Sets the options that were given.
template <class Options>
Options given_options(const Settings& settings, Options options = {}) {
  set_options(option_table<Options>(), options, [&](const OptionInfo& info) { return given_value(settings, info); });
  return options;
}

InputOptions input_options(const Settings& settings, std::vector<std::string> paths, const InputOptions& defaults = {});
// Throws Error(invalid_argument), which names the flags, if flags about reading input were given. `why` says why
// none is read.
void refuse_input_flags(const Settings& settings, std::string_view why);
// Options with an input, which the operands name.
template <class Options>
Options reading_options(const Settings& settings) {
  auto options = given_options<Options>(settings);
  options.input = input_options(settings, settings.operands);
  return options;
}
DedupOptions dedup_options(const Settings& settings);
NearOptions near_options(const Settings& settings);
MatchOptions match_options(const Settings& settings);
ExplainOptions explain_options(const Settings& settings);
StoryOptions story_options(const Settings& settings);

// The options of the verbs of an index or a library, which is the first operand. These functions read the file of --ids
// or --token-file, and throw cannot_read() if that fails.
IndexCreateOptions index_create_options(const Settings& settings);
IndexAddOptions index_add_options(const Settings& settings);
std::vector<std::string> ids_to_remove(const Settings& settings);
LibraryRemoveOptions library_remove_options(const Settings& settings);
QueryOptions query_options(const Settings& settings);
ServeOptions serve_options(const Settings& settings);

}  // namespace refrain::cli
