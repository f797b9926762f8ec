// JSON that is not in lines: an array of records, or records one after the other, each over as many lines as it likes.
//
// A record is an object; what stands around records (brackets, commas, white space) only keeps them apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refrain::corpus {

// Finds the ends of records in a file that comes in chunks.
class JsonScanner {
 public:
  // The offset behind the last record that ends in `bytes`, or npos. All of `bytes` is taken.
  std::size_t last_end(std::string_view bytes);
  // The same for the first one; what is behind it is not taken.
  std::size_t first_end(std::string_view bytes);

 private:
  std::size_t next_end(std::string_view bytes, std::size_t at);

  std::size_t depth_ = 0;  // of braces
  bool in_string_ = false;
  bool escaped_ = false;
};

// How the records of a file of JSON are laid out, by its first bytes.
enum class JsonLayout {
  none,     // no records: a single value without the field, or no JSON
  lines,    // an object a line, or nothing at all
  values,   // JsonScanner's, or an empty array
  unknown,  // the first object goes on, and has not had the field yet
};
// `field`: a file with a single object is a record if it has this field, or none is given. `all`: there is no more than `beginning`.
JsonLayout json_layout(std::string_view beginning, std::string_view field, bool all);

}  // namespace refrain::corpus
