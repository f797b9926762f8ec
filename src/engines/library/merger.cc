#include "engines/library/segment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/files/path.h"
#include "base/threads.h"
#include "engines/library/documents.h"
#include "engines/library/keys.h"
#include "refrain/digest.h"
#include "store/segments/folder.h"

namespace refrain::library {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kStepsPerStopCheck = 1 << 12U;  // steps between two checks of the stop token
constexpr std::size_t kKeysAtOnce = 1 << 16U;           // keys that are encoded at a time
constexpr std::uint64_t kNameBytes = 64;                // approximate memory of a name in the table
constexpr std::uint64_t kNamesAtOnce = 1024;            // names that memory is reserved for at a time
constexpr std::uint32_t kNoName = ~std::uint32_t{0};

// Maps the numbers of a segment's documents to their numbers in the new segment.
class Renumbering {
 public:
  Renumbering(const Segment& segment, std::uint64_t first, MemoryBudget& budget)
      : first_(first), gone_(budget, "the documents of a segment"), before_(budget, "the documents of a segment") {
    const std::vector<bool>& removed = segment.removed->bits();
    live_ = segment.info.documents - segment.info.removed;
    gone_.resize((removed.size() + 63) / 64);
    for (std::uint64_t i = 0; i < removed.size(); ++i)
      if (removed[i]) gone_[i / 64] |= std::uint64_t{1} << i % 64;
    std::uint32_t before = 0;
    for (const std::uint64_t word : gone_) {
      before_.push_back(before);
      before += static_cast<std::uint32_t>(std::popcount(word));
    }
  }

  std::uint64_t live() const { return live_; }
  // Returns nothing if the document was removed.
  std::optional<std::uint32_t> operator[](std::uint32_t document) const {
    std::uint64_t number = first_ + document;
    if (!gone_.empty()) {
      const std::uint64_t word = gone_[document / 64];
      const std::uint64_t bit = std::uint64_t{1} << document % 64;
      if ((word & bit) != 0) return std::nullopt;
      number -= before_[document / 64] + static_cast<std::uint64_t>(std::popcount(word & (bit - 1)));
    }
    return static_cast<std::uint32_t>(number);
  }

 private:
  const std::uint64_t first_;
  std::uint64_t live_ = 0;
  Array<std::uint64_t> gone_;    // one bit per document; empty if none was removed
  Array<std::uint32_t> before_;  // number of removed documents before each word
};

// Collects the origins, files and sources that documents of the new segment refer to, each once.
class MergedNames {
 public:
  MergedNames(const fs::path& folder, MemoryBudget& budget, TempSpace& temp)
      : out_(folder, temp), budget_(budget), memory_(budget.reserve(0, kWhat)) {}

  // Makes the following calls refer to the names of this segment.
  void begin(NamesReader& names) {
    names_ = &names;
    for (std::size_t kind = 0; kind < kNameKinds; ++kind) {
      numbers_[kind].emplace(budget_, kWhat, names.count(static_cast<NameKind>(kind)));
      std::fill(numbers_[kind]->begin(), numbers_[kind]->end(), kNoName);
    }
  }
  std::uint32_t source(std::uint32_t number) {
    return once(kSources, number, [&] {
      Source source;
      names_->get(number, source);
      std::string row = source.name + '\0';
      row.append(reinterpret_cast<const char*>(source.left_out.data()), source.left_out.size() * sizeof(std::uint64_t));
      return number_of(kSources, row, source);
    });
  }
  std::uint32_t file(std::uint32_t number) {
    return once(kFiles, number, [&] {
      TextFile file;
      names_->get(number, file);
      file.origin = origin(file.origin);
      const std::string row = std::to_string(file.origin) + ' ' + std::to_string(file.format) + ' ' + file.path;
      return number_of(kFiles, row, file);
    });
  }
  store::PageFileId finish() { return out_.finish(); }

 private:
  static constexpr const char* kWhat = "the names of files and sources";
  struct HashOfDigest {
    std::size_t operator()(const Digest& digest) const { return digest.low; }
  };

  std::uint32_t origin(std::uint32_t number) {
    return once(kOrigins, number, [&] {
      Origin origin;
      names_->get(number, origin);
      return number_of(kOrigins, std::to_string(origin.name.size()) + ' ' + origin.name + origin.input, origin);
    });
  }
  template <class Find>
  std::uint32_t once(NameKind kind, std::uint32_t number, Find find) {
    Array<std::uint32_t>& numbers = *numbers_[kind];
    if (number >= numbers.size()) names_->file().corrupt("names something that does not exist");
    if (numbers[number] == kNoName) numbers[number] = find();
    return numbers[number];
  }
  // `row` must differ from the rows of all other names of its kind.
  template <class Name>
  std::uint32_t number_of(NameKind kind, const std::string& row, const Name& name) {
    auto& known = known_[kind];
    const auto [found, is_new] = known.try_emplace(digest(row), 0);
    if (is_new) {
      if (known.size() % kNamesAtOnce == 1) memory_.resize(memory_.bytes() + kNamesAtOnce * kNameBytes, kWhat);
      found->second = out_.add(name);
    }
    return found->second;
  }

