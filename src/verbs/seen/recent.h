// Holds in memory the newest commit of the library, and the documents that came since.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/threads.h"
#include "engines/library/layout.h"
#include "engines/library/reader.h"
#include "verbs/known/judgement.h"
#include "verbs/known/rules.h"
#include "verbs/known/text_records.h"

namespace refrain::verbs::seen {

// One commit of the library, shared by many threads.
//
// Thread-safe.
class Snapshot {
 public:
  // Opens the newest commit. Templates that `before` has read are not read again; it may be null.
  Snapshot(const std::filesystem::path& library, const Snapshot* before, MemoryBudget& budget)
      : first_(library, budget), templates_(first_, before == nullptr ? nullptr : &before->templates_, budget) {}

  const library::Manifest& manifest() const { return first_.manifest(); }
  const known::Templates& templates() const { return templates_; }

  struct LentReader {
    std::unique_ptr<library::Reader> reader;
    bool may_be_kept() const { return true; }
  };
  // Lends a reader to one thread. It must be returned during the snapshot's lifetime.
  std::shared_ptr<LentReader> lend() const {
    return readers_.take([&] { return std::make_unique<LentReader>(LentReader{first_.clone()}); });
  }

 private:
  library::Reader first_;
  const known::Templates templates_;
  mutable Pool<LentReader> readers_;
};

// Documents that were added but are in no segment yet, found by their keys in memory, as those of a library are on
// disk.

struct RecentDocument {
  std::string id;
  std::string source;
  std::shared_ptr<const known::SourceTemplate> left_out = {};  // template of its source; null: there is none
  Digest digest = {};
  std::vector<std::uint8_t> signature = {};
  std::vector<std::uint32_t> bands = {};
  std::uint64_t begin = 0;  // offset of the stored text in the log
  std::uint64_t bytes = 0;  // length of the stored text
  std::uint64_t text_bytes = 0;
  std::uint64_t end = 0;  // end of its record
};

// The documents of one log, in order. Only one thread at a time may add documents or find keys, but documents that
// are already there may be read meanwhile.
class Recent {
 public:
  // Reserves memory for `most` documents; it never holds more.
  Recent(std::uint64_t most, const library::Layout& layout, MemoryBudget& budget, const std::filesystem::path& library,
         std::string log_name);

  // The memory that this number of documents takes.
  static std::uint64_t memory_bytes(std::uint64_t documents, const library::Layout& layout);

  known::TextLog& log() { return log_; }
  // Whether it accepts no more documents: it is full, or its log is too long or has failed.
  bool closed() const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(documents_.size()); }
  const RecentDocument& operator[](std::uint32_t i) const { return *documents_[i]; }

  void add(std::unique_ptr<const RecentDocument> document, std::span<const std::uint64_t> keys);
  // Appends to `found`, in order, the documents from `first` on that have the key. At most `most` documents of the
  // key are examined.
  void find(std::uint64_t key, std::uint32_t first, std::size_t most, std::vector<std::uint32_t>& found) const;

 private:
  // Places are numbered from 1, and 0 means none, so memory fresh from the system is an empty table.
  struct Slot {
    std::uint64_t key;
    std::uint32_t first;
    std::uint32_t last;
  };
  struct Place {
    std::uint32_t document;
    std::uint32_t next;
  };
  static std::uint64_t document_bytes(const library::Layout& layout);
  std::size_t slot_of(std::uint64_t key) const;

  const std::uint64_t most_;
  known::TextLog log_;
  Reservation memory_;  // everything except the table
  std::vector<std::unique_ptr<const RecentDocument>> documents_;
  std::uint64_t name_bytes_ = 0;  // total size of ids and sources
  Array<Slot> slots_;             // a power of two, at most half of them used
  Array<Place> places_;
};

}  // namespace refrain::verbs::seen
