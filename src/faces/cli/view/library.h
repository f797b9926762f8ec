// Formats reports about a library for people.
#pragma once

#include <string>

#include "refrain/library.h"

namespace refrain::cli {

// The output of `refrain library stats` and `check`, without the list of damages.
std::string library_stats_text(const LibraryStats& stats);
std::string library_check_text(const std::string& library, const LibraryCheckReport& report);

// One-line summaries of the other verbs.
std::string library_merge_summary(const std::string& library, const LibraryWriteReport& report);
std::string library_remove_summary(const std::string& library, const LibraryWriteReport& report);
std::string library_export_summary(const LibraryExportReport& report);

}  // namespace refrain::cli
