// The bodies of requests: JSON in, options out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "refrain/index.h"

namespace refrain::server {

struct QueryRequest {
  QueryOptions options;
  bool texts = true;  // the answer has those of passages and places
};

// {"text": .. or "id": .., "with", "limit", "max_occurrences", "min_tokens", "max_gap", "edits", "noise", "max_documents",
// "exclude", "texts", "cursor"}. Failure(400) for what is not JSON, for a field that is unknown, of the wrong kind or out of
// range, and where not exactly one of "text" and "id" is given.
QueryRequest parse_query(std::string_view body);

// What ids may be: as those of files, or any.
enum class Ids { paths, any };
// One object {"id": .., "text": ..}, or many, one a line. Failure(400) as above, and for an id that is empty, too long,
// given twice, or, where it may be a path, goes up a folder.
std::vector<QueryDocument> parse_documents(std::string_view body, Ids ids = Ids::paths);

}  // namespace refrain::server
