// Lists the folders of an input once, and keeps what they contain.
//
// A verb walks its input several times: to recognize it, to estimate what it needs, to identify it, to read it and to
// write it again. With a listing, all of these see the same files, and each folder is listed once.
//
// An entry takes 32 bytes and its name. Folders that are hidden or only reached through links are not listed in
// advance, nor are those that could not be listed; they are listed when they are reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Threads may share one that no longer grows.
class Listing {
 public:
  enum class Kind : std::uint8_t { file, folder, link, pipe, socket, device };
  struct Entry {
    std::uint64_t name = 0;  // offset in the names
    std::uint64_t size = 0;  // of a file; of a folder that is listed: its number, from 1
    std::int64_t modified_seconds = 0;
    std::uint32_t modified_nanoseconds = 0;
    Kind kind = Kind::file;
    bool examined = false;  // a file whose size and modification time are known
  };
  static_assert(sizeof(Entry) == 32);
  // The entries of a folder are consecutive, in byte order of their names.
  struct Folder {
    std::size_t begin;
    std::size_t end;
    std::size_t names_begin;
  };
  // A system call that failed.
  struct Failure {
    const char* call = nullptr;
    int error = 0;
  };

  explicit Listing(MemoryBudget& budget);

  // Lists a folder, without those below it. On failure, appends nothing and returns nullopt.
  std::optional<Folder> append(const std::string& path, Failure& failure);
  // Removes the folder that was appended last.
  void remove(const Folder& folder);
  // Appends a folder that is named as an input, and all below it.
  void append_root(const std::string& path, const Context& context);

  const Entry& operator[](std::size_t entry) const { return entries_[entry]; }
  std::string_view name(const Entry& entry) const { return names_.data() + entry.name; }
  // The folder that is named as an input by `path`, and one that is an entry; nullopt if it is not listed.
  std::optional<Folder> root(const std::string& path) const;
  std::optional<Folder> folder(const Entry& entry) const;
  std::uint64_t bytes() const { return bytes_of(entries_) + bytes_of(names_) + bytes_of(folders_); }

 private:
  template <class T>
  static std::uint64_t bytes_of(const Array<T>& array) {
    return array.size() * sizeof(T);
  }
  void add(int folder, const char* name, unsigned char type);
  std::uint64_t append_tree(const std::string& path, const Context& context);

  Array<Entry> entries_;
  Array<char> names_;
  Array<Folder> folders_;
  std::map<std::string, std::uint64_t, std::less<>> roots_;
};

// Reserves the memory of the input's listing, which was made before the budget.
Reservation reserve_listing(const InputOptions& options, MemoryBudget& budget);

}  // namespace refrain::corpus
