// The text of a manifest: lines of words. The last line is a checksum of all lines before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/page_file.h"
#include "store/segments/folder.h"

namespace refrain::store {

// How the manifest of every kind begins.
struct ManifestHead {
  // 32 random hexadecimal digits, drawn when the folder is created, so that no two share them. Empty in indexes of
  // manifest version 1; the next commit sets it.
  std::string id;
  std::uint64_t generation = 0;
  std::uint64_t next_segment = 1;
};

std::string random_manifest_id();
// Identifies a state of a folder among all states of all folders. `text` is its manifest.
std::string identity_of(const ManifestHead& head, std::string_view text);

// The word "bytes:digest".
std::string file_word(const PageFileId& id);
// The first lines.
std::string head_lines(const SegmentKind& kind, std::uint64_t version, const ManifestHead& head);
// The line about the removed documents of a segment; empty if there are none.
std::string removed_line(const SegmentHead& segment);
// Returns `lines` with the line of their checksum appended.
std::string with_checksum(const std::string& lines);

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

// Takes the lines one by one.
class ManifestLines {
 public:
  // `text` must outlive this object; `path` is for messages. Throws Error(corrupt) if the checksum does not match,
  // Error(invalid_argument) for a manifest of the other kind, and Error(unsupported) for a version that this build does
  // not read.
  ManifestLines(const SegmentKind& kind, std::string_view text, const std::string& path);

  std::uint64_t version() const { return version_; }
  // Takes the lines after the first. Only an index of version 1 has no id.
  void take_head(bool has_id, ManifestHead& head);
  // Takes the line about the removed documents of the segment, if it comes next.
  void take_removed(SegmentHead& segment);
  [[noreturn]] void damaged() const;

  bool at_end() const { return at_ >= body_.size(); }
  // Whether the next line begins with this word.
  bool next_is(std::string_view key) const;
  // Takes the next line, which must begin with `key`, and returns the words after that.
  ManifestWords line(std::string_view key);
  // Takes such a line, which must have a single number.
  std::uint64_t number(std::string_view key);

 private:
  std::string_view body_;
  std::string damaged_;
  std::string error_message_;
  std::uint64_t version_ = 0;
  std::size_t at_ = 0;
};

}  // namespace refrain::store
