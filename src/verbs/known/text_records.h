// texts/NNNNNN.jsonl in the folder of a library: the documents that a server added, in the order in which it did.
//
// A file of records, a line each, that any reader of JSONL understands (docs/format.md):
//
//   {"texts":1,"checksum":"0123456789abcdef","id":"...","text":"..."}
//
// `texts` is the version; the checksum is that of everything from "id" on to the end of the line, without the line break.
// A segment names such a file as its run, and refers to the texts in it: so a file that no segment and no run of the
// manifest names is one whose documents are still to be taken up. A document that was removed leaves its place:
// {"texts":1,"removed":true} and blanks up to the end of the line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "engines/library/manifest.h"

namespace refrain::verbs::known {

inline constexpr const char* kTextsFolder = "texts";

// "texts/000001.jsonl": its name in the library's folder, and as a run.
std::string texts_name(std::uint64_t number);
// All there are, in order.
std::vector<std::string> all_texts(const std::filesystem::path& library);
// Those that are in no segment yet, in order.
std::vector<std::string> waiting_texts(const std::filesystem::path& library, const library::Manifest& manifest);
// A number that no file has, and none had.
std::uint64_t next_texts_number(const std::filesystem::path& library, const library::Manifest& manifest);

struct TextRecord {
  std::string line;
  std::uint64_t begin = 0;  // of the text in it, as it is stored,
  std::uint64_t bytes = 0;  // and its bytes
};
TextRecord make_text_record(std::string_view id, std::string_view text);

// Goes through the records of a file. Not thread-safe.
class TextRecords {
 public:
  TextRecords(std::filesystem::path path, MemoryBudget& budget);

  struct Record {
    std::string id;
    std::string text;
    std::uint64_t begin = 0;  // of the text in the file, as it is stored,
    std::uint64_t bytes = 0;  // and its bytes
  };
  // False at the end. Those of removed documents are passed over. Error(corrupt) where a record is damaged,
  // Error(unsupported) for another version.
  bool next(Record& record);
  // The same, removed ones included: they have no text, and begin at 0.
  bool next_of_all(Record& record);
  // At the end: bytes of a last record that was cut off, because its writer was killed. Nobody was told that it was added.
  std::uint64_t cut_off() const { return cut_off_; }
  // The line of the last record, without its line break.
  std::string_view line() const { return line_; }

 private:
  bool next_line();
  void read(Record& record) const;

  const std::filesystem::path path_;
  InputFile file_;
  Reservation memory_;
  std::string buffer_;
  std::string_view line_;
  std::size_t at_ = 0;       // of the next line in the buffer
  std::uint64_t place_ = 0;  // of the line in the file
  std::uint64_t next_ = 0;   // of the next
  std::uint64_t cut_off_ = 0;
};

// Records whose texts begin elsewhere than at one of `begins`, which ascend, become those of removed documents. Where there
// are any, the file is replaced as a whole.
void blank_other_texts(const std::filesystem::path& file, std::span<const std::uint64_t> begins, MemoryBudget& budget);

}  // namespace refrain::verbs::known
