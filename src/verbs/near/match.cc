// The verb `match`: compares new fingerprints with all stored ones, as the new ones arrive.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/matching/hamming.h"
#include "refrain/error.h"
#include "refrain/hamming.h"
#include "verbs/near/rows.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kLinesAThread = 256;  // for fewer lines, a thread is not worthwhile

// Reads the rows of a file or pipe, as many at a time as are available.
class RowReader {
 public:
  RowReader(const std::string& path, const Context& context) : file_(path, context.stop), options_{file_.path(), {}} {}

  // Replaces `rows` by the next ones, at least one. Returns false at the end. The rows are valid until the next
  // call.
  bool next(std::vector<verbs::run::HashRow>& rows) {
    rows.clear();
    while (rows.empty() && !ended_) {
      buffer_.erase(0, used_);
      used_ = 0;
      const std::size_t have = buffer_.size();
      buffer_.resize(have + kPieceBytes);
      const std::size_t got = file_.read_some(buffer_.data() + have, kPieceBytes);
      buffer_.resize(have + got);
      ended_ = got == 0;
      parse(rows);
    }
    return !rows.empty();
  }
  std::uint64_t bytes() const { return file_.size(); }
  std::size_t last_bytes() const { return used_; }
  // Known after the first rows have been read.
  const verbs::near::FileOptions& options() const { return options_; }
  // The number of columns of the header, or of the first row if there is no header; 0 if there is no row.
  std::size_t columns() const { return columns_; }

 private:
  Error bad_row(std::uint64_t line, std::string_view what) const {
    return {Errc::bad_input,
            fmt::format("{}:{}: {}; create the file with 'refrain fingerprint'", file_.path(), line, what)};
  }

  void parse(std::vector<verbs::run::HashRow>& rows) {
    while (used_ < buffer_.size()) {
      std::size_t end = buffer_.find('\n', used_);
      if (end == std::string::npos) {
        if (!ended_ && buffer_.size() - used_ <= kPieceBytes) return;
        if (!ended_) throw bad_row(line_ + 1, "row longer than 1 MiB");
        end = buffer_.size();
      }
      const std::string_view line(buffer_.data() + used_, end - used_);
      used_ = std::min(end + 1, buffer_.size());
      ++line_;
      if (line_ == 1 && verbs::near::is_options_line(line)) {
        options_.options = verbs::near::options_in(line);
        continue;
      }
      if (columns_ == 0) {
        columns_ = 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t'));
        if (verbs::run::is_hash_header(line)) {
          if (options_.options.empty()) options_.options = verbs::near::options_in(line);
          continue;
        }
        if (verbs::run::is_digest_header(line))
          throw bad_row(line_, "holds digests of texts, as 'refrain dedup' writes them, not fingerprints");
      }
      const std::optional<verbs::run::HashRow> row = verbs::run::parse_hash_row(line);
      if (!row) throw bad_row(line_, "not a row 'id<TAB>simhash'");
      rows.push_back(*row);
    }
  }

  InputFile file_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint64_t line_ = 0;
  bool ended_ = false;
  std::size_t columns_ = 0;
  verbs::near::FileOptions options_;
};

// The ids of the stored fingerprints, escaped as in the file.
class Ids {
 public:
  explicit Ids(MemoryBudget& budget) : bytes_(budget, "the stored ids"), ends_(budget, "the stored ids") {}
  void add(std::string_view id) {
    bytes_.append(std::span<const char>(id));
    ends_.push_back(bytes_.size());
  }
  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, ends_[i] - begin};
  }
  std::size_t size() const { return ends_.size(); }
  std::size_t bytes() const { return bytes_.size(); }

 private:
  Array<char> bytes_;
  Array<std::uint64_t> ends_;
};

class Matcher {
 public:
  Matcher(const MatchOptions& options, const Context& context)
      : options_(options), context_(context), threads_(thread_count(context)), budget_(context), ids_(budget_) {}

