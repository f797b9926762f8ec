// Turns the names of files in an archive into names that can be written to a folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace refrain::corpus {

// Remembers the assigned names by their hashes. Two names with the same hash are treated as equal, and the second
// file then gets a number that it would not need. Not thread-safe.
class ArchiveNames {
 public:
  explicit ArchiveNames(MemoryBudget& budget) : reservation_(budget.reserve(0, kWhat)) {}

  // Forgets all names, before another archive is read.
  void clear();

  // Why `name` cannot be written: it is longer or more deeply nested than a file system allows. Empty if it can be
  // written.
  static std::string fault(std::string_view name);

  // Returns the name for a file that the archive calls `name`, which must have no empty parts. Parts that are too
  // long are shortened, a name that was assigned before gets a number, and a folder with the name of a file gets
  // another name.
  std::string give(std::string_view name);

  // Shortens a long name to the maximum size by keeping its beginning and its end.
  static std::string shortened(std::string_view name);

 private:
  struct NameUse {
    bool folder = false;
    std::uint32_t files = 0;  // how many files asked for this name
  };
  NameUse& at(std::string_view name);

  static constexpr std::string_view kWhat = "the names in an archive";

  std::map<std::uint64_t, NameUse> uses_;
  Reservation reservation_;
};

}  // namespace refrain::corpus
