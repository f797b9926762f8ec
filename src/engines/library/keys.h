// keys.bin: which documents have a key. One sorted list, in pages that stand for themselves (format.h), so that to look a
// key up is to read one page.
//
// In a page keys are stored as Elias and Fano did: the low bits of each as they are, the rest as the gaps between them, in
// unary. To find a key is to count zeros in a few words, and then to compare low bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "engines/library/filter.h"
#include "engines/library/format.h"
#include "refrain/context.h"
#include "store/bits.h"
#include "store/page_file.h"
#include "store/segments/numbers.h"

namespace refrain::library {

// The bits of a key that are stored.
constexpr std::uint64_t stored_key(std::uint64_t key) {
  return key >> (64 - kKeyBits);
}

struct KeyEntry {
  std::uint64_t key = 0;  // as stored
  std::uint32_t document = 0;
  friend auto operator<=>(const KeyEntry&, const KeyEntry&) = default;
};

// Writes the filter too. Pages are encoded on all cores. Not thread-safe.
class KeysWriter {
 public:
  // `keys` is how many there will be, or about so many.
  KeysWriter(const std::filesystem::path& folder, std::uint64_t documents, std::uint64_t keys, const Context& context,
             TempSpace& temp);

  // In ascending order; many at a time. What is written does not depend on how many.
  void add(std::span<const KeyEntry> entries);
  std::uint64_t keys() const { return keys_; }
  struct Files {
    store::PageFileId keys;
    store::PageFileId filter;
  };
  Files finish();

 private:
  // Pages made side by side.
  struct Encoded {
    std::string pages;
    std::vector<std::uint64_t> firsts;
    FilterPart filter;
  };
  bool fits(const KeyEntry& first, std::uint64_t count, const KeyEntry& last) const;
  void encode(std::span<const KeyEntry> page, Encoded& made) const;
  void write(const Encoded& made);
  void end_page();

  const Context context_;
  store::PageWriter out_;
  FilterWriter filter_;
  const std::uint64_t documents_;
  const unsigned document_bits_;
  const unsigned low_bits_;
  store::NumbersWriter firsts_;
  std::vector<KeyEntry> page_;  // the last, which more entries may go into
  std::uint64_t keys_ = 0;
};

// What the tail of keys.bin says.
struct KeysShape {
  explicit KeysShape(const store::PageReader& file);
  std::uint64_t low_bits;
  std::uint64_t document_bits;
  std::uint64_t documents;
  std::uint64_t keys;
  std::uint64_t pages;
};

// A page of keys, in memory that is somebody else's.
class KeyPage {
 public:
  // Error(corrupt), in the name of `file`, where it cannot be a page.
  KeyPage(std::string_view content, const KeysShape& shape, const store::PageReader& file);

  // An entry of the page, or its end. Goes forwards.
  class Position {
   public:
    bool at_end() const { return entry_ == page_->count_; }
    KeyEntry operator*() const;
    void operator++();

   private:
    friend class KeyPage;
    Position(const KeyPage& page, std::uint64_t zeros, std::uint64_t bit);
    void take_high();

    const KeyPage* page_;
    std::uint64_t entry_;
    std::uint64_t high_;
    store::BitReader highs_;
  };
  Position begin() const { return Position(*this, 0, 0); }
  // The first entry of `key`, or of a greater one.
  Position lower_bound(std::uint64_t key) const;
  std::uint64_t first() const { return first_; }

 private:
  const KeysShape* shape_;
  const store::PageReader* file_;
  std::uint64_t first_;
  std::uint64_t count_;
  std::string_view lows_;
  std::string_view documents_;
  std::string_view highs_;
};

// Goes through all entries, in order. Not thread-safe.
class KeysCursor {
 public:
  KeysCursor(const std::filesystem::path& folder, const store::PageFileId& id);
  KeysCursor(const KeysCursor&) = delete;
  KeysCursor& operator=(const KeysCursor&) = delete;

  const KeysShape& shape() const { return shape_; }
  // False at the end.
  bool next(KeyEntry& entry);
  // Of the last entry.
  std::uint64_t page() const { return page_ - 1; }
  store::PageReader& file() { return file_; }

 private:
  store::PageReader file_;
  KeysShape shape_;
  std::uint64_t page_ = 0;  // the next
  std::optional<KeyPage> content_;
  std::optional<KeyPage::Position> at_;
};

// Looks keys up. Not thread-safe; a copy is for another thread, and shares what is in memory.
class KeysReader {
 public:
  // Takes memory for the first key of every page, or of every few pages where there is little, and for the filter where
  // there is plenty.
  KeysReader(const std::filesystem::path& folder, const store::PageFileId& keys, const store::PageFileId& filter,
             MemoryBudget& budget);
  KeysReader(const KeysReader& other);
  KeysReader& operator=(const KeysReader&) = delete;

  const KeysShape& shape() const { return shape_; }
  // Calls found(document) for each that has the key (as stored), in ascending order, until it returns false. Fastest where
  // one key is looked up after the other, in ascending order.
  template <class Found>
  void find(std::uint64_t key, Found found) {
    if (shape_.pages == 0 || (index_->filter && !index_->filter->may_hold(key))) return;
    for (std::uint64_t page = page_of(key);;) {
      KeyPage::Position at = load(page).lower_bound(key);
      for (; !at.at_end(); ++at) {
        const KeyEntry entry = *at;
        if (entry.key != key || !found(entry.document)) return;
      }
      if (++page == shape_.pages || first_key(page) > key) return;
    }
  }
  std::uint64_t bytes_read() const { return file_.bytes_read() + firsts_.bytes_read(); }

 private:
  // What copies share.
  struct Index {
    Index(MemoryBudget& budget, const std::filesystem::path& folder, const store::PageFileId& filter_id,
          const KeysShape& shape, store::NumbersReader& table);
    std::uint64_t step = 1;
    Reservation memory;
    std::vector<std::uint64_t> firsts;  // of every `step` pages
    std::optional<Filter> filter;
  };
  // The last page whose first key is below `key`, or the first page.
  std::uint64_t page_of(std::uint64_t key);
  std::uint64_t first_key(std::uint64_t page);
  const KeyPage& load(std::uint64_t page);

  store::PageReader file_;
  KeysShape shape_;
  store::NumbersReader firsts_;
  std::shared_ptr<const Index> index_;
  std::uint64_t last_ = 0;    // where page_of() found the last key in index_->firsts
  std::uint64_t loaded_ = 0;  // the page in content_
  std::optional<KeyPage> content_;
};

}  // namespace refrain::library
