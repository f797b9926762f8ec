// A cursor marks where a query stopped, so that another call can continue from there. It is opaque and printable:
// hexadecimal digits of a version, a hash of the query, a hash of the commit that answered, the last candidate that
// was reported, and a checksum.
//
// It belongs to one commit: with other documents, candidates would rank differently, and pages would repeat or lose
// passages.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "engines/blot/chains.h"

namespace refrain::verbs::index {

struct QueryCursor {
  static constexpr std::uint32_t kAllReported = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t query = 0;   // a hash of the query and its options,
  std::uint64_t commit = 0;  // and of the identity of the index
  blot::Candidate last;      // its begin, end and chains
  std::uint32_t reported =
      0;  // passages of it and those compared with it; kAllReported: all of them, and it was the last
};

std::string encode_cursor(const QueryCursor& cursor);
// Throws Error(invalid_argument) if it is not a cursor, or belongs to another query or commit.
QueryCursor decode_cursor(std::string_view text, std::uint64_t query, std::uint64_t commit);

}  // namespace refrain::verbs::index
