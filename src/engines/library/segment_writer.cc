#include "engines/library/segment.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/array.h"
#include "base/files/path.h"
#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "engines/library/documents.h"
#include "engines/library/keys.h"
#include "engines/library/names.h"
#include "refrain/error.h"
#include "store/shuffle.h"

namespace refrain::library {

namespace {

constexpr std::size_t kMostKeys = 1 << 22U;  // keys that are encoded at a time
constexpr std::size_t kFewKeys = 1 << 12U;

// A KeyEntry in 12 bytes.
struct ShuffledKey {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t document;
  std::uint64_t key() const { return std::uint64_t{high} << 32U | low; }
  friend bool operator<(const ShuffledKey& a, const ShuffledKey& b) {
    return a.key() != b.key() ? a.key() < b.key() : a.document < b.document;
  }
};
struct KeyOfShuffled {
  std::uint64_t operator()(const ShuffledKey& key) const { return key.key(); }
};
using KeyShuffle = store::Shuffle<ShuffledKey, KeyOfShuffled>;

store::ShuffleOptions shuffle_options(const Layout& layout, std::uint64_t documents, TempSpace& temp) {
  store::ShuffleOptions options;
  options.what = "the keys of the documents";
  options.key_bits = kKeyBits;
  options.expected_records = documents * (1 + layout.bands);
  options.order_values = true;
  options.temp = &temp;
  return options;
}

}  // namespace

struct SegmentWriter::State {
  State(std::filesystem::path into, const Layout& of, std::uint64_t expected_documents, const Context& run,
        MemoryBudget& of_run, TempSpace& space)
      : folder(std::move(into)),
        layout(of),
        context(run),
        budget(of_run),
        temp(space),
        documents(folder, of.lanes, space),
        names(folder, space),
        shuffle(shuffle_options(of, expected_documents, space), of_run),
        keys(shuffle.writer()) {}

  // Adds the keys of a document to the shuffle.
  void add_keys(const NewDocument& document, std::uint64_t number, std::vector<std::uint64_t>& scratch,
                KeyShuffle::Writer& out) const {
    const bool has_signature = !document.signature.empty();
    if (document.signature.size() != (has_signature ? layout.lanes : 0) ||
        document.bands.size() != (has_signature ? layout.bands : 0))
      throw Error(Errc::invalid_argument, "a signature of another length than the library's");
    scratch.clear();
    append_keys(layout, document.digest, document.signature, document.bands, scratch);
    for (const std::uint64_t key : scratch) {
      const std::uint64_t stored = stored_key(key);
      out.add({static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(stored >> 32U),
               static_cast<std::uint32_t>(number)});
    }
  }
  void write_keys(KeysWriter& out);
  void write_alone(std::size_t partition, KeysWriter& out);

