// Formats the results of runs for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/view/remarks.h"
#include "faces/cli/view/terminal.h"
#include "refrain/dedup.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/library.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/overrides.h"
#include "refrain/plain_text.h"
#include "refrain/substrings.h"

namespace refrain::cli {

// Returns the summary that `refrain near` prints at its end. Some figures are left out if they are zero. `seconds` is
// the time of the whole run.
std::string near_summary(const NearReport& report, const NearOptions& options, double seconds, const Look& look);

// The same for `refrain dedup`.
std::string dedup_summary(const DedupReport& report, const DedupOptions& options, double seconds, const Look& look);

// The same for `refrain substrings`, and for `refrain ngrams build`.
std::string substrings_summary(const SubstringsReport& report, const SubstringsOptions& options, double seconds,
                               const Look& look);
std::string ngrams_summary(const NgramsReport& report, const NgramsOptions& options, double seconds, const Look& look);

// The output of `refrain ngrams stats`, `devices` and `ngrams check`.
std::string ngrams_stats_text(const NgramsStats& stats);
std::string devices_text(const DeviceList& list);
std::string ngrams_check_text(const std::string& index, const NgramsCheckReport& report);

// The summary of `refrain index create` and `add`.
std::string index_add_summary(const std::string& index, const IndexWriteReport& report, double seconds,
                              const Look& look);

// The lines that end `remove` and `merge`, of an index or a library.
std::string removed_summary(const std::string& folder, std::uint64_t removed);
std::string merged_summary(const std::string& folder, std::uint64_t merged, std::uint64_t bytes,
                           std::uint64_t segments);

// The output of `refrain index stats` and `check`, without the list of damages.
std::string index_stats_text(const IndexStats& stats);
std::string index_check_text(const std::string& index, const IndexCheckReport& report);

// The same for a library.
std::string library_stats_text(const LibraryStats& stats);
std::string library_check_text(const std::string& library, const LibraryCheckReport& report);

// The output of `refrain overrides check`.
std::string overrides_check_text(const OverridesCheckReport& report);

// Summaries of one line for standard error.
std::string fingerprint_summary(const FingerprintReport& report);
std::string text_summary(const PlainTextReport& report);
std::string match_summary(const MatchReport& report);
std::string ngrams_show_summary(const NgramsShowReport& report);
std::string query_summary(const QueryReport& report);
std::string extract_summary(const ExtractReport& report);
std::string library_export_summary(const LibraryExportReport& report);

// Says how many documents could not be shown because their files have changed, and names the first few. Empty if there
// are none.
std::string changed_remark(std::uint64_t count, const std::vector<ChangedDocument>& changed);
// Remarks about queries and documents that --pairs names but that were not found. Empty if all were found.
std::vector<std::string> pairs_remarks(const QueryReport& report);
// Says how many documents may have more than the `limit` passages that were printed. Empty if there are none.
std::string shortened_remark(const QueryReport& report, std::uint64_t limit);
// Says how many candidates were not compared because of --max-occurrences. Empty if there are none.
std::string unverified_remark(const QueryReport& report);

}  // namespace refrain::cli
