// find_all and find_clusters: read a list of hashes from a text file, and write its pairs or clusters to a text
// file.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/matching/hamming.h"
#include "engines/matching/union_find.h"
#include "refrain/error.h"
#include "refrain/hamming.h"
#include "store/shuffle.h"
#include "store/shuffle_layout.h"
#include "verbs/near/nodes.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

constexpr std::size_t kListPieceBytes = std::size_t{1} << 20;

// Cuts the input into pieces of whole lines, which many threads take in turn.
class LinePieces {
 public:
  LinePieces(const std::string& path, const Context& context) : file_(path, context.stop) {}

  struct Piece {
    std::string text;
    std::uint64_t first_line = 1;
  };

  // Returns false at the end. Reuses the piece's buffer.
  bool next(Piece& piece) {
    const std::lock_guard lock(mutex_);
    if (bad_line_) return false;
    piece.text.assign(rest_);
    piece.first_line = line_;
    rest_.clear();
    if (!ended_) {
      const std::size_t have = piece.text.size();
      piece.text.resize(have + kListPieceBytes);
      const std::size_t got = file_.read(piece.text.data() + have, kListPieceBytes);
      piece.text.resize(have + got);
      ended_ = got < kListPieceBytes;
    }
    if (!ended_) {
      const std::size_t end = piece.text.rfind('\n') + 1;
      if (end == 0) {
        note_bad_line(line_, "too long for a number");
        return false;
      }
      rest_.assign(piece.text, end);
      piece.text.resize(end);
    }
    line_ += static_cast<std::uint64_t>(std::count(piece.text.begin(), piece.text.end(), '\n'));
    return !piece.text.empty();
  }

  // Reports a line that is not a number. No more pieces are handed out, but those that were are parsed to their
  // end. Because pieces are handed out in order, the first bad line of the input is among those reported.
  void bad_line(std::uint64_t line, std::string_view what) {
    const std::lock_guard lock(mutex_);
    note_bad_line(line, what);
  }

  void throw_if_bad() const {
    if (bad_line_)
      throw Error(Errc::bad_input, fmt::format("{}:{}: {}; a line must be one number from 0 to 18446744073709551615",
                                               file_.path(), *bad_line_, bad_reason_));
  }
  std::uint64_t bytes() const { return file_.size(); }

 private:
  void note_bad_line(std::uint64_t line, std::string_view what) {
    if (bad_line_ && *bad_line_ < line) return;
    bad_line_ = line;
    bad_reason_ = what;
  }

  std::mutex mutex_;
  InputFile file_;
  std::optional<std::uint64_t> bad_line_;  // the first one so far
  std::string bad_reason_;
  std::string rest_;
  std::uint64_t line_ = 1;
  bool ended_ = false;
};

// Calls each(number) for every line, up to the first bad one.
template <class Each>
void parse_piece(LinePieces& pieces, const LinePieces::Piece& piece, Each each) {
  const char* at = piece.text.data();
  const char* const end = at + piece.text.size();
  std::uint64_t line = piece.first_line;
  while (at != end) {
    // Fast path for the usual line: at most 19 digits, which cannot overflow, or 20 if the last one causes no
    // overflow, and a line feed.
    const char* const begin = at;
    const char* const most = end - at > 19 ? at + 19 : end;
    std::uint64_t value = 0;
    while (at != most && static_cast<unsigned char>(*at - '0') < 10)
      value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
    if (at != end && at - begin == 19 && static_cast<unsigned char>(*at - '0') < 10 && value < UINT64_MAX / 10)
      value = value * 10 + static_cast<std::uint64_t>(*at++ - '0');
    if (at == begin || at == end || *at != '\n') {
      const char* stop = std::find(at, end, '\n');
      std::string_view text(begin, static_cast<std::size_t>(stop - begin));
      while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
      while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
      const std::optional<std::uint64_t> number = verbs::run::parse_decimal(text);
      if (!number)
        return pieces.bad_line(line, text.empty() ? "empty" : fmt::format("'{}' is not a hash", text.substr(0, 40)));
      value = *number;
      at = stop;
    }
    each(value);
    if (at != end) ++at;
    ++line;
  }
}

// A line takes at most 21 bytes, and sorting takes 16 bytes per hash. If that is already too much, fail at once.
void check_memory(std::uint64_t file_bytes, const MemoryBudget& budget) {
  const std::uint64_t needed = budget.set_aside() + file_bytes / 21 * 16;
  if (needed > budget.ceiling())
    throw Error(Errc::over_budget,
                fmt::format("`memory`: {} of hashes need at least {}, more than the limit of {}; raise it",
                            human_bytes(file_bytes), human_bytes(needed), human_bytes(budget.ceiling())));
}

