// Tokenizers "code" and "code-kinds": identifiers, numbers, operators and brackets of the common programming languages.
//
// White space is passed over, so reformatted code gives the same tokens. With kinds, every identifier but a keyword is
// the same token, and so is every number: a copy with other names still matches.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/ascii.h"
#include "refrain/utf8.h"
#include "text/tokenizer.h"

namespace refrain::text {

namespace {

// Longest first among those that share a beginning.
constexpr std::array<std::string_view, 36> kOperators{"<<=", ">>=", "...", "===", "!==", "**=", "//=", "<=>", "->*",
                                                      "==",  "!=",  "<=",  ">=",  "&&",  "||",  "++",  "--",  "+=",
                                                      "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "<<",  ">>",
                                                      "->",  "=>",  "::",  "**",  "//",  ":=",  "??",  "?.",  "/*"};

// Ascending, for a binary search.
constexpr std::array<std::string_view, 73> kKeywords{
    "and",    "as",        "assert", "async",    "auto",    "await",     "bool",   "break",     "case",    "catch",
    "char",   "class",     "const",  "continue", "def",     "default",   "defer",  "delete",    "do",      "double",
    "elif",   "else",      "enum",   "except",   "export",  "extends",   "false",  "finally",   "float",   "fn",
    "for",    "from",      "func",   "function", "go",      "goto",      "if",     "impl",      "import",  "in",
    "int",    "interface", "is",     "lambda",   "let",     "long",      "match",  "namespace", "new",     "nil",
    "not",    "null",      "or",     "package",  "private", "protected", "public", "raise",     "return",  "short",
    "static", "struct",    "switch", "template", "this",    "throw",     "true",   "try",       "typedef", "unsigned",
    "var",    "void",      "while"};
static_assert(std::is_sorted(kKeywords.begin(), kKeywords.end()));

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}
bool is_operator(char c) {
  return c > ' ' && c < 127 && !is_digit(c) && !is_word_start(c);
}

class CodeTokenizer final : public Tokenizer {
 public:
  explicit CodeTokenizer(bool kinds) : kinds_(kinds) {}

  std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const override {
    const std::size_t size = std::min(text.size() - position, kMaxTokenBytes);
    const bool last = position + size == text.size();
    // Four bytes more than the stretch, so that a character at its end is seen whole.
    const std::string_view stretch = text.substr(position, size + 4);
    block.start(position);
    block.keep_normal_edges();
    char* normal = block.normal_buffer();
    std::size_t normal_at = 0;
    std::size_t at = 0;
    while (at < size) {
      const std::size_t length = token_length(stretch, at);
      if (length == 0) {
        at += separator_length(text, position + at);
        continue;
      }
      // Perhaps cut by the end of the stretch: leave it to the next one, unless it began with this one.
      if (!last && at + length + 4 > size && at != 0) break;
      const std::string_view token = stretch.substr(at, length);
      const std::string_view form = normal_form(token);
      std::memcpy(normal + normal_at, form.data(), form.size());
      block.push_edge(at, normal_at);
      block.push_edge(at + length, normal_at + form.size());
      normal_at += form.size();
      at += length;
    }
    return position + at;
  }

 private:
  // Letters past ASCII count as letters of identifiers.
  static std::size_t name_length(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size()) {
      if (is_word_start(text[end]) || is_digit(text[end])) {
        ++end;
        continue;
      }
      const CodePoint c = decode_utf8(text, end);
      if (!c.valid() || c.value < 128) break;
      end += c.size;
    }
    return end - at;
  }

  // 0 where no token begins at `at`.
  static std::size_t token_length(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (is_digit(c)) {
      std::size_t end = at + 1;
      while (end < text.size() && (is_digit(text[end]) || is_word_start(text[end]) || text[end] == '.')) ++end;
      return end - at;
    }
    if (is_operator(c)) {
      for (const std::string_view op : kOperators)
        if (text.substr(at, op.size()) == op) return op.size();
      return 1;
    }
    return name_length(text, at);
  }

  static std::size_t separator_length(std::string_view text, std::size_t at) { return decode_utf8(text, at).size; }

  std::string_view normal_form(std::string_view token) const {
    if (!kinds_ || is_operator(token[0])) return token;
    if (is_digit(token[0])) return "0";
    return std::binary_search(kKeywords.begin(), kKeywords.end(), token) ? token : std::string_view("a");
  }

  bool kinds_;
};

}  // namespace

std::unique_ptr<const Tokenizer> make_code_tokenizer(bool kinds) {
  return std::make_unique<CodeTokenizer>(kinds);
}

}  // namespace refrain::text
