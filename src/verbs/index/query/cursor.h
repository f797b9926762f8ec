// A cursor: where a query stopped, so that another call goes on behind it. Opaque and printable: hexadecimal digits of
// a version, a hash of what was asked, a hash of the commit that answered, the last candidate that was told, and a checksum.
//
// It belongs to one commit: with other documents the candidates rank otherwise, and pages would repeat or lose passages.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "engines/blot/chains.h"

namespace refrain::verbs::index {

struct QueryCursor {
  static constexpr std::uint32_t kAllTold = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t query = 0;   // a hash of what was asked,
  std::uint64_t commit = 0;  // and of the identity of the index
  blot::Candidate last;      // begin, end and chains of it
  std::uint32_t told = 0;    // passages of it and those compared with it; kAllTold: all of them, and it was the last
};

std::string encode_cursor(const QueryCursor& cursor);
// Error(invalid_argument) where it is none, or belongs to another query or commit.
QueryCursor decode_cursor(std::string_view text, std::uint64_t query, std::uint64_t commit);

}  // namespace refrain::verbs::index
