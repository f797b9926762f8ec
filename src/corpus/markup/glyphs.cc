#include "corpus/markup/glyphs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

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

}  // namespace refrain::corpus