  NamesWriter out_;
  MemoryBudget& budget_;
  Reservation memory_;
  NamesReader* names_ = nullptr;
  std::array<std::optional<Array<std::uint32_t>>, kNameKinds> numbers_;  // new numbers of the current segment's names
  std::array<std::unordered_map<Digest, std::uint32_t, HashOfDigest>, kNameKinds> known_;
};

// The next entry of a segment's keys, with its document's new number.
struct KeySource {
  std::unique_ptr<KeysCursor> cursor;
  const Renumbering* numbers;
  KeyEntry entry;

  bool next() {
    while (cursor->next(entry)) {
      const std::optional<std::uint32_t> number = (*numbers)[entry.document];
      if (!number) continue;
      entry.document = *number;
      return true;
    }
    return false;
  }
};

class SegmentMerge {
 public:
  SegmentMerge(const fs::path& library, const Layout& layout, std::uint64_t number, const Context& context,
               MemoryBudget& budget, TempSpace& temp)
      : library_(library),
        layout_(layout),
        folder_(store::segment_path(library, number)),
        context_(context),
        budget_(budget),
        temp_(temp) {
    make_folder(folder_);
    merged_.number = number;
    merged_.files.resize(kSegmentFiles);
  }

  SegmentInfo run(std::span<const SegmentInfo> segments) {
    copy_documents(segments);
    merge_keys(segments);
    sync_folder(folder_);
    return std::move(merged_);
  }

 private:
  void copy_documents(std::span<const SegmentInfo> segments) {
    ChunkWriter documents(folder_, layout_.lanes, temp_);
    MergedNames names(folder_, budget_, temp_);
    KnownDocument known;
    for (const SegmentInfo& info : segments) {
      Segment segment(library_, info, layout_.lanes, budget_);
      renumberings_.push_back(std::make_unique<Renumbering>(segment, documents.documents(), budget_));
      names.begin(segment.names);
      for (std::uint64_t i = 0; i < info.documents; ++i) {
        if (i % kStepsPerStopCheck == 0) throw_if_stopped(context_);
        if ((*segment.removed)[i]) continue;
        segment.documents.get(i, known);
        NewDocument document{.id = segment.ids.id(i),
                             .digest = known.digest,
                             .signature = known.signature,
                             .bands = {},
                             .source = names.source(known.source),
                             .place = known.place,
                             .text_bytes = known.text_bytes,
                             .rank = known.rank};
        if (document.place.file != kNoFile) document.place.file = names.file(document.place.file);
        documents.add(document);
      }
    }
    documents.finish(merged_);
    merged_.files[kNamesFile] = names.finish();
  }

  void merge_keys(std::span<const SegmentInfo> segments) {
    const auto is_later = [](const KeySource& a, const KeySource& b) { return b.entry < a.entry; };
    std::vector<KeySource> heap;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      KeySource source{std::make_unique<KeysCursor>(store::segment_path(library_, segments[i].number),
                                                    segments[i].files.at(kKeysFile)),
                       renumberings_[i].get(),
                       {}};
      if (source.cursor->shape().documents != segments[i].documents)
        source.cursor->file().corrupt("not what the manifest says");
      expected += segments[i].keys;
      if (source.next()) heap.push_back(std::move(source));
    }
    std::make_heap(heap.begin(), heap.end(), is_later);
    KeysWriter keys(folder_, merged_.documents, expected, context_, temp_);
    std::vector<KeyEntry> entries;
    entries.reserve(kKeysAtOnce);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), is_later);
      entries.push_back(heap.back().entry);
      if (entries.size() == kKeysAtOnce) {
        keys.add(entries);
        entries.clear();
      }
      if (heap.back().next())
        std::push_heap(heap.begin(), heap.end(), is_later);
      else
        heap.pop_back();
    }
    keys.add(entries);
    merged_.keys = keys.keys();
    const KeysWriter::Files files = keys.finish();
    merged_.files[kKeysFile] = files.keys;
    merged_.files[kFilterFile] = files.filter;
  }

  const fs::path library_;
  const Layout& layout_;
  const fs::path folder_;
  const Context& context_;
  MemoryBudget& budget_;
  TempSpace& temp_;
  SegmentInfo merged_;
  std::vector<std::unique_ptr<Renumbering>> renumberings_;
};

}  // namespace

SegmentInfo merge_segments(const fs::path& library, const Layout& layout, std::span<const SegmentInfo> segments,
                           std::uint64_t number, const Context& context, MemoryBudget& budget, TempSpace& temp) {
  return SegmentMerge(library, layout, number, context, budget, temp).run(segments);
}

}  // namespace refrain::library
