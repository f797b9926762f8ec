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
#include "refrain/story.h"
#include "refrain/substrings.h"

namespace refrain::cli {

// Makes the error for a file that was named on the command line and cannot be read: not_found if it is missing or a
// folder, otherwise io. `error` is the errno.
Error cannot_read(const std::string& name, int error);

// Reads the file of --stop-words. Throws cannot_read() if that fails.
FingerprintOptions fingerprint_options(const Settings& settings);

// Returns the tokenizer that --tokenizer, --normalize and --comments select, with `default_tokenizer` as the default.
TokenizerKind chosen_tokenizer(const Settings& settings, TokenizerKind default_tokenizer);
InputOptions input_options(const Settings& settings, std::vector<std::string> paths, const InputOptions& defaults = {});
// Throws Error(invalid_argument), which names the flags, if flags about reading input were given. `why` says why
// none is read.
void refuse_input_flags(const Settings& settings, std::string_view why);
DedupOptions dedup_options(const Settings& settings);
NearOptions near_options(const Settings& settings);
SubstringsOptions substrings_options(const Settings& settings);
MatchOptions match_options(const Settings& settings);
ExplainOptions explain_options(const Settings& settings);
StoryOptions story_options(const Settings& settings);
NgramsOptions ngrams_options(const Settings& settings);
NgramsShowOptions ngrams_show_options(const Settings& settings);

// The options of the verbs of an index or a library, which is the first operand. These functions read the file of --ids
// or --token-file, and throw cannot_read() if that fails.
IndexLayout index_layout(const Settings& settings);
IndexCreateOptions index_create_options(const Settings& settings);
IndexAddOptions index_add_options(const Settings& settings);
std::vector<std::string> ids_to_remove(const Settings& settings);
LibraryRemoveOptions library_remove_options(const Settings& settings);
QueryOptions query_options(const Settings& settings);
ExtractOptions extract_options(const Settings& settings);
BlotsOptions blots_options(const Settings& settings);
ServeOptions serve_options(const Settings& settings);

// Returns --distance if it was given, otherwise the distance of the preset, otherwise the default of `near`.
unsigned near_distance(const Settings& settings);

// Returns a context with memory, threads and temporary folder. The caller adds the progress callback and stop token.
Context run_context(const Settings& settings);

}  // namespace refrain::cli
