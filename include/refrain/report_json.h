// Reports as JSON, one object each; the same for the command line, the server and Python. Values that depend on the
// machine or the time are under "run"; all others are the same for the same input and options.
#pragma once

#include <string>
#include <string_view>

#include "refrain/dedup.h"
#include "refrain/explain.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/index.h"
#include "refrain/library.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/overrides.h"
#include "refrain/plain_text.h"
#include "refrain/substrings.h"

namespace [[gnu::visibility("default")]] refrain {

std::string to_json(const DedupOptions& options, const DedupReport& report);
std::string to_json(const NearOptions& options, const NearReport& report);              // the contents of summary.json
std::string to_json(const SubstringsOptions& options, const SubstringsReport& report);  // the same
std::string to_json(const FingerprintReport& report);
std::string to_json(const PlainTextReport& report);
std::string to_json(const MatchReport& report);
std::string to_json(const DeviceList& list);
// Fingerprints are strings, because many JSON readers would lose bits of a number.
std::string to_json(const ExplainOptions& options, const ExplainReport& report);
std::string to_json(const StoryReport& report);

std::string to_json(const NgramsOptions& options, const NgramsReport& report);  // summary.json of an n-gram index
std::string to_json(const NgramsShowReport& report);
std::string to_json(const NgramsLookupReport& report);
std::string to_json(const NgramsStats& stats);
std::string to_json(const NgramsCheckReport& report);

std::string to_json(const IndexWriteReport& report, std::string_view verb = "index add");
std::string to_json(const IndexStats& stats);
std::string to_json(const IndexCheckReport& report);
std::string to_json(const QueryReport& report);
std::string to_json(const ExtractReport& report);

std::string to_json(const OverridesCheckReport& report);

std::string to_json(const LibraryStats& stats);
std::string to_json(const LibraryWriteReport& report, std::string_view verb);
std::string to_json(const LibraryCheckReport& report);
std::string to_json(const LibraryExportReport& report);

// Rows, one per line, without indentation, like passages (index.h). A blot is a string of hexadecimal digits.
std::string to_json(const BlotRow& row);   // {"blot", "count", "documents"}
std::string to_json(const BlotText& row);  // {"blot", "id", "begin", "end", "text"}
// {"id", "digest", "source", "origin", "file", "begin", "bytes", "text_bytes"}; origin and file are null if they are
// not known.
std::string to_json(const LibraryDocument& row);
std::string cursor_json(std::string_view cursor);  // {"cursor"}: the last row of a query that can continue

}  // namespace refrain
