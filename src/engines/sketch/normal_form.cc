#include "engines/sketch/normal_form.h"

#include <utf8proc.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "refrain/utf8.h"

namespace refrain::sketch {

namespace {

constexpr auto kForm = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                                      UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);

// Appends the normal form of some characters, taken by themselves.
void append_form(std::string_view text, std::string& out) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                              static_cast<utf8proc_ssize_t>(text.size()), &made, kForm);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  if (bytes < 0)
    out += text;
  else
    out.append(reinterpret_cast<const char*>(made), static_cast<std::size_t>(bytes));
}

// Characters that are their own normal form and remain so next to other such characters: most letters and
// punctuation of today's text. A table covers the scripts with few characters, and punctuation.
class Stable {
 public:
  Stable() {
    std::string form;
    for (std::uint32_t c = 0x80; c < kTable; ++c) {
      std::array<char, 4> bytes{};
      const std::string_view text(bytes.data(), encode_utf8(c, bytes.data()));
      form.clear();
      append_form(text, form);
      table_[c] = is_looked_up(c) && form == text &&
                  utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class == 0;
    }
  }
  bool holds(std::uint32_t c) const {
    if (c < kTable) return table_[c];
    return (c >= 0x3041 && c <= 0x3096) || (c >= 0x30A1 && c <= 0x30FA) ||  // kana
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3);    // Han, Hangul
  }

 private:
  static constexpr std::uint32_t kTable = 0x2E80;
  // In the range that is excluded, vowel signs and the like combine with the characters before them.
  static bool is_looked_up(std::uint32_t c) { return c < 0x900 || c >= 0x2000; }

  std::array<bool, kTable> table_{};
};

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

std::string normal_form(std::string_view text) {
  static const Stable stable;
  std::string out;
  out.reserve(text.size());
  for (std::size_t done = 0; done < text.size();) {
    std::size_t begin = done;
    while (begin < text.size() && is_ascii(text[begin])) ++begin;
    out += text.substr(done, begin - done);
    std::size_t end = begin;
    bool is_stable = true;
    while (end < text.size() && !is_ascii(text[end])) {
      const CodePoint c = decode_utf8(text, end);
      is_stable = is_stable && stable.holds(c.value);
      end += c.size;
    }
    if (is_stable) {
      out += text.substr(begin, end - begin);
    } else {
      // A mark combines with the character before it, even if that is ASCII; ASCII never combines with what precedes
      // it.
      if (begin != 0) {
        out.pop_back();
        --begin;
      }
      append_form(text.substr(begin, end - begin), out);
    }
    done = end;
  }
  return out;
}

}  // namespace refrain::sketch
