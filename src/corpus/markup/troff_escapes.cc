#include "corpus/markup/troff.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

using Glyph = std::pair<std::string_view, std::string_view>;

// clang-format off
constexpr Glyph kGlyphs[] = {
    {"!=", "≠"}, {"%0", "‰"}, {"'A", "Á"}, {"'C", "Ć"}, {"'E", "É"}, {"'I", "Í"}, {"'O", "Ó"}, {"'U", "Ú"},
    {"'Y", "Ý"}, {"'a", "á"}, {"'c", "ć"}, {"'e", "é"}, {"'i", "í"}, {"'o", "ó"}, {"'u", "ú"}, {"'y", "ý"},
    {"**", "∗"}, {"*A", "Α"}, {"*B", "Β"}, {"*C", "Ξ"}, {"*D", "Δ"}, {"*E", "Ε"}, {"*F", "Φ"}, {"*G", "Γ"},
    {"*H", "Θ"}, {"*I", "Ι"}, {"*K", "Κ"}, {"*L", "Λ"}, {"*M", "Μ"}, {"*N", "Ν"}, {"*O", "Ο"}, {"*P", "Π"},
    {"*Q", "Ψ"}, {"*R", "Ρ"}, {"*S", "Σ"}, {"*T", "Τ"}, {"*U", "Υ"}, {"*W", "Ω"}, {"*X", "Χ"}, {"*Y", "Η"},
    {"*Z", "Ζ"}, {"*a", "α"}, {"*b", "β"}, {"*c", "ξ"}, {"*d", "δ"}, {"*e", "ε"}, {"*f", "φ"}, {"*g", "γ"},
    {"*h", "θ"}, {"*i", "ι"}, {"*k", "κ"}, {"*l", "λ"}, {"*m", "μ"}, {"*n", "ν"}, {"*o", "ο"}, {"*p", "π"},
    {"*q", "ψ"}, {"*r", "ρ"}, {"*s", "σ"}, {"*t", "τ"}, {"*u", "υ"}, {"*w", "ω"}, {"*x", "χ"}, {"*y", "η"},
    {"*z", "ζ"}, {"+-", "±"}, {"+e", "ε"}, {"+f", "φ"}, {"+h", "ϑ"}, {"+p", "ϖ"}, {",C", "Ç"}, {",c", "ç"},
    {"-", "-"}, {"-+", "∓"}, {"->", "→"}, {"-D", "Ð"}, {"-h", "ℏ"}, {".i", "ı"}, {".j", "ȷ"}, {"/L", "Ł"},
    {"/O", "Ø"}, {"/l", "ł"}, {"/o", "ø"}, {"12", "½"}, {"14", "¼"}, {"34", "¾"}, {"3d", "∴"}, {":A", "Ä"},
    {":E", "Ë"}, {":I", "Ï"}, {":O", "Ö"}, {":U", "Ü"}, {":Y", "Ÿ"}, {":a", "ä"}, {":e", "ë"}, {":i", "ï"},
    {":o", "ö"}, {":u", "ü"}, {":y", "ÿ"}, {"<-", "←"}, {"<=", "≤"}, {"<>", "↔"}, {"==", "≡"}, {"=~", "≅"},
    {">=", "≥"}, {"AE", "Æ"}, {"AN", "∧"}, {"Ah", "ℵ"}, {"Bq", "„"}, {"CL", "♣"}, {"CR", "↵"}, {"Cs", "¤"},
    {"DI", "♦"}, {"Do", "$"}, {"Eu", "€"}, {"Fc", "»"}, {"Fi", "ffi"}, {"Fl", "ffl"}, {"Fn", "ƒ"}, {"Fo", "«"},
    {"HE", "♥"}, {"IJ", "Ĳ"}, {"Im", "ℑ"}, {"OE", "Œ"}, {"OK", "✓"}, {"OR", "∨"}, {"Of", "ª"}, {"Om", "º"},
    {"Po", "£"}, {"Re", "ℜ"}, {"S1", "¹"}, {"S2", "²"}, {"S3", "³"}, {"SP", "♠"}, {"Sd", "ð"}, {"TP", "Þ"},
    {"Tp", "þ"}, {"Ye", "¥"}, {"^A", "Â"}, {"^E", "Ê"}, {"^I", "Î"}, {"^O", "Ô"}, {"^U", "Û"}, {"^a", "â"},
    {"^e", "ê"}, {"^i", "î"}, {"^o", "ô"}, {"^u", "û"}, {"`A", "À"}, {"`E", "È"}, {"`I", "Ì"}, {"`O", "Ò"},
    {"`U", "Ù"}, {"`a", "à"}, {"`e", "è"}, {"`i", "ì"}, {"`o", "ò"}, {"`u", "ù"}, {"a\"", "˝"}, {"a-", "¯"},
    {"a.", "˙"}, {"a^", "^"}, {"aa", "´"}, {"ab", "˘"}, {"ac", "¸"}, {"ad", "¨"}, {"ae", "æ"}, {"ah", "ˇ"},
    {"an", "―"}, {"ao", "˚"}, {"ap", "∼"}, {"aq", "'"}, {"at", "@"}, {"a~", "~"}, {"ba", "|"}, {"bb", "¦"},
    {"bq", "‚"}, {"br", "|"}, {"bu", "•"}, {"bv", "|"}, {"c*", "⊗"}, {"c+", "⊕"}, {"ca", "∩"}, {"ci", "○"},
    {"co", "©"}, {"cq", "’"}, {"ct", "¢"}, {"cu", "∪"}, {"dA", "⇓"}, {"da", "↓"}, {"dd", "‡"}, {"de", "°"},
    {"dg", "†"}, {"di", "÷"}, {"dq", "\""}, {"em", "—"}, {"en", "–"}, {"eq", "="}, {"es", "∅"}, {"eu", "€"},
    {"fa", "∀"}, {"fc", "›"}, {"ff", "ff"}, {"fi", "fi"}, {"fl", "fl"}, {"fm", "′"}, {"fo", "‹"}, {"ga", "`"},
    {"gr", "∇"}, {"hA", "⇔"}, {"ha", "^"}, {"ho", "˛"}, {"hy", "-"}, {"ib", "⊆"}, {"if", "∞"}, {"ij", "ĳ"},
    {"integral", "∫"}, {"ip", "⊇"}, {"is", "∫"}, {"lA", "⇐"}, {"lB", "["}, {"lC", "{"}, {"la", "⟨"}, {"lh", "☜"},
    {"lq", "“"}, {"lz", "◊"}, {"mc", "µ"}, {"md", "⋅"}, {"mi", "−"}, {"mo", "∈"}, {"mu", "×"}, {"nb", "⊄"},
    {"nc", "⊅"}, {"ne", "≢"}, {"nm", "∉"}, {"no", "¬"}, {"oA", "Å"}, {"oa", "å"}, {"oe", "œ"}, {"oq", "‘"},
    {"or", "|"}, {"pc", "·"}, {"pd", "∂"}, {"pl", "+"}, {"product", "∏"}, {"ps", "¶"}, {"pt", "∝"}, {"r!", "¡"},
    {"r?", "¿"}, {"rA", "⇒"}, {"rB", "]"}, {"rC", "}"}, {"ra", "⟩"}, {"rg", "®"}, {"rh", "☞"}, {"rq", "”"},
    {"rs", "\\"}, {"ru", "_"}, {"sb", "⊂"}, {"sc", "§"}, {"sd", "″"}, {"sh", "#"}, {"sl", "/"}, {"sp", "⊃"},
    {"sq", "□"}, {"sr", "√"}, {"ss", "ß"}, {"sum", "∑"}, {"t+-", "±"}, {"tdi", "÷"}, {"te", "∃"}, {"tf", "∴"},
    {"ti", "~"}, {"tm", "™"}, {"tmu", "×"}, {"tno", "¬"}, {"ts", "ς"}, {"uA", "⇑"}, {"ua", "↑"}, {"ul", "_"},
    {"vA", "⇕"}, {"vC", "Č"}, {"vS", "Š"}, {"vZ", "Ž"}, {"va", "↕"}, {"vc", "č"}, {"vs", "š"}, {"vz", "ž"},
    {"wp", "℘"}, {"~=", "≈"}, {"~A", "Ã"}, {"~N", "Ñ"}, {"~O", "Õ"}, {"~a", "ã"}, {"~n", "ñ"}, {"~o", "õ"},
    {"~~", "≈"},
};
// clang-format on

constexpr bool by_name(const Glyph& a, const Glyph& b) {
  return a.first < b.first;
}
static_assert(std::is_sorted(std::begin(kGlyphs), std::end(kGlyphs), by_name));

// The number that `digits` represent; 0 if they are not all digits.
std::uint32_t number_of(std::string_view digits, int base) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

std::string character(std::uint32_t code) {
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  std::string bytes(4, '\0');
  bytes.resize(encode_utf8(code, bytes.data()));
  return bytes;
}

}  // namespace

std::string glyph(std::string_view name) {
  const auto* const found = std::lower_bound(std::begin(kGlyphs), std::end(kGlyphs), Glyph(name, {}), by_name);
  if (found != std::end(kGlyphs) && found->first == name) return std::string(found->second);
  if (name.starts_with("char")) return character(number_of(name.substr(4), 10));
  if (!name.starts_with('u') || name.size() < 5) return {};
  std::string text;
  for (name.remove_prefix(1); !name.empty();) {
    const std::string_view code = name.substr(0, name.find('_'));
    text += character(number_of(code, 16));
    name.remove_prefix(std::min(code.size() + 1, name.size()));
  }
  return text;
}

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