Array<std::uint64_t> read_distinct(const std::string& path, const Context& context, MemoryBudget& budget) {
  const unsigned threads = thread_count(context);
  LinePieces pieces(path, context);
  check_memory(pieces.bytes(), budget);
  Progress progress(context, "read", "bytes", pieces.bytes());
  // Assumes about twenty digits per line, or a fixed number of lines if the size is unknown.
  const std::size_t expected = pieces.bytes() != 0 ? pieces.bytes() / 20 : std::size_t{1} << 22U;
  store::Shuffle<std::uint64_t, store::HighBits, store::NumberLayout> shuffle(
      {.what = "the hashes", .expected_records = expected}, budget);
  run_workers(threads, [&](unsigned /*worker*/) {
    auto writer = shuffle.writer();
    for (LinePieces::Piece piece; pieces.next(piece);) {
      parse_piece(pieces, piece, [&](std::uint64_t hash) { writer.add(hash); });
      progress.add(piece.text.size());
    }
  });
  pieces.throw_if_bad();
  progress.finish();
  const std::vector<std::size_t> begins = shuffle.partition_begins();
  std::vector<std::size_t> sizes(shuffle.partitions(), 0);
  Array<std::uint64_t> distinct(budget, "the distinct hashes", begins.back());
  shuffle.for_each_run(context, [&](unsigned /*worker*/, std::size_t partition, const store::Run<std::uint64_t>& run) {
    if (run.first) distinct[begins[partition] + sizes[partition]++] = run.key;
  });
  distinct.resize(verbs::near::close_gaps(distinct, begins, sizes));
  return distinct;
}

struct HashPair {
  std::uint64_t a;
  std::uint64_t b;
  friend auto operator<=>(const HashPair&, const HashPair&) = default;
};
struct FirstOfPair {
  std::uint64_t operator()(const HashPair& pair) const { return pair.a; }
};

// Passes all pairs of a join through a shuffle and calls each(pair) in ascending order.
template <class Each>
void for_each_pair(std::span<const std::uint64_t> hashes, const HashListOptions& options, const Context& context,
                   MemoryBudget& budget, Each each) {
  store::Shuffle<HashPair, FirstOfPair> pairs(
      {.what = "the pairs", .expected_records = hashes.size() / 8, .order_values = true}, budget);
  {
    std::vector<store::Shuffle<HashPair, FirstOfPair>::Writer> writers;
    for (unsigned worker = 0; worker < thread_count(context); ++worker) writers.push_back(pairs.writer());
    matching::hamming_join(hashes, {.distance = options.distance, .blocks = options.blocks}, context, budget,
                           [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
                             writers[worker].add({a, b});
                           });
  }
  Context in_order = context;
  in_order.threads = 1;
  pairs.for_each_run(in_order, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<HashPair>& run) {
    for (const HashPair& pair : run.records) each(pair);
  });
}

}  // namespace

HashListReport find_all(const HashListOptions& options, const Context& context) {
  const Stopwatch watch;
  matching::check_blocks(options.blocks, options.distance);
  MemoryBudget budget(context);
  const Array<std::uint64_t> hashes = read_distinct(options.input, context, budget);
  HashListReport report;
  report.hashes = hashes.size();
  AtomicFile result(options.output);
  for_each_pair(hashes, options, context, budget, [&](const HashPair& pair) {
    OutputFile& out = result.out();
    out.write("[");
    out.write_decimal(pair.a);
    out.write(", ");
    out.write_decimal(pair.b);
    out.write("]\n");
    ++report.found;
  });
  result.commit();
  report.seconds = watch.seconds();
  return report;
}

HashListReport find_clusters(const HashListOptions& options, const Context& context) {
  const Stopwatch watch;
  matching::check_blocks(options.blocks, options.distance);
  MemoryBudget budget(context);
  const Array<std::uint64_t> hashes = read_distinct(options.input, context, budget);
  const auto index_of = [&](std::uint64_t hash) {
    return static_cast<std::uint64_t>(std::lower_bound(hashes.begin(), hashes.end(), hash) - hashes.begin());
  };
  matching::UnionFind components(budget, hashes.size());
  for_each_pair(hashes, options, context, budget,
                [&](const HashPair& pair) { components.unite(index_of(pair.a), index_of(pair.b)); });
  // Writes every member after the least one of its component, by means of a shuffle.
  store::Shuffle<HashPair, FirstOfPair> members(
      {.what = "the clusters", .expected_records = hashes.size() / 8, .order_values = true}, budget);
  {
    auto writer = members.writer();
    for (std::uint64_t i = 0; i < hashes.size(); ++i)
      if (const std::uint64_t root = components.find(i); root != i) writer.add({hashes[root], hashes[i]});
  }
  HashListReport report;
  report.hashes = hashes.size();
  AtomicFile result(options.output);
  OutputFile& out = result.out();
  Context in_order = context;
  in_order.threads = 1;
  members.for_each_run(in_order, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<HashPair>& run) {
    if (run.first) {
      out.write("[");
      out.write_decimal(run.key);
      ++report.found;
    }
    for (const HashPair& member : run.records) {
      out.write(", ");
      out.write_decimal(member.b);
    }
    if (run.last) out.write("]\n");
  });
  result.commit();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace refrain
