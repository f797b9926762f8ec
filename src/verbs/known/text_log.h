// A growing file of texts (text_records.h): many threads append to it, and one sync serves all threads that wait
// for one.
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

// A sync mark precedes each batch of records that are synced together.
//
// Thread-safe. After a write or sync has failed, the log accepts nothing more: everything appended since the last
// sync is cut off the file, as far as the disk allows, and can no longer be read.
class TextLog {
 public:
  // Creates a file of that name in the library's folder.
  TextLog(const std::filesystem::path& library, std::string name);

  const std::string& name() const { return name_; }
  // Returns the record's offset. It can be read at once, but is on disk only after sync(). Throws the log's
  // failure, if any.
  std::uint64_t append(std::string_view record);
  // Returns once everything before `end` is on disk. Throws the log's failure, unless that part was on disk before.
  void sync(std::uint64_t end);
  std::string read(std::uint64_t begin, std::uint64_t bytes) const;

  std::uint64_t end() const;      // of everything that was appended
  std::uint64_t durable() const;  // of what is on disk
  bool failed() const;

 private:
  void write_waiting(std::unique_lock<std::mutex>& lock);

  const std::string name_;
  AppendFile file_;
  const RandomFile reader_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;        // appended, but not yet being written
  std::string writing_;        // currently being written
  std::uint64_t durable_ = 0;  // end of what is on disk; writing_ begins there, then waiting_
  bool syncing_ = false;
  std::optional<Error> failure_;
};

}  // namespace refrain::verbs::known
