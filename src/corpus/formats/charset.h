// Converts text from other character sets to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/array.h"

namespace refrain::corpus {

// The charset of a page, from the first of these that determines it: a byte order mark, `declared` (which may be
// empty), a <meta> tag if `html`, valid UTF-8, a guess. In lower case.
std::string charset_of(std::string_view bytes, std::string_view declared, bool html);

// Guesses the charset of bytes that are not UTF-8 from the frequencies of byte values: one of the character sets of
// Russian, Chinese, Japanese and Korean, or windows-1252 if the bytes do not look like any of these.
std::string guessed_charset(std::string_view bytes);

// The usual name of a charset, for reports: all aliases read as windows-1252 get that name, all UTF-16 is "utf-16".
std::string charset_name(const std::string& charset);

// Converts texts to UTF-8. Converters stay open between texts: iconv loads a library to open a converter and unloads
// it soon after the last one is closed, which takes far longer than to convert a short text. Not thread-safe.
class CharsetConverter {
 public:
  CharsetConverter() = default;
  CharsetConverter(const CharsetConverter&) = delete;
  CharsetConverter& operator=(const CharsetConverter&) = delete;
  ~CharsetConverter();

  // Converts `bytes` to UTF-8 in `out`. Bytes that are not a character become U+FFFD, and their number is added to
  // `replaced`. Returns false if the charset is unknown. `grow` is called with the new size before more memory is
  // allocated.
  bool to_utf8(std::string_view bytes, const std::string& charset, const std::function<void(std::size_t)>& grow,
               Array<char>& out, std::uint64_t& replaced);

 private:
  bool from_iconv(std::string_view bytes, const std::string& charset, Array<char>& out, std::uint64_t& replaced);

  std::map<std::string, void*> open_;  // the first charsets that occurred
  std::string buffer_;
};

// The charset that a byte order mark at the beginning names: "utf-8", "utf-16le" and so on; empty if there is none.
std::string marked_charset(std::string_view bytes);

// Converts a stream to UTF-8, part by part, and omits the byte order mark.
class Recoder {
 public:
  // Throws Error(invalid_argument) if the charset is unknown.
  explicit Recoder(const std::string& charset);
  ~Recoder();
  Recoder(const Recoder&) = delete;
  Recoder& operator=(const Recoder&) = delete;

  // Appends `bytes` to `out` as UTF-8. A character may be split between two calls.
  void recode(std::string_view bytes, bool last, std::string& out);

  // The number of characters that became U+FFFD so far.
  std::uint64_t replaced() const { return replaced_; }

 private:
  void* handle_;
  const std::size_t unit_;  // number of bytes to skip if they are not a character
  bool begun_ = false;
  std::uint64_t replaced_ = 0;
  std::string rest_;  // the beginning of a character
};

// Whether text in this charset needs no conversion.
bool is_utf8(const std::string& charset);

}  // namespace refrain::corpus
