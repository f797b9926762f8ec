// dedup: finds documents with the same text. Digests propose candidates, the bytes decide.
#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/files/file.h"
#include "base/progress.h"
#include "base/threads.h"
#include "store/shuffle.h"
#include "verbs/dedup/find/find.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kBlock = 4096;                           // documents per task of a worker
constexpr std::uint64_t kHeldBytes = std::uint64_t{2} << 20;     // texts that a worker remembers
constexpr std::uint64_t kCompareBytes = std::uint64_t{1} << 20;  // compared at a time in long texts

struct Entry {
  Digest digest;
  std::uint64_t rank;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
struct HighOfEntry {
  std::uint64_t operator()(const Entry& entry) const { return entry.digest.high; }
};

// Compares the texts of two documents. The text of the first one is remembered, because it is likely to be needed
// again.
class TextCompare {
 public:
  explicit TextCompare(DedupRun& run) : texts_(run.texts(), run.dir.work("text_ends")), bytes_(run.texts()) {}

  bool same(DocId head, DocId document) {
    const ByteRange a = texts_.range(head);
    const ByteRange b = texts_.range(document);
    if (a.end - a.begin != b.end - b.begin) return false;
    if (a.end - a.begin > kHeldBytes / 8) return same_long(a, b);
    auto found = heads_.find(head);
    if (found == heads_.end()) {
      if (held_ > kHeldBytes) forget();
      found = heads_.try_emplace(head, texts_.get(head, scratch_)).first;
      held_ += found->second.size() + 64;
    }
    return found->second == texts_.get(document, scratch_);
  }

 private:
  bool same_long(ByteRange a, ByteRange b) {
    std::string one;
    for (std::uint64_t at = 0; at < a.end - a.begin; at += kCompareBytes) {
      const auto size = static_cast<std::size_t>(std::min(kCompareBytes, a.end - a.begin - at));
      one.resize(size);
      scratch_.resize(size);
      bytes_->read(a.begin + at, one);
      bytes_->read(b.begin + at, scratch_);
      if (one != scratch_) return false;
    }
    return true;
  }
  void forget() {
    heads_.clear();
    held_ = 0;
  }

  run::SliceFile texts_;
  std::shared_ptr<const run::StripedFile> bytes_;
  std::unordered_map<DocId, std::string> heads_;
  std::uint64_t held_ = 0;
  std::string scratch_;
};

}  // namespace

void dedup_exact(DedupRun& run) {
  const std::uint64_t count = run.documents();
  Array<DocId> heads(run.budget, "the documents by text", count);
  for (DocId document = 0; document < count; ++document) heads[document] = document;
  std::uint64_t copies = 0;
  if (run.options.exact) {
    const Array<DocState> states = run::load_column<DocState>(run.dir.work("states"), run.budget, "the documents");
    const Ranks ranks = run.ranks();
    const RunOverrides& overrides = run.overrides();
    store::Shuffle<Entry, HighOfEntry> entries({.what = "the documents by text",
                                                .expected_records = count,
                                                .order_values = true,
                                                .temp = &run.temp,
                                                .memory_bytes = run.budget.available() / 2},
                                               run.budget);
    {
      auto writer = entries.writer();
      run::ColumnReader<Digest> digests(run.dir.work("hashes"));
      Digest digest;
      for (DocId document = 0; digests.next(digest); ++document)
        if (states[document] != DocState::bad && !overrides.removes(document))
          writer.add({digest, ranks.rank(document)});
    }
    struct Group {
      Digest digest;
      std::vector<DocId> heads;  // the first document, and those that people told apart from the ones before
    };
    std::vector<Group> groups(run.threads);
    entries.for_each_run(run.context, [&](unsigned worker, std::size_t /*partition*/, const auto& records) {
      Group& group = groups[worker];
      bool first = records.first;
      for (const Entry& entry : records.records) {
        const DocId document = ranks.document(entry.rank);
        if (first || entry.digest != group.digest) {
          group.digest = entry.digest;
          group.heads.clear();
        }
        const auto head =
            overrides.pins(document) ? group.heads.end() : std::ranges::find_if(group.heads, [&](DocId before) {
              return !overrides.separates(before, document);
            });
        if (head != group.heads.end())
          heads[document] = *head;
        else
          group.heads.push_back(document);
        first = false;
      }
    });
    // Compares every copy with its head, in the order of the texts.
    Progress progress(run.context, "exact", "documents", count);
    std::vector<std::unique_ptr<TextCompare>> compares(run.threads);
    std::vector<std::uint64_t> found(run.threads, 0);
    parallel_for(run.threads, static_cast<std::size_t>((count + kBlock - 1) / kBlock),
                 [&](unsigned worker, std::size_t block) {
                   if (!compares[worker]) compares[worker] = std::make_unique<TextCompare>(run);
                   const std::uint64_t end = std::min(count, (block + 1) * kBlock);
                   for (DocId document = block * kBlock; document < end; ++document) {
                     if (heads[document] == document) continue;
                     if (compares[worker]->same(heads[document], document))
                       ++found[worker];
                     else
                       heads[document] = document;
                   }
                   progress.add(end - block * kBlock);
                 });
    progress.finish();
    for (const std::uint64_t some : found) copies += some;
  }
  run::RunFile file = run.dir.create_work("heads");
  file.write_values(std::span<const DocId>(heads.data(), heads.size()));
  run.dir.close(file);
  run.report.matches = copies;
}

}  // namespace refrain::verbs::dedup
