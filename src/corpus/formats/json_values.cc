#include "corpus/formats/json_values.h"

#include <algorithm>

namespace refrain::corpus {

namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// The object that a text begins with, as far as the text extends.
struct FirstObject {
  std::size_t size = kNowhere;  // npos: the object does not end
  bool has_field = false;
  bool broken = false;  // over several lines
};

FirstObject look_at(std::string_view text, std::string_view field) {
  FirstObject found;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t begin = at + 1;
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      if (at >= text.size()) return found;
      const std::size_t behind = text.find_first_not_of(" \t\r\n", at + 1);
      const bool key = behind != kNowhere && text[behind] == ':';
      if (key && depth == 1 && text.substr(begin, at - begin) == field) found.has_field = true;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '\n') found.broken = true;
    if ((c == '}' || c == ']') && --depth == 0) {
      found.size = at + 1;
      return found;
    }
  }
  return found;
}

}  // namespace

// Scans from bytes[at] to the brace that ends a record and returns the offset after it; npos if there is none.
std::size_t JsonScanner::next_end(std::string_view bytes, std::size_t at) {
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (c == '\\')
        escaped_ = true;
      else if (c == '"')
        in_string_ = false;
    } else if (c == '"') {
      in_string_ = depth_ > 0;  // a quote between records opens no string, so that damage stays local
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && depth_ > 0 && --depth_ == 0) {
      return at + 1;
    }
  }
  return kNowhere;
}

std::size_t JsonScanner::last_end(std::string_view bytes) {
  std::size_t last = kNowhere;
  for (std::size_t end = next_end(bytes, 0); end != kNowhere; end = next_end(bytes, end)) last = end;
  return last;
}

std::size_t JsonScanner::first_end(std::string_view bytes) {
  return next_end(bytes, 0);
}

// If `bytes` are longer than a record may be, the text before the record becomes a piece of its own.
std::size_t JsonListScanner::text_before(std::string_view bytes) const {
  if (bytes.size() <= most_bytes_) return 0;
  const std::size_t begin = bytes.find('{');
  return begin <= most_bytes_ ? begin : 0;
}

bool JsonListScanner::too_long(std::string_view bytes, std::size_t& held) {
  if (!RecordScanner::too_long(bytes, held)) return false;
  between_ = !bytes.starts_with('{');
  if (between_) {
    held = std::min(bytes.find('{'), held);
    scanner_ = {};  // the next record is scanned again from its beginning
  }
  return true;
}

std::size_t JsonListScanner::first_end(std::string_view bytes, std::size_t& /*held*/) {
  return between_ ? bytes.find('{') : scanner_.first_end(bytes);
}

JsonLayout json_layout(std::string_view beginning, std::string_view field, bool all) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (beginning.starts_with(kByteOrderMark)) beginning.remove_prefix(kByteOrderMark.size());
  const auto skip = [&](std::string_view what) {
    beginning.remove_prefix(std::min(beginning.find_first_not_of(what), beginning.size()));
  };
  skip(kBlanks);
  const bool array = beginning.starts_with('[');
  if (array) beginning.remove_prefix(1);
  skip(kBlanks);
  // All records of a file of lines may have been removed, and an empty file is left.
  if (beginning.empty() && all && !array) return JsonLayout::lines;
  if (array && beginning.starts_with(']')) return JsonLayout::values;
  if (!beginning.starts_with('{')) return JsonLayout::none;
  if (array) return JsonLayout::values;
  const FirstObject first = look_at(beginning, field);
  const bool is_record = first.has_field || field.empty();
  if (first.size == kNowhere && !is_record) return all ? JsonLayout::none : JsonLayout::unknown;
  if (first.size == kNowhere) return first.broken ? JsonLayout::values : JsonLayout::lines;
  beginning.remove_prefix(first.size);
  skip(kBlanks);
  const bool more = !beginning.empty() || !all;
  if (!more && !is_record) return JsonLayout::none;
  return first.broken ? JsonLayout::values : JsonLayout::lines;
}

}  // namespace refrain::corpus
