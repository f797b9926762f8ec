// From the character set of a web page to UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"

namespace refrain::corpus {

// What a page is written in, by its first bytes, what was said of it (`declared`; may be empty), what it says of itself
// in a <meta> tag, where it is `html`, or else UTF-8 where it is that, and what is guessed. In lower case.
std::string charset_of(std::string_view bytes, std::string_view declared, bool html);

// What bytes are in that are not UTF-8, by which of them are frequent: one of the character sets of Russian, Chinese,
// Japanese and Korean, or windows-1252 where they do not look like those.
std::string guessed_charset(std::string_view bytes);

// The usual name of a charset, for whoever is told: all that is read as windows-1252 is that, all UTF-16 is "utf-16".
std::string charset_name(const std::string& charset);

// Puts `bytes` into `out` as UTF-8; what the character set has no character for becomes U+FFFD. False where it is not
// known. `grow` is called before more memory is taken, with how much it will be. Adds to `replaced`, which may be null,
// how many characters became U+FFFD.
bool to_utf8(std::string_view bytes, const std::string& charset, const std::function<void(std::size_t)>& grow,
             Array<char>& out, std::uint64_t* replaced = nullptr);

// What the byte order mark at the beginning says: "utf-8", "utf-16le" and so on; empty where there is none.
std::string marked_charset(std::string_view bytes);

// The same as to_utf8(), part by part, without the byte order mark of what is UTF-16 or UTF-32.
class Recoder {
 public:
  // Error(invalid_argument) where the charset is not known.
  explicit Recoder(const std::string& charset);
  ~Recoder();
  Recoder(const Recoder&) = delete;
  Recoder& operator=(const Recoder&) = delete;

  // Puts `bytes` behind `out`. A character may be divided between two calls.
  void recode(std::string_view bytes, bool last, std::string& out);

  // Characters that became U+FFFD so far.
  std::uint64_t replaced() const { return replaced_; }

 private:
  void* handle_;
  const std::size_t unit_;  // bytes that are passed over where they are no character
  bool begun_ = false;
  std::uint64_t replaced_ = 0;
  std::string rest_;  // the beginning of a character
};

// Whether text in this character set is UTF-8 as it stands.
bool is_utf8(const std::string& charset);

}  // namespace refrain::corpus
