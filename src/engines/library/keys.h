// keys.bin: which documents have a key. It is one sorted list in self-contained pages (format.h), so looking a key
// up means reading one page.
//
// Within a page, keys use the Elias-Fano code: the low bits of each key as they are, and the differences between
// the high bits in unary. Finding a key means counting zeros in a few words and then comparing low bits.
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

// Returns the bits of a key that are stored.
constexpr std::uint64_t stored_key(std::uint64_t key) {
  return key >> (64 - kKeyBits);
}

struct KeyEntry {
  std::uint64_t key = 0;  // as stored
  std::uint32_t document = 0;
  friend auto operator<=>(const KeyEntry&, const KeyEntry&) = default;
};

// Writes the keys and the filter. Pages are encoded on all cores. Not thread-safe.
class KeysWriter {
 public:
  // `keys` is the expected number of keys; it need not be exact.
  KeysWriter(const std::filesystem::path& folder, std::uint64_t documents, std::uint64_t keys, const Context& context,
             TempSpace& temp);

  // Adds entries in ascending order, preferably many at a time. The output does not depend on how they are split.
  void add(std::span<const KeyEntry> entries);
  std::uint64_t keys() const { return keys_; }
  struct Files {
    store::PageFileId keys;
    store::PageFileId filter;
  };
  Files finish();

 private:
  // Consecutive pages that one worker has encoded.
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
  std::vector<KeyEntry> page_;  // the last page, which may still get entries
  std::uint64_t keys_ = 0;
};

// The contents of the tail of keys.bin.
struct KeysShape {
  explicit KeysShape(const store::PageReader& file);
  std::uint64_t low_bits;
  std::uint64_t document_bits;
  std::uint64_t documents;
  std::uint64_t keys;
  std::uint64_t pages;
};

// A page of keys, in memory that it does not own.
class KeyPage {
 public:
  // Throws Error(corrupt), which names `file`, if `content` cannot be a page.
  KeyPage(std::string_view content, const KeysShape& shape, const store::PageReader& file);

  // A forward iterator over the entries of a page.
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
  // Returns the first entry whose key is `key` or greater.
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

// Goes through all entries in order. Not thread-safe.
class KeysCursor {
 public:
  KeysCursor(const std::filesystem::path& folder, const store::PageFileId& id);
  KeysCursor(const KeysCursor&) = delete;
  KeysCursor& operator=(const KeysCursor&) = delete;

  const KeysShape& shape() const { return shape_; }
  // Returns false at the end.
  bool next(KeyEntry& entry);
  // Returns the page of the last entry.
  std::uint64_t page() const { return page_ - 1; }
  store::PageReader& file() { return file_; }

 private:
  store::PageReader file_;
  KeysShape shape_;
  std::uint64_t page_ = 0;  // the next page
  std::optional<KeyPage> content_;
  std::optional<KeyPage::Position> at_;
};

// Looks keys up. Not thread-safe; each thread needs a copy, and copies share what is in memory.
class KeysReader {
 public:
  // Reserves memory for the first key of every page, or of every few pages if memory is short, and for the filter
  // if there is enough memory.
  KeysReader(const std::filesystem::path& folder, const store::PageFileId& keys, const store::PageFileId& filter,
             MemoryBudget& budget);
  KeysReader(const KeysReader& other);
  KeysReader& operator=(const KeysReader&) = delete;

  const KeysShape& shape() const { return shape_; }
  // Calls found(document) for each document that has the key (as stored), in ascending order, until found() returns
  // false. It is fastest if keys are looked up in ascending order.
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
  // The state that copies share.
  struct Index {
    Index(MemoryBudget& budget, const std::filesystem::path& folder, const store::PageFileId& filter_id,
          const KeysShape& shape, store::NumbersReader& table);
    std::uint64_t step = 1;
    Reservation memory;
    std::vector<std::uint64_t> firsts;  // first keys of every `step`-th page
    std::optional<Filter> filter;
  };
  // Returns the last page whose first key is below `key`, or the first page.
  std::uint64_t page_of(std::uint64_t key);
  std::uint64_t first_key(std::uint64_t page);
  const KeyPage& load(std::uint64_t page);

  store::PageReader file_;
  KeysShape shape_;
  store::NumbersReader firsts_;
  std::shared_ptr<const Index> index_;
  std::uint64_t last_ = 0;    // index in index_->firsts that page_of() found last
  std::uint64_t loaded_ = 0;  // the page in content_
  std::optional<KeyPage> content_;
};

}  // namespace refrain::library
