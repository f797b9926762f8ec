#include "corpus/markup/troff_escapes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "corpus/markup/glyphs.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxArgumentBytes = 256;
constexpr std::size_t kMaxStrings = 1000;
constexpr std::size_t kMaxStringBytes = 256;
constexpr std::size_t kStringsAddBytes = std::size_t{64} << 10;

// Escapes that show nothing. Each list is for one way of taking arguments.
constexpr std::string_view kNothing = "&)/,%:!?{}^|zudrpa";
constexpr std::string_view kNamed = "fFmMgkVYOn$";          // x, (xx or [name]
constexpr std::string_view kDelimited = "hvwlLDbxXZABRSH";  // 'argument'

struct Predefined {
  std::string_view name;
  std::string_view text;
};
constexpr Predefined kPredefined[] = {
    {"lq", "“"}, {"rq", "”"}, {"Tm", "™"},   {"R", "®"},   {"S", ""},     {"HF", ""},  {"Aq", "'"}, {"q", "\""},
    {"Lq", "“"}, {"Rq", "”"}, {"L\"", "“"},  {"R\"", "”"}, {"C+", "C++"}, {"--", "-"}, {"PI", "π"}, {"Pi", "π"},
    {"<=", "≤"}, {">=", "≥"}, {"Le", "≤"},   {"Ge", "≥"},  {"Lt", "<"},   {"Gt", ">"}, {"Ne", "≠"}, {"Am", "&"},
    {"Pm", "±"}, {"If", "∞"}, {"Na", "NaN"}, {"Ba", "|"},  {"ua", "↑"},   {"aa", "´"}, {"ga", "`"}, {"U", "\""},
    {"C'", ""},  {"C`", ""},  {"Q", "“"},    {"-", "—"},
};

// Removes a name as written in escapes, x, (xx or [name], and returns it.
std::string_view take_name(std::string_view& raw) {
  if (raw.empty()) return {};
  std::size_t begin = 0;
  std::size_t size = 1;
  std::size_t all = 1;
  if (raw.front() == '(') {
    begin = 1;
    size = std::min<std::size_t>(2, raw.size() - 1);
    all = size + 1;
  } else if (raw.front() == '[') {
    const std::size_t end = raw.substr(0, kMaxNameBytes).find(']');
    if (end != std::string_view::npos) {
      begin = 1;
      size = end - 1;
      all = end + 1;
    }
  }
  const std::string_view name = raw.substr(begin, size);
  raw.remove_prefix(all);
  return name;
}

// Removes an argument between two equal characters and returns it. Empty if it does not end.
std::string_view take_delimited(std::string_view& raw) {
  if (raw.empty()) return {};
  const std::size_t end = raw.substr(0, kMaxArgumentBytes).find(raw.front(), 1);
  if (end == std::string_view::npos) return {};
  const std::string_view argument = raw.substr(1, end - 1);
  raw.remove_prefix(end + 1);
  return argument;
}

// Removes the size after \s: one or two digits, with a sign, (xx, [name] or 'argument'.
void take_size(std::string_view& raw) {
  const auto take_sign = [&] {
    if (raw.starts_with('+') || raw.starts_with('-')) raw.remove_prefix(1);
  };
  take_sign();
  if (raw.starts_with('(') || raw.starts_with('[')) {
    take_name(raw);
  } else if (raw.starts_with('\'')) {
    take_delimited(raw);
  } else if (!raw.empty() && is_digit(raw.front())) {
    // Only 10 to 39 have two digits: a larger first digit is the whole size.
    const bool two = raw.size() > 1 && raw[0] >= '1' && raw[0] <= '3' && is_digit(raw[1]);
    raw.remove_prefix(two ? 2 : 1);
  }
}

}  // namespace

std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('\\'); at != std::string_view::npos; at = line.find('\\', at + 2))
    if (const std::string_view next = line.substr(at + 1); next.starts_with('"') || next.starts_with('#'))
      return line.substr(0, at);
  return line;
}

int blocks_begun(std::string_view line) {
  int blocks = 0;
  for (std::size_t at = line.find('\\'); at != std::string_view::npos; at = line.find('\\', at + 2)) {
    const std::string_view next = line.substr(at + 1);
    blocks += (next.starts_with('{') ? 1 : 0) - (next.starts_with('}') ? 1 : 0);
  }
  return blocks;
}

void TroffEscapes::begin(std::size_t page_bytes) {
  strings_.clear();
  left_ = page_bytes + kStringsAddBytes;
}

void TroffEscapes::define(std::string_view name, std::string_view value) {
  if (strings_.size() >= kMaxStrings || name.size() > kMaxNameBytes || value.size() > kMaxStringBytes) return;
  if (value.starts_with('"')) value.remove_prefix(1);  // the quote preserves white space
  std::string text;
  decode(value, text);
  if (text.size() <= kMaxStringBytes) strings_[std::string(name)] = std::move(text);
}

void TroffEscapes::put_string(std::string_view name, std::string& out) {
  std::string_view text;
  if (const auto found = strings_.find(name); found != strings_.end()) {
    text = found->second;
  } else {
    const auto* const known = std::find_if(std::begin(kPredefined), std::end(kPredefined),
                                           [&](const Predefined& row) { return row.name == name; });
    if (known != std::end(kPredefined)) text = known->text;
  }
  if (may_add(text.size())) out += text;
}

bool TroffEscapes::may_add(std::size_t bytes) {
  if (bytes > left_) return false;
  left_ -= bytes;
  return true;
}

bool TroffEscapes::decode(std::string_view raw, std::string& out) {
  while (true) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    out += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (raw.empty()) return true;
    if (raw.size() == 1) return false;
    const char kind = raw[1];
    raw.remove_prefix(2);
    const auto is_one_of = [&](std::string_view kinds) { return kinds.find(kind) != std::string_view::npos; };
    if (is_one_of(kNothing)) continue;
    if (kind == '(') {
      out += glyph(raw.substr(0, 2));
      raw.remove_prefix(std::min<std::size_t>(2, raw.size()));
    } else if (kind == '[') {
      const std::size_t end = raw.substr(0, kMaxNameBytes).find(']');
      if (end == std::string_view::npos) continue;
      out += glyph(raw.substr(0, end));
      raw.remove_prefix(end + 1);
    } else if (kind == '*') {
      put_string(take_name(raw), out);
    } else if (is_one_of(kNamed)) {
      if (kind == 'n' && (raw.starts_with('+') || raw.starts_with('-'))) raw.remove_prefix(1);
      take_name(raw);
    } else if (kind == 's') {
      take_size(raw);
    } else if (is_one_of(kDelimited)) {
      take_delimited(raw);
    } else if (kind == 'o') {
      out += take_delimited(raw);
    } else if (kind == 'C') {
      out += glyph(take_delimited(raw));
    } else if (kind == 'N') {
      out += glyph("char" + std::string(take_delimited(raw)));
    } else if (kind == '"' || kind == '#') {
      return kind == '"';
    } else if (kind == 'c') {
      return false;
    } else if (kind == '~' || kind == ' ' || kind == '0') {
      out += ' ';
    } else {
      out += kind == 'e' ? '\\' : kind == 't' ? '\t' : kind;
    }
  }
}

}  // namespace refrain::corpus
