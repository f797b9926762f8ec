// Documents that were added and are in no segment yet: found by their keys, as those of a library are, in memory.
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
#include "engines/library/layout.h"
#include "verbs/known/templates.h"
#include "verbs/known/text_log.h"
#include "verbs/known/text_sketch.h"

namespace refrain::verbs::seen {

struct RecentDocument {
  std::string id;
  std::string source;
  std::shared_ptr<const known::SourceTemplate> left_out = {};  // of its source; null: there is none
  Digest digest = {};
  std::vector<std::uint8_t> signature = {};
  std::vector<std::uint32_t> bands = {};
  std::uint64_t begin = 0;  // of its text in the log, as it is stored,
  std::uint64_t bytes = 0;  // and its bytes
  std::uint64_t text_bytes = 0;
  std::uint64_t end = 0;  // of its record
};

// The documents of one log, in order. One thread at a time adds, or looks for keys; a document that is there may be read
// meanwhile.
class Recent {
 public:
  // Room for so many documents, and no more, is taken at once.
  Recent(std::uint64_t most, const library::Layout& layout, MemoryBudget& budget, const std::filesystem::path& library,
         std::string log_name);

  // What so many take.
  static std::uint64_t memory_bytes(std::uint64_t documents, const library::Layout& layout);

  known::TextLog& log() { return log_; }
  // It takes no more: it has no room, or its log has grown long, or has failed.
  bool closed() const;
  std::uint32_t size() const { return static_cast<std::uint32_t>(documents_.size()); }
  const RecentDocument& operator[](std::uint32_t i) const { return *documents_[i]; }

  void add(std::unique_ptr<const RecentDocument> document, std::span<const std::uint64_t> keys);
  // Documents from `first` on that have the key, in order: appended to `found`. Of one key no more than `most` are looked at.
  void find(std::uint64_t key, std::uint32_t first, std::size_t most, std::vector<std::uint32_t>& found) const;

 private:
  // Places are numbered from 1; 0: there is none. So memory that is fresh from the system is a table that is empty.
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
  Reservation memory_;  // of all but the table
  std::vector<std::unique_ptr<const RecentDocument>> documents_;
  std::uint64_t name_bytes_ = 0;  // of ids and sources
  Array<Slot> slots_;             // a power of two, at most half of them taken
  Array<Place> places_;
};

}  // namespace refrain::verbs::seen
