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
  unsigned distance = 0;     // below blocks
};

struct HashListReport {
  std::uint64_t hashes = 0;  // distinct
  std::uint64_t found = 0;   // pairs or clusters written
  double seconds = 0;
};

// Writes one pair "[a, b]" per line, a < b, in order. Throws Error: not_found if the input cannot be read, io if the
// output cannot be written, bad_input for a line that is not a number (named), invalid_argument for bad blocks.
HashListReport find_all(const HashListOptions& options, const Context& context);

// Writes one cluster (a connected component of two or more hashes) per line as "[a, b, ...]", ascending, in order.
HashListReport find_clusters(const HashListOptions& options, const Context& context);

// Stored fingerprints in tables that are built once and queried often; more can be added between queries.
//
// Queries may run on many threads at once; add() needs exclusive access.
class FingerprintIndex {
 public:
  struct Match {
    std::size_t index;    // of the stored fingerprint, in the order given
    unsigned difference;  // bits
    friend bool operator==(const Match&, const Match&) = default;
  };

  FingerprintIndex(std::span<const std::uint64_t> stored, unsigned distance, const Context& context);
  ~FingerprintIndex();
  FingerprintIndex(FingerprintIndex&&) noexcept;
  FingerprintIndex& operator=(FingerprintIndex&&) noexcept;

  // Every stored fingerprint within the distance, nearest first, then earliest. Replaces the contents of `out`.
  void find(std::uint64_t query, std::vector<Match>& out) const;

  // The first of those, and how many there are; faster if many are equal. count is 0 if there is none.
  struct Best {
    Match match{0, 0};
    std::size_t count = 0;
  };
  Best best(std::uint64_t query) const;

  // The index of the new fingerprint is size() before the call.
  void add(std::uint64_t fingerprint);

  std::size_t size() const;
  unsigned distance() const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::unique_ptr<Impl> impl_;
};

struct MatchOptions {
  std::string stored;         // a file of rows "id<TAB>simhash" as fingerprint() or near() writes it
  std::string queries = "-";  // the same, or "-" for standard input
  unsigned distance = 3;
  bool all = false;  // a row for every match, not only the best
  bool add = false;  // add each query to the stored ones once it is answered, and to the file at the end
};

struct MatchReport {
  std::uint64_t stored = 0;  // fingerprints in the tables at the end
  std::uint64_t queries = 0;
  std::uint64_t matched = 0;  // queries with a match
  std::uint64_t added = 0;
  double build_seconds = 0;
  double query_seconds = 0;
};

// Writes a header and one row per query to `out`, in order, as soon as it is known: "id match diff matches", the best
// stored match (least difference, then earliest; both empty if there is none) and the number of matches.
// With `all`: one row "id match diff" per match.
MatchReport match(const MatchOptions& options, const Context& context,
                  const std::function<void(std::string_view)>& out);

}  // namespace refrain
