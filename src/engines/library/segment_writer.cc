#include "engines/library/segment_writer.h"

#include <optional>
#include <vector>

#include "base/files/path.h"
#include "base/threads.h"
#include "engines/library/documents.h"
#include "engines/library/ids.h"
#include "engines/library/keys.h"
#include "engines/library/names.h"
#include "refrain/error.h"
#include "store/shuffle.h"

namespace refrain::library {

namespace {

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
        MemoryBudget& budget, TempSpace& space)
      : folder(std::move(into)),
        layout(of),
        context(run),
        temp(space),
        documents(folder, of.lanes, space),
        ids(folder, space),
        names(folder, space),
        shuffle(shuffle_options(of, expected_documents, space), budget),
        keys(shuffle.writer()) {
    context.threads = 1;  // keys come in order
  }

  const std::filesystem::path folder;
  const Layout layout;
  Context context;
  TempSpace& temp;
  DocumentsWriter documents;
  IdsWriter ids;
  NamesWriter names;
  KeyShuffle shuffle;
  std::optional<KeyShuffle::Writer> keys;
  std::vector<std::uint64_t> document_keys;
};

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
  const bool has_signature = !document.signature.empty();
  if (document.signature.size() != (has_signature ? state.layout.lanes : 0) ||
      document.bands.size() != (has_signature ? state.layout.bands : 0))
    throw Error(Errc::invalid_argument, "a signature of another length than the library's");
  const auto number = static_cast<std::uint32_t>(state.documents.documents());
  state.documents.add(document);
  state.ids.add(document.id);
  state.document_keys.clear();
  append_keys(state.layout, document.digest, document.signature, document.bands, state.document_keys);
  for (const std::uint64_t key : state.document_keys) {
    const std::uint64_t stored = stored_key(key);
    state.keys->add({static_cast<std::uint32_t>(stored), static_cast<std::uint32_t>(stored >> 32U), number});
  }
}

SegmentInfo SegmentWriter::finish() {
  State& state = *state_;
  SegmentInfo info;
  info.documents = state.documents.documents();
  info.text_bytes = state.documents.text_bytes();
  info.greatest_rank = state.documents.greatest_rank();
  info.files.resize(kSegmentFiles);
  info.files[kDocumentsFile] = state.documents.finish();
  info.files[kIdsFile] = state.ids.finish();
  info.files[kNamesFile] = state.names.finish();
  state.keys.reset();
  KeysWriter keys(state.folder, info.documents, state.shuffle.size(), state.temp);
  state.shuffle.drain(state.context, 0, state.shuffle.partitions(), ~std::uint64_t{0},
                      [&](unsigned, std::size_t, const store::Run<ShuffledKey>& run) {
                        for (const ShuffledKey& key : run.records) keys.add({key.key(), key.document});
                      });
  info.keys = keys.keys();
  const KeysWriter::Files files = keys.finish();
  info.files[kKeysFile] = files.keys;
  info.files[kFilterFile] = files.filter;
  sync_folder(state.folder);
  return info;
}

}  // namespace refrain::library