  const std::filesystem::path folder;
  const Layout layout;
  const Context context;
  MemoryBudget& budget;
  TempSpace& temp;
  ChunkWriter documents;
  NamesWriter names;
  KeyShuffle shuffle;
  std::optional<KeyShuffle::Writer> keys;
  std::vector<std::uint64_t> document_keys;
};

// Handles as many partitions at a time as fit into part of the memory. They are sorted in parallel, then encoded in
// parallel.
void SegmentWriter::State::write_keys(KeysWriter& out) {
  const std::vector<std::size_t> begins = shuffle.partition_begins();
  const std::size_t room = std::min<std::size_t>(budget.available() / 4 / sizeof(KeyEntry), kMostKeys);
  Array<KeyEntry> entries(budget, "the keys of the documents");
  for (std::size_t first = 0, last = 0; first < shuffle.partitions(); first = last) {
    last = first + 1;
    while (last < shuffle.partitions() && begins[last + 1] - begins[first] <= room) ++last;
    if (begins[last] - begins[first] > room) {
      write_alone(first, out);
      continue;
    }
    entries.resize(begins[last] - begins[first]);
    std::vector<std::size_t> ends(begins.begin() + static_cast<std::ptrdiff_t>(first),
                                  begins.begin() + static_cast<std::ptrdiff_t>(last));  // ends of what was read
    shuffle.drain(context, first, last, ~std::uint64_t{0},
                  [&](unsigned, std::size_t partition, const store::Run<ShuffledKey>& run) {
                    KeyEntry* to = entries.data() + (ends[partition - first] - begins[first]);
                    for (const ShuffledKey& key : run.records) *to++ = {key.key(), key.document};
                    ends[partition - first] += run.records.size();
                  });
    out.add(entries);
  }
}

// Writes a partition that does not fit.
void SegmentWriter::State::write_alone(std::size_t partition, KeysWriter& out) {
  std::vector<KeyEntry> entries;
  Context alone = context;
  alone.threads = 1;
  shuffle.drain(alone, partition, partition + 1, ~std::uint64_t{0},
                [&](unsigned, std::size_t, const store::Run<ShuffledKey>& run) {
                  for (const ShuffledKey& key : run.records) {
                    entries.push_back({key.key(), key.document});
                    if (entries.size() < kFewKeys) continue;
                    out.add(entries);
                    entries.clear();
                  }
                });
  out.add(entries);
}

SegmentWriter::SegmentWriter(const std::filesystem::path& folder, const Layout& layout,
                             std::uint64_t expected_documents, const Context& context, MemoryBudget& budget,
                             TempSpace& temp)
    : state_(std::make_unique<State>(folder, layout, expected_documents, context, budget, temp)) {}

SegmentWriter::~SegmentWriter() = default;

std::uint32_t SegmentWriter::add(const Origin& origin) {
  return state_->names.add(origin);
}

std::uint32_t SegmentWriter::add(const TextFile& file) {
  return state_->names.add(file);
}

std::uint32_t SegmentWriter::add(const Source& source) {
  return state_->names.add(source);
}

void SegmentWriter::add(const NewDocument& document) {
  State& state = *state_;
  state.add_keys(document, state.documents.documents(), state.document_keys, *state.keys);
  state.documents.add(document);
}

void SegmentWriter::add_all(std::uint64_t count,
                            const std::function<void(unsigned, std::uint64_t, NewDocument&)>& fill) {
  State& state = *state_;
  const unsigned threads = thread_count(state.context);
  struct Worker {
    KeyShuffle::Writer keys;
    std::vector<std::uint64_t> scratch;
  };
  std::vector<Worker> workers;
  for (unsigned i = 0; i < threads; ++i) workers.push_back({state.shuffle.writer(), {}});
  Progress progress(state.context, "library", "documents", count);
  struct Encoded {
    std::unique_ptr<Chunk> chunk;
  };
  Relay<Encoded> relay(threads);
  relay.run(
      static_cast<std::size_t>((count + kChunkDocuments - 1) / kChunkDocuments),
      [&](unsigned worker, std::size_t item, Encoded& made) {
        throw_if_stopped(state.context);
        const std::uint64_t first = item * kChunkDocuments;
        const std::uint64_t last = std::min(first + kChunkDocuments, count);
        if (!made.chunk) made.chunk = std::make_unique<Chunk>(state.layout.lanes);
        for (std::uint64_t i = first; i < last; ++i) {
          NewDocument document;
          fill(worker, i, document);
          state.add_keys(document, i, workers[worker].scratch, workers[worker].keys);
          made.chunk->add(document);
        }
        progress.add(last - first);
      },
      [&](std::size_t, Encoded& made) { state.documents.write(*made.chunk); });
  progress.finish();
}

SegmentInfo SegmentWriter::finish() {
  State& state = *state_;
  SegmentInfo info;
  info.files.resize(kSegmentFiles);
  state.documents.finish(info);
  info.files[kNamesFile] = state.names.finish();
  state.keys.reset();
  KeysWriter keys(state.folder, info.documents, state.shuffle.size(), state.context, state.temp);
  state.write_keys(keys);
  info.keys = keys.keys();
  const KeysWriter::Files files = keys.finish();
  info.files[kKeysFile] = files.keys;
  info.files[kFilterFile] = files.filter;
  sync_folder(state.folder);
  return info;
}

}  // namespace refrain::library
