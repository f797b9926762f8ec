// From what the command line said to the options of a verb: defaults, then the preset, then what was given.
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

// For a file of the command line that cannot be read: Error(not_found) where there is none, else Error(io).
Error cannot_read(const std::string& name, int error);

// Reads the file of --stop-words: Error(not_found) where it cannot be.
FingerprintOptions fingerprint_options(const Settings& settings);

// What --tokenizer, --normalize and --comments ask for.
TokenizerKind chosen_tokenizer(const Settings& settings, TokenizerKind otherwise);
InputOptions input_options(const Settings& settings, std::vector<std::string> paths);
// Error(invalid_argument), which names them, where flags say how to read an input that `why` says is not read so.
void refuse_input_flags(const Settings& settings, std::string_view why);
DedupOptions dedup_options(const Settings& settings);
NearOptions near_options(const Settings& settings);
SubstringsOptions substrings_options(const Settings& settings);
MatchOptions match_options(const Settings& settings);
ExplainOptions explain_options(const Settings& settings);
StoryOptions story_options(const Settings& settings);
NgramsOptions ngrams_options(const Settings& settings);
NgramsShowOptions ngrams_show_options(const Settings& settings);

// Of the index. The files of ids and of a token are read: Error(not_found) where one cannot be. The first operand is the
// index.
IndexLayout index_layout(const Settings& settings);
IndexCreateOptions index_create_options(const Settings& settings);
IndexAddOptions index_add_options(const Settings& settings);
std::vector<std::string> ids_to_remove(const Settings& settings);
LibraryRemoveOptions library_remove_options(const Settings& settings);
QueryOptions query_options(const Settings& settings);
ExtractOptions extract_options(const Settings& settings);
BlotsOptions blots_options(const Settings& settings);
ServeOptions serve_options(const Settings& settings);

// The distance that was given, the preset's, or that of near.
unsigned near_distance(const Settings& settings);

// Memory, threads and temporary folder only; how to report and to stop is the caller's part.
Context run_context(const Settings& settings);

}  // namespace refrain::cli
