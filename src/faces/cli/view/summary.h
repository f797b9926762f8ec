// What a run found, for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/view/reading.h"
#include "faces/cli/view/terminal.h"
#include "refrain/dedup.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/plain_text.h"
#include "refrain/substrings.h"

namespace refrain::cli {

// The screen that ends `refrain near`. What is zero and odd is not mentioned. `seconds` is the time of the whole run.
std::string near_summary(const NearReport& report, const NearOptions& options, double seconds, const Look& look);

// The same for `refrain dedup`.
std::string dedup_summary(const DedupReport& report, const DedupOptions& options, double seconds, const Look& look);

// The same for `refrain substrings`, and for `refrain ngrams build`.
std::string substrings_summary(const SubstringsReport& report, const SubstringsOptions& options, double seconds,
                               const Look& look);
std::string ngrams_summary(const NgramsReport& report, const NgramsOptions& options, double seconds, const Look& look);

// The screens of `refrain ngrams stats` and `check`.
std::string ngrams_stats_text(const NgramsStats& stats);
std::string devices_text(const DeviceList& list);
std::string ngrams_check_text(const std::string& index, const NgramsCheckReport& report);

// What ends `refrain index create` and `add`; and `remove` and `merge`, a line each.
std::string index_add_summary(const std::string& index, const IndexWriteReport& report, double seconds,
                              const Look& look);
std::string index_remove_summary(const std::string& index, const IndexWriteReport& report);
std::string index_merge_summary(const std::string& index, const IndexWriteReport& report);

// The screens of `refrain index stats` and `check`; of a damaged index the damages are not listed here.
std::string index_stats_text(const IndexStats& stats);
std::string index_check_text(const std::string& index, const IndexCheckReport& report);

// One line each, for standard error.
std::string fingerprint_summary(const FingerprintReport& report);
std::string text_summary(const PlainTextReport& report);
std::string match_summary(const MatchReport& report);
std::string ngrams_show_summary(const NgramsShowReport& report);
std::string query_summary(const QueryReport& report);
std::string extract_summary(const ExtractReport& report);

// How many documents could not be shown since their files changed, the first few named; empty where there were none.
std::string changed_remark(std::uint64_t count, const std::vector<ChangedDocument>& changed);
// What of --pairs was not found, a remark each; none where all was.
std::vector<std::string> pairs_remarks(const QueryReport& report);
// How many documents have more passages than were printed; empty where none has.
std::string shortened_remark(const QueryReport& report, std::uint64_t limit);

}  // namespace refrain::cli
