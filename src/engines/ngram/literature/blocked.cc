// SEQUENCE-BLOCKED TWO-PASS: the repeated hashes stay on disk, sorted, and are read once for every block of the
// sequence that fits in memory. It takes quadratic time, as in the literature.
#include <algorithm>

#include "engines/ngram/literature/literature.h"

namespace refrain::ngram {

namespace {

constexpr unsigned kBlockedBits = 56;

// The file F2: hashes in ascending order, eight bytes each.
class SortedHashes {
 public:
  explicit SortedHashes(TempSpace& temp) : file_(temp) {}
  void append(std::uint64_t hash) {
    buffer_.push_back(hash);
    if (buffer_.size() == kBuffer) flush();
  }
  void flush() {
    file_.append({reinterpret_cast<const char*>(buffer_.data()), buffer_.size() * sizeof(std::uint64_t)});
    buffer_.clear();
  }
  std::uint64_t bytes() const { return file_.size(); }
  // Calls fn(hash) for each hash, in order.
  template <class Fn>
  void for_each(Fn fn) const {
    std::vector<std::uint64_t> hashes(kBuffer);
    for (std::uint64_t at = 0; at < file_.size(); at += hashes.size() * sizeof(std::uint64_t)) {
      hashes.resize(
          static_cast<std::size_t>(std::min<std::uint64_t>(kBuffer, (file_.size() - at) / sizeof(std::uint64_t))));
      file_.read(at, {reinterpret_cast<char*>(hashes.data()), hashes.size() * sizeof(std::uint64_t)});
      for (const std::uint64_t hash : hashes) fn(hash);
    }
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 13U;
  TempFile file_;
  std::vector<std::uint64_t> buffer_;
};

// The buffer B: entries (h, i), and the words of the stretches that contain the locations i, so that s can be read.
struct Buffer {
  struct Entry {
    std::uint64_t hash;
    std::uint64_t position;
    std::size_t words;  // where s begins in `words`
  };
  Buffer(MemoryBudget& budget, std::size_t size)
      : entries(budget, "a block of n-grams (B)"), words(budget, "a block of n-grams (B)"), most(size) {}
  Array<Entry> entries;
  Array<std::uint32_t> words;
  std::size_t most;
};

void intersect(Buffer& buffer, const SortedHashes& repeated, GramFile::Writer& out) {
  std::sort(buffer.entries.begin(), buffer.entries.end(),
            [](const Buffer::Entry& a, const Buffer::Entry& b) { return a.hash < b.hash; });
  const Buffer::Entry* entry = buffer.entries.begin();
  const Buffer::Entry* const end = buffer.entries.end();
  repeated.for_each([&](std::uint64_t hash) {
    while (entry != end && entry->hash < hash) ++entry;
    for (; entry != end && entry->hash == hash; ++entry)
      out.append(buffer.words.data() + entry->words, entry->position);
  });
  buffer.entries.clear();
  buffer.words.clear();
}

}  // namespace

RepeatCost sequence_blocked(const RepeatTask& task) {
  RepeatCost cost;
  SortedHashes repeated(task.temp);
  repeated_hashes(task, kBlockedBits, cost, [&](std::uint64_t hash) { repeated.append(hash); });
  repeated.flush();
  cost.file_bytes[1] = repeated.bytes();
  // B gets half of the memory, including what its arrays may grow by. F3 gets three quarters of the other half.
  Buffer buffer(task.budget, static_cast<std::size_t>(task.budget.available() / 2 / 5 * 4 /
                                                      (sizeof(Buffer::Entry) + sizeof(std::uint32_t) + 1)));
  GramFile file(task, task.grams / 2, task.budget.available() / 8 * 3);
  {
    std::vector<GramFile::Writer> writers = file.writers(1);
    WindowHashes hashes(task.n);
    Context alone = task.context;
    alone.threads = 1;
    ++cost.passes;
    task.sequence.pass(alone, task.budget, "intersect", task.n,
                       [&](unsigned, std::uint64_t position, std::span<const std::uint32_t> words) {
                         const std::span<const std::uint64_t> of = hashes(words);
                         const std::size_t begin = buffer.words.size();
                         buffer.words.append(words);
                         for (std::size_t i = 0; i < of.size(); ++i)
                           buffer.entries.push_back({of[i] >> (64 - kBlockedBits), position + i, begin + i});
                         if (buffer.entries.size() >= buffer.most) intersect(buffer, repeated, writers[0]);
                       });
    intersect(buffer, repeated, writers[0]);
  }
  cost.file_bytes[2] = file.bytes();
  buffer.entries.resize(0);
  buffer.words.resize(0);
  file.coalesce();
  return cost;
}

}  // namespace refrain::ngram
