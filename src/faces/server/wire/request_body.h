// Parses the bodies of requests: JSON in, options out.
//
// The parsed data takes no more memory than the body itself, apart from Body::kLineBytes for each line.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/index.h"

namespace refrain::server {

struct QueryRequest {
  QueryOptions options;
  bool texts = true;  // the answer contains the texts of passages and places
};

// Parses {"text": .. or "id": .., "with", "limit", "max_occurrences", "min_tokens", "max_gap", "edits", "noise",
// "max_documents", "exclude", "texts", "cursor"}. Throws Failure(400) if the body is not JSON, if a field is
// unknown, of the wrong kind or out of range, and unless exactly one of "text" and "id" is given.
QueryRequest parse_query(std::string_view body);

// The ids that are allowed: those that files may have, or any.
enum class Ids { paths, any };
// Parses one object {"id": .., "text": ..}, or many, one per line. Throws Failure(400) as above, and for an id that
// is empty, too long, given twice, contains control characters or, with Ids::paths, goes up a folder. Throws
// Error(interrupted) once `stop` is requested.
std::vector<QueryDocument> parse_documents(std::string_view body, Ids ids = Ids::paths,
                                           const std::stop_token& stop = {});

}  // namespace refrain::server
