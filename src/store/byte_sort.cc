#include "store/byte_sort.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <utility>

#include "base/threads.h"

namespace refrain::store {

namespace {

constexpr std::size_t kHeadBytes = 8;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::size_t kWriteBytes = std::size_t{256} << 10;

struct Head {
  std::uint32_t key;
  std::uint32_t value;
};
static_assert(sizeof(Head) == kHeadBytes);

Head load_head(const char* at) {
  Head head;
  std::memcpy(&head, at, sizeof head);
  return head;
}

void append_record(std::string& out, std::string_view key, std::string_view value) {
  const Head head{static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
  out.append(reinterpret_cast<const char*>(&head), sizeof head);
  out += key;
  out += value;
}

}  // namespace

// Reads the records of a run, one after the other.
class ByteSort::RunReader {
 public:
  explicit RunReader(Run run) : run_(std::move(run)) { next(); }

  bool done() const { return done_; }
  std::string_view key() const { return {buffer_.data() + at_ + kHeadBytes, head_.key}; }
  std::string_view value() const { return {key().data() + head_.key, head_.value}; }

  void next() {
    at_ += size_;
    if (run_.records == 0) {
      done_ = true;
      return;
    }
    --run_.records;
    need(kHeadBytes);
    head_ = load_head(buffer_.data() + at_);
    size_ = kHeadBytes + std::size_t{head_.key} + head_.value;
    need(size_);
  }

 private:
  // Makes sure that the buffer has at least `bytes` from at_ on.
  void need(std::size_t bytes) {
    const std::size_t have = buffer_.size() - at_;
    if (have >= bytes) return;
    buffer_.erase(0, at_);
    at_ = 0;
    const std::uint64_t more = std::min<std::uint64_t>(std::max(kReadBytes, bytes) - have, run_.file.size() - read_);
    buffer_.resize(have + more);
    run_.file.read(read_, {buffer_.data() + have, more});
    read_ += more;
  }

  Run run_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  std::uint64_t read_ = 0;
  Head head_{};
  bool done_ = false;
};

ByteSort::ByteSort(ByteSortOptions options, MemoryBudget& budget, TempSpace& temp)
    : options_(std::move(options)),
      temp_(temp),
      bytes_(budget, options_.what),
      spare_(budget, options_.what),
      offsets_(budget, options_.what) {}

std::string_view ByteSort::key_at(std::uint64_t offset) const {
  return {bytes_.data() + offset + kHeadBytes, load_head(bytes_.data() + offset).key};
}

std::uint64_t ByteSort::buffered() const {
  return bytes_.size() + offsets_.size() * sizeof(std::uint64_t);
}

void ByteSort::add(std::string_view key, std::string_view value) {
  if (!wants(key)) return;
  const std::size_t size = kHeadBytes + key.size() + value.size();
  make_room(size + sizeof(std::uint64_t));
  offsets_.push_back(bytes_.size());
  const Head head{static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
  bytes_.append(std::span(reinterpret_cast<const char*>(&head), sizeof head));
  bytes_.append(std::span(key.data(), key.size()));
  bytes_.append(std::span(value.data(), value.size()));
}

// Arrays grow by a quarter, and trimming copies the records that are kept, so a third of the memory is for records.
void ByteSort::make_room(std::size_t bytes) {
  if (offsets_.empty() || buffered() + bytes <= options_.memory_bytes / 3) return;
  sort();
  trim();
  if (buffered() > options_.memory_bytes / 6) spill();
}

void ByteSort::sort() {
  std::sort(offsets_.begin(), offsets_.end(), [&](std::uint64_t a, std::uint64_t b) { return key_at(a) < key_at(b); });
}

void ByteSort::trim() {
  if (offsets_.size() < options_.limit || options_.limit == 0) return;
  offsets_.resize(options_.limit);
  bound_ = key_at(offsets_[offsets_.size() - 1]);
  have_bound_ = true;
  spare_.clear();
  for (std::uint64_t& offset : offsets_) {
    const Head head = load_head(bytes_.data() + offset);
    const std::uint64_t moved = spare_.size();
    spare_.append(std::span(static_cast<const char*>(bytes_.data()) + offset, kHeadBytes + head.key + head.value));
    offset = moved;
  }
  std::swap(bytes_, spare_);
}

void ByteSort::spill() {
  temp_.expect(bytes_.size(), options_.what);
  Run run{TempFile(temp_), offsets_.size()};
  std::string buffer;
  for (const std::uint64_t offset : offsets_) {
    const Head head = load_head(bytes_.data() + offset);
    buffer.append(bytes_.data() + offset, kHeadBytes + std::size_t{head.key} + head.value);
    if (buffer.size() < kWriteBytes) continue;
    run.file.append(buffer);
    buffer.clear();
  }
  run.file.append(buffer);
  runs_.push_back(std::move(run));
  bytes_.clear();
  offsets_.clear();
}

template <class Emit_>
void ByteSort::merge(const Context& context, std::vector<Run> runs, Emit_ emit) {
  std::vector<std::unique_ptr<RunReader>> readers;
  for (Run& run : runs) readers.push_back(std::make_unique<RunReader>(std::move(run)));
  const auto later = [](const RunReader* a, const RunReader* b) { return b->key() < a->key(); };
  std::priority_queue<RunReader*, std::vector<RunReader*>, decltype(later)> queue(later);
  for (const auto& reader : readers)
    if (!reader->done()) queue.push(reader.get());
  for (std::uint64_t done = 0; !queue.empty() && done < options_.limit; ++done) {
    if (done % 4096 == 0) throw_if_stopped(context);
    RunReader* first = queue.top();
    queue.pop();
    emit(first->key(), first->value());
    first->next();
    if (!first->done()) queue.push(first);
  }
}

void ByteSort::drain(const Context& context, const Emit& emit) {
  if (options_.limit == 0) return;
  sort();
  if (runs_.empty()) {
    for (std::size_t i = 0; i < offsets_.size() && i < options_.limit; ++i) {
      if (i % 4096 == 0) throw_if_stopped(context);
      const Head head = load_head(bytes_.data() + offsets_[i]);
      const std::string_view key = key_at(offsets_[i]);
      emit(key, {key.data() + key.size(), head.value});
    }
    return;
  }
  if (!offsets_.empty()) spill();
  bytes_.resize(0);
  spare_.resize(0);
  offsets_.resize(0);
  // Merges as many runs at a time as there is memory for reading.
  const std::size_t most = std::max<std::size_t>(2, options_.memory_bytes / (4 * kReadBytes));
  while (runs_.size() > most) {
    std::vector<Run> merged;
    for (std::size_t begin = 0; begin < runs_.size(); begin += most) {
      const std::size_t end = std::min(begin + most, runs_.size());
      std::vector<Run> some;
      std::uint64_t bytes = 0;
      for (std::size_t i = begin; i < end; ++i) {
        bytes += runs_[i].file.size();
        some.push_back(std::move(runs_[i]));
      }
      temp_.expect(bytes, options_.what);
      Run run{TempFile(temp_), 0};
      std::string buffer;
      merge(context, std::move(some), [&](std::string_view key, std::string_view value) {
        append_record(buffer, key, value);
        ++run.records;
        if (buffer.size() < kWriteBytes) return;
        run.file.append(buffer);
        buffer.clear();
      });
      run.file.append(buffer);
      merged.push_back(std::move(run));
    }
    runs_ = std::move(merged);
  }
  merge(context, std::exchange(runs_, {}), emit);
}

}  // namespace refrain::store
