// Writes what is between the records of a file of JSON values when some records are dropped, so that an array stays
// valid.
//
// A record is dropped with the comma and the white space before it or, if nothing before it in its array is kept, with
// those after it. Brackets are kept, and so is any other text there, such as a bad record, which counts as a kept one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "corpus/formats/json_values.h"

namespace refrain::corpus {

// Handles one file at a time, from its beginning to its end, in pieces of any size. Not thread-safe.
class JsonList {
 public:
  using Sink = std::function<void(std::string_view)>;

  // Everything to be written, except the records, goes to `sink`.
  explicit JsonList(Sink sink) : sink_(std::move(sink)) {}

  void begin_file();
  // Bytes that belong to no record, or to a bad one.
  void between(std::string_view bytes);
  // The next record is kept, and the caller writes it after this call, or it is dropped.
  void keep();
  void drop();
  void end_file();

 private:
  std::size_t take_object(std::string_view bytes);

  Sink sink_;
  std::string held_;      // blanks and commas since the last record or bracket
  std::string lead_;      // those before the first record of an array, if that was dropped
  bool kept_ = false;     // something in the array was kept
  bool dropped_ = false;  // something in it was dropped before that
  bool inside_ = false;   // inside a bad record
  JsonScanner scanner_;   // of the bad record
};

}  // namespace refrain::corpus
