// The text of a manifest: lines of words, the last one a checksum of all lines before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/page_file.h"

namespace refrain::store {

// 32 hexadecimal digits, drawn anew: two folders never have the same.
std::string random_manifest_id();
bool is_manifest_id(std::string_view id);

// "bytes:digest", a word.
std::string file_word(const PageFileId& id);
// `lines`, and the line of their checksum.
std::string with_checksum(const std::string& lines);
// The lines before the last; nothing where the checksum is not theirs.
std::optional<std::string_view> without_checksum(std::string_view text);

// The words of a line, taken one by one. What is not as it should be is Error(corrupt) with `complaint`.
class ManifestWords {
 public:
  ManifestWords(std::string_view line, const std::string& complaint) : rest_(line), complaint_(complaint) {}

  std::string_view word();
  std::uint64_t number() { return parse(word(), 10); }
  PageFileId file();
  template <class Enum>
  Enum name(const std::vector<std::string_view>& names) {
    const auto found = std::find(names.begin(), names.end(), word());
    if (found == names.end()) fail();
    return static_cast<Enum>(found - names.begin());
  }
  std::string_view rest() const { return rest_; }
  void end() const {
    if (!rest_.empty()) fail();
  }
  [[noreturn]] void fail() const;

 private:
  std::uint64_t parse(std::string_view text, int base) const;

  std::string_view rest_;
  const std::string& complaint_;
};

// The lines, taken one by one. `body` outlives this.
class ManifestLines {
 public:
  ManifestLines(std::string_view body, std::string complaint) : body_(body), complaint_(std::move(complaint)) {}

  bool at_end() const { return at_ >= body_.size(); }
  // Whether the next line begins with this word.
  bool next_is(std::string_view key) const;
  // What follows `key` in the next line, which begins with it.
  ManifestWords line(std::string_view key);
  // The one number of such a line.
  std::uint64_t number(std::string_view key);

 private:
  std::string_view body_;
  std::string complaint_;
  std::size_t at_ = 0;
};

}  // namespace refrain::store
