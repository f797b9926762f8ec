// What a run found, for people.
#pragma once

#include <string>

#include "cli/terminal.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/input.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"

namespace refrain::cli {

// The screen that ends `refrain near`. What is zero and odd is not mentioned. `seconds` is the time of the whole run.
std::string near_summary(const NearReport& report, const NearOptions& options, double seconds, const Look& look);

// The same for `refrain ngrams build`.
std::string ngrams_summary(const NgramsReport& report, const NgramsOptions& options, double seconds, const Look& look);

// The screens of `refrain ngrams stats` and `check`.
std::string ngrams_stats_text(const NgramsStats& stats);
std::string ngrams_check_text(const std::string& index, const NgramsCheckReport& report);

// One line each, for standard error.
std::string fingerprint_summary(const FingerprintReport& report);
std::string match_summary(const MatchReport& report);
std::string ngrams_show_summary(const NgramsShowReport& report);

// How many bad records were skipped, with a few examples as "file:line: reason"; empty where there were none.
std::string bad_record_remark(const ReadReport& report);

}  // namespace refrain::cli
