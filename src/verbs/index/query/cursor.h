// A cursor: where a query stopped, so that another call goes on behind it. Opaque and printable: hexadecimal digits of
// a version, a hash of what was asked, the last candidate that was told, and a checksum.
//
// It names the candidate by its rank (engines/blot/chains.h: length, chains, place in the query), not by a number, so that it
// still has a meaning when the index has changed meanwhile.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "engines/blot/chains.h"

namespace refrain::verbs::index {

struct QueryCursor {
  static constexpr std::uint32_t kAllTold = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t query = 0;  // a hash of what was asked
  blot::Candidate last;     // begin, end and chains of it
  std::uint32_t told = 0;   // passages of it and those compared with it; kAllTold: all of them, and it was the last
};

std::string encode_cursor(const QueryCursor& cursor);
// Error(invalid_argument) where it is none, or belongs to another query.
QueryCursor decode_cursor(std::string_view text, std::uint64_t query);

}  // namespace refrain::verbs::index
