// The escapes of troff: sequences that begin with a backslash.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace refrain::corpus {

// The escapes of one page. It keeps a limited number of short strings (.ds) and ignores others. Not thread-safe.
class TroffEscapes {
 public:
  // Appends the text that `raw`, a line or an argument, shows. False if the next line continues it, because it ends
  // in \c or a backslash. All strings together add little more than the size of the page, so that a short page cannot
  // become a long text.
  bool decode(std::string_view raw, std::string& out);

  // Whether text of this size, which the page only refers to, may be added. If so, it is counted like a string.
  bool may_add(std::size_t bytes);

  // Defines a string of the page: \*(name.
  void define(std::string_view name, std::string_view value);

  // Begins another page, of the given size.
  void begin(std::size_t page_bytes);

 private:
  void put_string(std::string_view name, std::string& out);

  std::map<std::string, std::string, std::less<>> strings_;
  std::size_t left_ = 0;  // how many bytes strings may still add
};

// The line without a comment at its end.
std::string_view without_comment(std::string_view line);

// The number of blocks that begin (\{) in a line, minus those that end (\}).
int blocks_begun(std::string_view line);

}  // namespace refrain::corpus
