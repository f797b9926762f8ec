// texts/NNNNNN.jsonl in the folder of a library: the documents that a server added, in the order of their addition.
//
// A file of lines, each of which is a JSON object (docs/format.md). A record and a sync mark:
//
//   {"texts":1,"checksum":"0123456789abcdef","id":"...","text":"..."}
//   {"texts":2,"checksum":"0123456789abcdef","synced":"0000000000000000"}
//
// `texts` is the version of the line. The checksum covers everything after it up to the end of the line, without
// the line break. A segment names such a file as its run and refers to the texts in it. So if no segment and no run
// of the manifest names a file, its documents are not yet in a segment. A removed document leaves a line of the
// same length: {"texts":1,"removed":true} and blanks.
//
// A sync mark says that everything before it was on disk before the mark was written; `synced` is its own offset,
// in hexadecimal. A file begins with a mark, and so does every batch of records that is synced together. So damage
// before a mark concerns records that were confirmed as added. After the last mark are records that were being
// written when the power failed; if they cannot be read, they were never confirmed and are dropped. Files of
// earlier versions have no marks; there, all damage counts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "engines/library/layout.h"
#include "refrain/error.h"

namespace refrain::verbs::known {

inline constexpr const char* kTextsFolder = "texts";

// "texts/000001.jsonl": the name of the file in the library's folder, and of its run.
std::string texts_name(std::uint64_t number);
// Returns the names of all files of texts, in order.
std::vector<std::string> text_file_names(const std::filesystem::path& library);
// Returns the names of those that are not yet in a segment, in order.
std::vector<std::string> waiting_texts(const std::filesystem::path& library, const library::Manifest& manifest);
// Returns a number that no file has or had.
std::uint64_t next_texts_number(const std::filesystem::path& library, const library::Manifest& manifest);

struct TextRecord {
  std::string line;
  std::uint64_t begin = 0;  // offset of the stored text in the line
  std::uint64_t bytes = 0;  // length of the stored text
};
TextRecord make_text_record(std::string_view id, std::string_view text);
// Returns the line of a sync mark that is written at `offset`, including its line break.
std::string make_sync_mark(std::uint64_t offset);

// Goes through the lines of a file. Not thread-safe.
class TextRecords {
 public:
  TextRecords(std::filesystem::path path, MemoryBudget& budget);

  struct Record {
    std::string id;
    std::string text;
    std::uint64_t begin = 0;  // offset of the stored text in the file
    std::uint64_t bytes = 0;  // length of the stored text
  };
  // Reads the next record. Returns false at the end. Throws Error(corrupt) if something is damaged that had been on
  // disk, which may be detected only after later records, and Error(unsupported) for another version.
  bool next(Record& record);

  enum class Line { end, record, removed, mark, damaged };
  // Reads the next line of any kind. Does not throw if it is damaged.
  Line next_line(Record& record);
  // The last line, without its line break. If it is damaged, it may be incomplete.
  std::string_view line() const { return line_; }
  std::uint64_t line_bytes() const { return bytes_; }

  struct Damage {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  // Damage to what had been on disk, as far as the lines read so far reveal it; at the end, all of it.
  const std::vector<Damage>& damages() const { return damages_; }
  // At the end: bytes that were being written when the writer was killed or lost power. Their addition was never
  // confirmed.
  std::uint64_t cut_off() const { return cut_off_; }

 private:
  bool read_line();
  Line read(Record& record) const;
  void note_damage();

  const std::filesystem::path path_;
  InputFile file_;
  Reservation memory_;
  std::string buffer_;
  std::string_view line_;
  std::size_t at_ = 0;       // start of the next line in the buffer
  std::uint64_t place_ = 0;  // offset of the line in the file
  std::uint64_t bytes_ = 0;  // length of the line
  std::uint64_t next_ = 0;   // offset of the next line
  bool has_marks_ = false;
  std::vector<Damage> doubtful_;  // damage since the last mark, which counts only if another mark follows
  std::vector<Damage> damages_;
  std::uint64_t cut_off_ = 0;
};

// Returns "path: damaged at byte N; remedy".
std::string damage_text(const std::filesystem::path& file, const TextRecords::Damage& damage);

// Replaces records whose texts begin at none of `begins`, which ascend, by lines of removed documents. If there are
// any, the whole file is replaced.
void blank_other_texts(const std::filesystem::path& file, std::span<const std::uint64_t> begins, MemoryBudget& budget);
// Replaces damaged lines by lines of removed documents. The other lines keep their places.
void blank_damaged_lines(const std::filesystem::path& file, MemoryBudget& budget);

// A growing file of texts: many threads append to it, and one sync serves all threads that wait for one.
//
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