  MatchReport run(const std::function<void(std::string_view)>& out) {
    const Stopwatch building;
    // Only one process may add at a time, because rows that another one adds in the meantime would be lost.
    std::optional<FileLock> lock;
    if (options_.add) lock.emplace(options_.stored);
    load();
    report_.build_seconds = building.seconds();
    const Stopwatch asking;
    out(options_.all ? "id\tmatch\tdiff\n" : "id\tmatch\tdiff\tmatches\n");
    RowReader queries(options_.queries, context_);
    std::vector<verbs::run::HashRow> rows;
    Progress progress(context_, "match", "bytes", queries.bytes());
    for (bool first = true; queries.next(rows); first = false) {
      if (first) check_same_options(stored_, queries.options());
      answer(rows, out);
      progress.add(queries.last_bytes());
    }
    progress.finish();
    report_.query_seconds = asking.seconds();
    report_.stored = index_->size();
    if (report_.added != 0) save();
    return report_;
  }

 private:
  void load() {
    RowReader reader(options_.stored, context_);
    std::uint64_t read = 0;
    try {
      load_all(reader, read);
    } catch (const Error& error) {
      // If memory runs out, the message names what all rows would take: their ids, and each fingerprint in every
      // table.
      if (error.code() != Errc::over_budget || reader.bytes() == 0 || read == 0) throw;
      const double share = static_cast<double>(read) / static_cast<double>(std::max(read, reader.bytes()));
      const double rows = static_cast<double>(ids_.size()) / share;
      const double id = static_cast<double>(ids_.bytes()) / static_cast<double>(std::max<std::size_t>(ids_.size(), 1));
      const double row = 1.25 * (id + 2 * sizeof(std::uint64_t)) + 24 + 12.0 * (options_.distance + 1);
      const std::uint64_t needed =
          budget_.set_aside() + (std::uint64_t{4} << 20U) + static_cast<std::uint64_t>(rows * row);
      throw Error(Errc::over_budget,
                  fmt::format("`memory` {}: not enough for about {:.0f} stored fingerprints; use at least {}",
                              human_bytes(budget_.ceiling()), rows, human_bytes(needed)));
    }
  }

  void load_all(RowReader& reader, std::uint64_t& read) {
    Array<std::uint64_t> hashes(budget_, "the stored fingerprints");
    std::vector<verbs::run::HashRow> rows;
    Progress progress(context_, "read", "bytes", reader.bytes());
    while (reader.next(rows)) {
      for (const verbs::run::HashRow& row : rows) {
        if (!row.hash) continue;  // too short to judge, so it cannot match anything
        ids_.add(row.id);
        hashes.push_back(*row.hash);
      }
      read += reader.last_bytes();
      progress.add(reader.last_bytes());
    }
    progress.finish();
    stored_ = reader.options();
    other_cells_.assign(std::max<std::size_t>(reader.columns(), 2) - 2, '\t');
    index_.emplace(std::span<const std::uint64_t>(hashes.data(), hashes.size()), options_.distance, threads_, budget_);
  }

