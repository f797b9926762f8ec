// Fingerprints without documents: all pairs and clusters in a list of hashes, and lookup of one hash among many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "refrain/context.h"

namespace [[gnu::visibility("default")]] refrain {

// A list of hashes as text, one unsigned decimal number per line; repeats count once.
struct HashListOptions {
  std::string input = "-";   // a file, or "-" for standard input
  std::string output = "-";  // a file (written completely or not at all), or "-" for standard output
  unsigned blocks = 0;       // 2 to 64; 0: automatic
  unsigned distance = 0;     // maximum number of differing bits; below blocks
};

struct HashListReport {
  std::uint64_t hashes = 0;  // distinct
  std::uint64_t found = 0;   // pairs or clusters written
  double seconds = 0;
};

// Writes one pair "[a, b]" per line, a < b, in ascending order. Throws Error: not_found if the input does not exist,
// io if reading or writing fails, bad_input for a line that is not a number (the message names it), invalid_argument
// for an invalid number of blocks.
HashListReport find_all(const HashListOptions& options, const Context& context);

// Writes one cluster (a connected component of two or more hashes) per line as "[a, b, ...]", in ascending order.
HashListReport find_clusters(const HashListOptions& options, const Context& context);

// An index of stored fingerprints: tables that are built once and queried often. Fingerprints can be added between
// queries.
//
// Queries may run on many threads at once; add() requires exclusive access.
class FingerprintIndex {
 public:
  struct Match {
    std::size_t index;    // position of the stored fingerprint, in the order in which they were given
    unsigned difference;  // differing bits
    friend bool operator==(const Match&, const Match&) = default;
  };

  FingerprintIndex(std::span<const std::uint64_t> stored, unsigned distance, const Context& context);
  ~FingerprintIndex();
  FingerprintIndex(FingerprintIndex&&) noexcept;
  FingerprintIndex& operator=(FingerprintIndex&&) noexcept;

  // Finds every stored fingerprint within the distance, nearest first, and the earliest first among equally near
  // ones. Replaces the contents of `out`.
  void find(std::uint64_t query, std::vector<Match>& out) const;

  // The first match that find() would return, and the number of matches, which is 0 if there is none. Faster than
  // find() if many fingerprints are equal.
  struct Best {
    Match match{0, 0};
    std::size_t count = 0;
  };
  Best best(std::uint64_t query) const;

  // Adds a fingerprint. Its index is size() before the call.
  void add(std::uint64_t fingerprint);

  std::size_t size() const;
  unsigned distance() const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

struct MatchOptions {
  std::string stored;  // a file of rows "id<TAB>simhash" with any more columns, as fingerprint() or near() writes it
  std::string queries = "-";  // the same, or "-" for standard input
  unsigned distance = 3;
  bool all = false;  // write a row for every match, not only for the best one
  bool add = false;  // add each query to the stored fingerprints after answering it, and to the file at the end
};

struct MatchReport {
  std::uint64_t stored = 0;  // fingerprints in the tables at the end
  std::uint64_t queries = 0;
  std::uint64_t matched = 0;  // queries with a match
  std::uint64_t added = 0;
  double build_seconds = 0;
  double query_seconds = 0;
};

// Writes to `out` a header and one row per query, in order, as soon as the answer is known: "id match diff matches",
// with the best stored match (least difference, then earliest; `match` and `diff` are empty if there is none) and the
// number of matches. With `all`: one row "id match diff" per match.
MatchReport match(const MatchOptions& options, const Context& context,
                  const std::function<void(std::string_view)>& out);

}  // namespace refrain
