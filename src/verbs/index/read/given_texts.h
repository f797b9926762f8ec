// The texts that a query or an extraction is given: some at hand, some in files, which are read here. All of them are in
// memory as wholes while it runs, and count against its budget.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::verbs::index {

class GivenTexts {
 public:
  // `what` names the texts in the message that a too small budget gives.
  GivenTexts(MemoryBudget& budget, const std::string& what);

  // Id and text are referred to.
  void add(std::string_view id, std::string_view text);
  // A file, or standard input where the path is "-"; the path, which is referred to, is its id. Error(not_found) where it
  // cannot be read, Error(unsupported) where it is packed and would be taken for noise, Error(invalid_argument) where it
  // is above 64 MiB.
  void read(const std::string& path, const std::stop_token& stop);

  struct Text {
    std::string_view id;
    std::string_view text;
  };
  std::size_t size() const { return entries_.size(); }
  // The text stays where it is until something is read.
  Text operator[](std::size_t i) const;

 private:
  struct Entry {
    std::string_view id;
    std::string_view text;    // at hand;
    std::uint64_t begin = 0;  // else in read_
    std::uint64_t bytes = 0;
  };

  std::string what_;
  Reservation at_hand_;
  Array<char> read_;
  std::vector<Entry> entries_;
};

}  // namespace refrain::verbs::index
