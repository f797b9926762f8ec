// What stands between the records of a file of JSON values, when some of them are left out: an array stays an array.
//
// A record goes with the comma and the white space before it, or, if nothing before it in its array is left, with those
// behind it. Brackets stay, and so does whatever else stands there, such as a bad record, which counts as one that is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "corpus/formats/json_values.h"

namespace refrain::corpus {

// A file at a time, from its beginning to its end, in pieces of any size. Not thread-safe.
class JsonList {
 public:
  using Sink = std::function<void(std::string_view)>;

  // All that is to be written, but the records, goes to `sink`.
  explicit JsonList(Sink sink) : sink_(std::move(sink)) {}

  void begin_file();
  // Bytes that belong to no record, or to a bad one.
  void between(std::string_view bytes);
  // A record comes next: it is kept, and to be written after this call, or left out.
  void keep();
  void drop();
  void end_file();

 private:
  std::size_t take_object(std::string_view bytes);

  Sink sink_;
  std::string held_;      // blanks and commas since the last record or bracket
  std::string lead_;      // those before the first record of an array, if that was left out
  bool kept_ = false;     // something of the array is left
  bool dropped_ = false;  // something of it was left out before that
  bool inside_ = false;   // a bad record
  JsonScanner scanner_;   // of that
};

}  // namespace refrain::corpus
