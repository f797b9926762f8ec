// A file of texts (text_records.h) that grows: many threads append, and one sync serves all that wait for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/append_file.h"
#include "base/files/random_file.h"
#include "refrain/error.h"

namespace refrain::verbs::known {

// Thread-safe. Once it has failed it takes nothing more: what was appended since the last sync is taken off the file, as far
// as the disk lets that happen, and is not there.
class TextLog {
 public:
  // A new file of that name in the library's folder.
  TextLog(const std::filesystem::path& library, std::string name);

  const std::string& name() const { return name_; }
  // Returns its place. It is read from then on, but is on the disk only after sync(). Throws what it failed with.
  std::uint64_t append(std::string_view record);
  // Returns once all before `end` is on the disk. Throws what the log failed with, unless it was there before.
  void sync(std::uint64_t end);
  std::string read(std::uint64_t begin, std::uint64_t bytes) const;

  std::uint64_t end() const;      // of all that was appended
  std::uint64_t durable() const;  // of what is on the disk
  bool failed() const;

 private:
  void write_waiting(std::unique_lock<std::mutex>& lock);

  const std::string name_;
  AppendFile file_;
  const RandomFile reader_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;        // appended, not yet given to the disk
  std::string writing_;        // what is being given to it
  std::uint64_t durable_ = 0;  // writing_ begins there, then waiting_
  bool syncing_ = false;
  std::optional<Error> failure_;
};

}  // namespace refrain::verbs::known