  void answer(const std::vector<verbs::run::HashRow>& rows, const std::function<void(std::string_view)>& out) {
    report_.queries += rows.size();
    if (options_.all && !options_.add) {
      // A query may have any number of matches, so queries are answered in turn, and matches are written as they
      // come.
      for (const verbs::run::HashRow& row : rows) answer_all(row, out);
      return;
    }
    if (options_.add) {
      // Each query must be compared with those before it.
      std::string text;
      for (const verbs::run::HashRow& row : rows) {
        if (options_.all)
          answer_all(row, out);
        else
          report_.matched += answer_one(row, text) ? 1 : 0;
        if (!row.hash) continue;
        index_->add(*row.hash);
        ids_.add(row.id);
        std::string added(row.id);
        added += '\t';
        verbs::run::append_decimal(added, *row.hash);
        (added += other_cells_) += '\n';
        added_.append(std::span<const char>(added));
        ++report_.added;
      }
      if (!text.empty()) out(text);
      return;
    }
    const std::size_t pieces = std::clamp<std::size_t>(rows.size() / kLinesAThread, 1, threads_);
    std::vector<std::string> texts(pieces);
    std::vector<std::uint64_t> matched(pieces, 0);
    parallel_for(threads_, pieces, [&](unsigned /*worker*/, std::size_t piece) {
      for (std::size_t i = rows.size() * piece / pieces; i < rows.size() * (piece + 1) / pieces; ++i)
        matched[piece] += answer_one(rows[i], texts[piece]) ? 1 : 0;
    });
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      report_.matched += matched[piece];
      if (piece != 0) texts[0] += texts[piece];
    }
    out(texts[0]);
  }

  // Writes every match of the query, one row each.
  void answer_all(const verbs::run::HashRow& row, const std::function<void(std::string_view)>& out) {
    if (!row.hash) return;
    const std::size_t count = index_->best(*row.hash).count;
    if (count > matches_.capacity()) {
      matches_ = {};
      matches_bytes_.resize(count * sizeof(matches_[0]), "the matches of one query");
      matches_.reserve(count);
    }
    index_->find(*row.hash, matches_);
    std::string text;
    for (const FingerprintIndex::Match& match : matches_) {
      append_match(row, match, text) += '\n';
      if (text.size() < kPieceBytes / 4) continue;
      out(text);
      text.clear();
    }
    if (!text.empty()) out(text);
    report_.matched += matches_.empty() ? 0 : 1;
  }

  // Appends the answer to the query. Returns whether there was a match.
  bool answer_one(const verbs::run::HashRow& row, std::string& text) const {
    const FingerprintIndex::Best best = row.hash ? index_->best(*row.hash) : FingerprintIndex::Best{};
    if (best.count != 0)
      append_match(row, best.match, text);
    else
      (text += row.id) += "\t\t";
    text += '\t';
    verbs::run::append_decimal(text, best.count);
    text += '\n';
    return best.count != 0;
  }

  std::string& append_match(const verbs::run::HashRow& row, const FingerprintIndex::Match& match,
                            std::string& text) const {
    (((text += row.id) += '\t') += ids_[match.index]) += '\t';
    verbs::run::append_decimal(text, match.difference);
    return text;
  }

  // Writes the stored rows and the new ones to a temporary file, which is then renamed over the stored file.
  void save() {
    InputFile old(options_.stored);
    AtomicFile file(options_.stored);
    std::string buffer(kPieceBytes, '\0');
    char last = '\n';
    while (const std::size_t got = old.read(buffer.data(), buffer.size())) {
      file.out().write(std::string_view(buffer).substr(0, got));
      last = buffer[got - 1];
    }
    if (last != '\n') file.out().write("\n");
    file.out().write({added_.data(), added_.size()});
    file.commit();
  }

  const MatchOptions& options_;
  const Context& context_;
  const unsigned threads_;
  MemoryBudget budget_;
  Ids ids_;
  verbs::near::FileOptions stored_;
  std::string other_cells_;  // fills the columns after the second in a row that is added
  std::optional<matching::HammingIndex> index_;
  std::vector<FingerprintIndex::Match> matches_;
  Reservation matches_bytes_ = budget_.reserve(0, "the matches of one query");
  Array<char> added_{budget_, "the added rows"};
  MatchReport report_;
};

}  // namespace

MatchReport match(const MatchOptions& options, const Context& context,
                  const std::function<void(std::string_view)>& out) {
  if (options.add && options.stored == "-")
    throw Error(Errc::invalid_argument, "`add`: STORED must be a file, not standard input");
  if (options.stored == "-" && options.queries == "-")
    throw Error(Errc::invalid_argument, "STORED and QUERIES are both standard input; name a file");
  return Matcher(options, context).run(out);
}

// The public FingerprintIndex: a Hamming index with a budget of its own.
struct FingerprintIndex::Impl {
  Impl(std::span<const std::uint64_t> stored, unsigned distance, const Context& context)
      : budget(context), index(stored, distance, thread_count(context), budget) {}
  MemoryBudget budget;
  matching::HammingIndex index;
};

FingerprintIndex::FingerprintIndex(std::span<const std::uint64_t> stored, unsigned distance, const Context& context)
    : impl_(std::make_unique<Impl>(stored, distance, context)) {}
FingerprintIndex::~FingerprintIndex() = default;
FingerprintIndex::FingerprintIndex(FingerprintIndex&&) noexcept = default;
FingerprintIndex& FingerprintIndex::operator=(FingerprintIndex&&) noexcept = default;

void FingerprintIndex::find(std::uint64_t query, std::vector<Match>& out) const {
  impl_->index.find(query, out);
}
FingerprintIndex::Best FingerprintIndex::best(std::uint64_t query) const {
  return impl_->index.best(query);
}
void FingerprintIndex::add(std::uint64_t fingerprint) {
  impl_->index.add(fingerprint);
}
std::size_t FingerprintIndex::size() const {
  return impl_->index.size();
}
unsigned FingerprintIndex::distance() const {
  return impl_->index.distance();
}

}  // namespace refrain
