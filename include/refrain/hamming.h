// Fingerprints without documents: all pairs and clusters in a list of hashes, and one hash against many.
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

// A list of hashes as text, one unsigned decimal number a line; what repeats counts once.
struct HashListOptions {
  std::string input = "-";   // a file, or "-" for standard input
  std::string output = "-";  // a file (it appears whole or not at all), or "-" for standard output
  unsigned blocks = 0;       // 2 to 64; 0 chooses
  unsigned distance = 0;     // below blocks
};

struct HashListReport {
  std::uint64_t hashes = 0;  // distinct
  std::uint64_t found = 0;   // pairs or clusters written
  double seconds = 0;
};

// Writes "[a, b]" a line with a < b, in order. Throws Error: not_found where the input cannot be read, io where the
// output cannot be written, bad_input for a line that is no number (named), invalid_argument for bad blocks.
HashListReport find_all(const HashListOptions& options, const Context& context);

// Writes a cluster (a connected component of two hashes or more) a line as "[a, b, ...]", ascending, in order.
HashListReport find_clusters(const HashListOptions& options, const Context& context);

// Known fingerprints in tables, made once and asked often; new ones can be added between questions.
//
// Questions may come from many threads at once; add() must be alone.
class FingerprintIndex {
 public:
  struct Match {
    std::size_t index;    // which stored fingerprint, in the order in which they were given
    unsigned difference;  // bits
    friend bool operator==(const Match&, const Match&) = default;
  };

  FingerprintIndex(std::span<const std::uint64_t> stored, unsigned distance, const Context& context);
  ~FingerprintIndex();
  FingerprintIndex(FingerprintIndex&&) noexcept;
  FingerprintIndex& operator=(FingerprintIndex&&) noexcept;

  // Every stored fingerprint within the distance, nearest first, then earliest. Replaces what `out` held.
  void find(std::uint64_t query, std::vector<Match>& out) const;

  // The first of those, and how many there are; quicker where many are equal. count is 0 where there is none.
  struct Best {
    Match match{0, 0};
    std::size_t count = 0;
  };
  Best best(std::uint64_t query) const;

  // The new one's index is size() before the call.
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
  bool all = false;  // a row for every match, not only for the best
  bool add = false;  // each query joins the stored ones once it is answered, and the file at the end
};

struct MatchReport {
  std::uint64_t stored = 0;  // fingerprints in the tables at the end
  std::uint64_t queries = 0;
  std::uint64_t matched = 0;  // queries with a match
  std::uint64_t added = 0;
  double build_seconds = 0;
  double query_seconds = 0;
};

// Writes to `out` a header and then a row a query, in order, as soon as it is known: "id match diff matches": the best
// stored match (least difference, then earliest; empty with its difference where there is none) and how many there are.
// With `all`: a row "id match diff" a match.
MatchReport match(const MatchOptions& options, const Context& context,
                  const std::function<void(std::string_view)>& out);

}  // namespace refrain
