// Reads JSON in place, one value after another, and builds no tree: parsing takes only the memory of the strings that
// it returns, which are never longer than the JSON they were written as.
//
// No request needs nested values, so they can only be skipped. The exception is lists, whose items the caller reads one
// by one.
#pragma once

#include <string>
#include <string_view>

namespace refrain::server {

// Not thread-safe. Every function first skips white space, and throws Failure(400, "bad_json") if the text is not JSON.
class JsonReader {
 public:
  // `text` must outlive this. Throws Failure(400, "bad_json") if it is not UTF-8. Error messages begin with `where`,
  // such as "line 3: ".
  explicit JsonReader(std::string_view text, std::string where = {});

  // The next character after white space; NUL at the end of the text.
  char peek();
  // If `sign` comes next, skips it and returns true.
  bool skip(char sign);
  void expect(char sign);
  void expect_end();

  // Reads a string and returns it decoded.
  std::string string();
  // Reads a number and returns its characters, as a view of the text.
  std::string_view number();
  bool boolean();
  // Skips a value of any kind. Values in it may be nested 1024 deep.
  void skip_value();

  [[noreturn]] void fail(std::string_view what) const;

 private:
  const char* end_of_string() const;
  const char* append_escape(const char* at, std::string& out) const;
  unsigned hexadecimal(const char* at) const;
  bool skip_word(std::string_view word);
  void skip_key();
  void skip_scalar();

  const char* at_;
  const char* const end_;
  const std::string where_;
};

// Reads an object, and calls `read(key)` for each of its fields. `read` must read the value.
template <class Read>
void read_fields(JsonReader& in, Read read) {
  if (in.peek() != '{') in.fail("must be an object");
  in.expect('{');
  if (in.skip('}')) return;
  do {
    if (in.peek() != '"') in.fail("not JSON: a key is missing");
    const std::string key = in.string();
    in.expect(':');
    if (in.peek() == '\0') in.fail("not JSON: a value is missing");
    read(key);
  } while (in.skip(','));
  in.expect('}');
}

}  // namespace refrain::server
