#include "engines/library/segment.h"

#include <algorithm>

#include "base/array.h"
#include "engines/library/keys.h"
#include "store/segments/folder.h"

namespace refrain::library {

namespace fs = std::filesystem;

Removed::Removed(const fs::path& library, const SegmentInfo& info, MemoryBudget& budget)
    : memory_(budget.reserve(info.removed == 0 ? 0 : info.documents / 8, "the removed documents of the library")),
      bits_(store::read_removed(library, kLibraryKind, info)) {}

Segment::Segment(const fs::path& library, const SegmentInfo& of, unsigned lanes, MemoryBudget& budget)
    : info(of),
      documents(store::segment_path(library, of.number), of.files.at(kDocumentsFile), lanes),
      ids(store::segment_path(library, of.number), of.files.at(kIdsFile), of.documents),
      names(store::segment_path(library, of.number), of.files.at(kNamesFile)),
      removed(std::make_shared<const Removed>(library, of, budget)) {
  if (documents.documents() != of.documents || documents.text_bytes() != of.text_bytes ||
      documents.greatest_rank() != of.greatest_rank)
    documents.file().corrupt("not what the manifest says");
}

namespace {

constexpr std::uint64_t kCheckedAtOnce = std::uint64_t{1} << 16U;  // documents
constexpr std::uint16_t kManyKeys = 0xFFFF;                        // more than any document has

// Checks documents, ids and names against each other and against the manifest.
void check_documents(Segment& segment) {
  std::uint64_t text_bytes = 0;
  std::uint64_t greatest_rank = 0;
  KnownDocument known;
  for (std::uint64_t i = 0; i < segment.info.documents; ++i) {
    segment.documents.get(i, known);
    segment.ids.id(i);
    if (known.source >= segment.names.count(kSources)) segment.documents.file().corrupt("names an unknown source");
    if (known.place.file != kNoFile && known.place.file >= segment.names.count(kFiles))
      segment.documents.file().corrupt("names an unknown file");
    text_bytes += known.text_bytes;
    greatest_rank = std::max(greatest_rank, known.rank);
  }
  if (text_bytes != segment.info.text_bytes || greatest_rank != segment.info.greatest_rank)
    segment.documents.file().corrupt("not what the manifest says");
  Origin origin;
  for (std::uint32_t i = 0; i < segment.names.count(kOrigins); ++i) segment.names.get(i, origin);
  TextFile file;
  for (std::uint32_t i = 0; i < segment.names.count(kFiles); ++i) segment.names.get(i, file);
  Source source;
  for (std::uint32_t i = 0; i < segment.names.count(kSources); ++i) {
    segment.names.get(i, source);
    if (!std::is_sorted(source.left_out.begin(), source.left_out.end()))
      segment.names.file().corrupt("windows out of order");
  }
}

// Checks the keys by themselves: their order, the table of pages, and the filter.
void check_order(const fs::path& folder, const SegmentInfo& info) {
  KeysCursor cursor(folder, info.files.at(kKeysFile));
  const KeysShape& shape = cursor.shape();
  if (shape.documents != info.documents || shape.keys != info.keys) cursor.file().corrupt("not what the manifest says");
  FilterFile filter(folder, info.files.at(kFilterFile), kKeyBits);
  store::NumbersReader firsts(cursor.file(), cursor.file().size() - shape.pages * sizeof(std::uint64_t), shape.pages);
  KeyEntry entry;
  KeyEntry before;
  std::uint64_t page = 0;  // the page after that of the previous entry
  std::uint64_t keys = 0;
  while (cursor.next(entry)) {
    if (keys++ > 0 && entry <= before) cursor.file().corrupt("keys out of order");
    if (cursor.page() == page && firsts[page++] != entry.key) cursor.file().corrupt("first key differs from the table");
    if (!filter.may_hold(entry.key)) cursor.file().corrupt("a key that is not in the filter");
    before = entry;
  }
  if (keys != info.keys) cursor.file().corrupt("not what the manifest says");
}

// Checks the keys against the documents: each document has the right number of keys, including that of its digest.
void check_keys(const fs::path& folder, Segment& segment, const Layout& layout, MemoryBudget& budget) {
  const std::uint64_t room = std::max(budget.available() / 2 / sizeof(std::uint16_t), kCheckedAtOnce);
  const std::uint64_t slice = std::min(std::max<std::uint64_t>(segment.info.documents, 1), room);
  Array<std::uint16_t> counts(budget, "the numbers of keys", slice);
  KeysReader keys(folder, segment.info.files.at(kKeysFile), segment.info.files.at(kFilterFile), budget);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> digests;  // key, document
  KnownDocument known;
  for (std::uint64_t first = 0; first < segment.info.documents; first += slice) {
    const std::uint64_t count = std::min(slice, segment.info.documents - first);
    std::fill(counts.begin(), counts.end(), std::uint16_t{0});
    KeysCursor cursor(folder, segment.info.files.at(kKeysFile));
    for (KeyEntry entry; cursor.next(entry);)
      if (entry.document >= first && entry.document - first < count && counts[entry.document - first] < kManyKeys)
        ++counts[entry.document - first];
    for (std::uint64_t begin = 0; begin < count; begin += kCheckedAtOnce) {
      const std::uint64_t end = std::min(count, begin + kCheckedAtOnce);
      digests.clear();
      for (std::uint64_t i = begin; i < end; ++i) {
        segment.documents.get(first + i, known);
        if (counts[i] != 1 + (known.signature.empty() ? 0 : layout.bands))
          cursor.file().corrupt("another number of keys than a document has");
        digests.emplace_back(stored_key(digest_key(known.digest)), first + i);
      }
      std::sort(digests.begin(), digests.end());
      std::uint64_t last_key = 0;
      std::vector<std::uint32_t> holders;
      for (const auto& [key, document] : digests) {
        if (holders.empty() || key != last_key) {
          holders.clear();
          keys.find(key, [&](std::uint32_t holder) {
            holders.push_back(holder);
            return true;
          });
          last_key = key;
        }
        if (!std::binary_search(holders.begin(), holders.end(), document))
          cursor.file().corrupt("a document is not found by its digest");
      }
    }
  }
}

}  // namespace

void check_segment(const fs::path& library, const SegmentInfo& info, const Layout& layout, MemoryBudget& budget,
                   const std::function<void(std::uint64_t bytes)>& done) {
  Segment segment(library, info, layout.lanes, budget);
  const fs::path folder = store::segment_path(library, info.number);
  for (store::PageReader* file : {&segment.documents.file(), &segment.ids.file(), &segment.names.file()})
    file->check_all(done);
  KeysCursor(folder, info.files.at(kKeysFile)).file().check_all(done);
  FilterFile(folder, info.files.at(kFilterFile), kKeyBits).file().check_all(done);
  check_documents(segment);
  check_order(folder, info);
  check_keys(folder, segment, layout, budget);
}

}  // namespace refrain::library
