// The texts that a query or an extraction is given: those to search for, and those to leave out.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/index.h"
#include "text/token_hasher.h"

namespace refrain::verbs::index {

// The texts that a query or an extraction is given: some in memory, others in files, which are read here. All of
// them are in memory in full while it runs, and count against its budget.
class GivenTexts {
 public:
  // `what` names the texts in the error that a too small budget causes.
  GivenTexts(MemoryBudget& budget, const std::string& what);

  // Keeps references to the id and the text.
  void add(std::string_view id, std::string_view text);
  // Reads a file, or standard input if the path is "-". Its id is the path, to which a reference is kept. Throws
  // Error(not_found) if there is no such file, Error(io) if it cannot be read, Error(unsupported) if it is compressed,
  // since its bytes would be taken for text, and Error(invalid_argument) if it is larger than 64 MiB.
  void read(const std::string& path, const std::stop_token& stop);

  struct Text {
    std::string_view id;
    std::string_view text;
  };
  std::size_t size() const { return entries_.size(); }
  // The text stays in place until the next read().
  Text operator[](std::size_t i) const;

 private:
  struct Entry {
    std::string_view id;
    std::string_view text;    // if it was added
    std::uint64_t begin = 0;  // in read_, if bytes > 0
    std::uint64_t bytes = 0;
  };

  std::string what_;
  Reservation at_hand_;
  Array<char> read_;
  std::vector<Entry> entries_;
};

// Known texts, such as boilerplate. Passages that lie inside them are not reported.
//
// Threads may share one after it has been constructed.
class ExcludedTexts {
 public:
  // Throws the errors of GivenTexts::read for a file that cannot be used.
  ExcludedTexts(const PassageLimits& limits, const IndexLayout& layout, MemoryBudget& budget,
                const std::stop_token& stop);
  // The same value for the same texts in the same order.
  std::uint64_t hash() const { return hash_; }
  bool empty() const { return windows_.empty(); }
  // Whether nearly all windows (nine in ten) of these tokens occur in the texts.
  bool hold(std::span<const std::uint32_t> tokens) const;

 private:
  void add(std::string_view text, text::TokenHasher& hasher, MemoryBudget& budget);
  template <class Visit>
  void for_each_window(std::span<const std::uint32_t> tokens, Visit visit) const;

  unsigned window_;
  std::uint64_t hash_ = 0;
  Array<std::uint64_t> windows_;  // sorted
};

}  // namespace refrain::verbs::index
