// What is known of a library, for people.
#pragma once

#include <string>

#include "refrain/library.h"

namespace refrain::cli {

// The screens of `refrain library stats` and `check`; of a damaged library the damages are not listed here.
std::string library_stats_text(const LibraryStats& stats);
std::string library_check_text(const std::string& library, const LibraryCheckReport& report);

// What ends the others, a line each.
std::string library_merge_summary(const std::string& library, const LibraryWriteReport& report);
std::string library_remove_summary(const std::string& library, const LibraryWriteReport& report);
std::string library_export_summary(const LibraryExportReport& report);

}  // namespace refrain::cli
