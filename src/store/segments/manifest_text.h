// The text of a manifest: lines of words. The last line is a checksum of all lines before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/page_file.h"

namespace refrain::store {

// 32 random hexadecimal digits: no two folders have the same.
std::string random_manifest_id();
bool is_manifest_id(std::string_view id);

// The word "bytes:digest".
std::string file_word(const PageFileId& id);
// Returns `lines` with the line of their checksum appended.
std::string with_checksum(const std::string& lines);
// Returns the lines before the last; nothing if the checksum does not match.
std::optional<std::string_view> without_checksum(std::string_view text);

// Takes the words of a line one by one. Anything unexpected throws Error(corrupt) with the message `complaint`, which
// must outlive this object.
class ManifestWords {
 public:
  ManifestWords(std::string_view line, const std::string& complaint) : rest_(line), error_message_(complaint) {}

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
  const std::string& error_message_;
};

// Takes the lines one by one. `body` must outlive this object.
class ManifestLines {
 public:
  ManifestLines(std::string_view body, std::string complaint) : body_(body), error_message_(std::move(complaint)) {}

  bool at_end() const { return at_ >= body_.size(); }
  // Whether the next line begins with this word.
  bool next_is(std::string_view key) const;
  // Takes the next line, which must begin with `key`, and returns the words after that.
  ManifestWords line(std::string_view key);
  // Takes such a line, which must have a single number.
  std::uint64_t number(std::string_view key);

 private:
  std::string_view body_;
  std::string error_message_;
  std::size_t at_ = 0;
};

}  // namespace refrain::store
