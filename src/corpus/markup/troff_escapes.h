// The escapes of troff: what stands behind a backslash.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace refrain::corpus {

// Of one page. Its strings (.ds) are short and few: what is past that is not kept. Not thread-safe.
class TroffEscapes {
 public:
  // Appends what `raw`, a line or an argument, shows. False where the line goes on with the next one: it ends in \c, or in
  // a backslash. All strings together add little more than the page has, so that a short page is no long text.
  bool decode(std::string_view raw, std::string& out);

  // A string of the page: \*(name.
  void define(std::string_view name, std::string_view value);

  // Begins another page, of so many bytes.
  void begin(std::size_t page_bytes);

 private:
  void put_string(std::string_view name, std::string& out);

  std::map<std::string, std::string, std::less<>> strings_;
  std::size_t left_ = 0;  // that strings may still add
};

// Without a comment at its end.
std::string_view without_comment(std::string_view line);

// How many blocks begin (\{) in a line, less those that end (\}).
int blocks_begun(std::string_view line);

}  // namespace refrain::corpus
