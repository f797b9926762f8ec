// Tokenizers "code" and "code-kinds": identifiers, numbers, operators and brackets of the common programming languages; and
// "code-bare" and "code-kinds-bare", the same without comments.
//
// White space is passed over, so reformatted code gives the same tokens. With kinds, every identifier but a keyword is
// the same token, and so is every number: a copy with other names still matches.
//
// The language is not known. So whether a comment begins here depends only on the bytes that follow, never on those before: a
// part of a text that begins at a token has the same tokens there as the whole. That is not always right (a // b divides in
// Python, and a string may hold a #), but it is the same in every copy.
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

// Behind "# ", these are for the preprocessor. Ascending.
constexpr std::array<std::string_view, 13> kDirectives{"define", "elif",  "else",   "endif",   "error",
                                                       "if",     "ifdef", "ifndef", "include", "line",
                                                       "pragma", "undef", "warning"};
static_assert(std::is_sorted(kDirectives.begin(), kDirectives.end()));

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Where comments are in a text, asked about at rising places.
class Comments {
 public:
  explicit Comments(std::string_view text) : text_(text) {}

  // How long the one is that begins at `at`: 0 where none does.
  std::size_t length(std::size_t at) {
    switch (text_[at]) {
      case '/':
        if (byte(at + 1) == '/') return is_operator_at(at) ? 0 : line(at);
        return byte(at + 1) == '*' ? block(at) : 0;
      case '#':
        return is_hash_comment(at) ? line(at) : 0;
      case '-':  // SQL, Lua, Ada, Haskell
        return byte(at + 1) == '-' && is_blank(byte(at + 2)) && is_letter(byte(at + 3)) ? line(at) : 0;
      default:
        return 0;
    }
  }

 private:
  // One that goes on for longer is none: so looking for its end costs little, whatever the text.
  static constexpr std::size_t kLongest = std::size_t{64} << 10;
  static constexpr std::size_t kRuler = 256;  // so many # in a row are one, whatever follows

  char byte(std::size_t at) const { return at < text_.size() ? text_[at] : '\n'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  std::size_t line(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()) - at; }

  // a //= b divides, //==== does not.
  bool is_operator_at(std::size_t at) const { return byte(at + 2) == '=' && byte(at + 3) != '='; }

  // "dir/*.c" and "/*/" are names of files.
  std::size_t block(std::size_t at) {
    if (std::string_view(".\"'/)]},;:").find(byte(at + 2)) != std::string_view::npos) return 0;
    const std::size_t limit = std::min(text_.size(), at + kLongest);
    if (close_ < at + 2 || (close_ == std::string_view::npos && searched_ + 1 < limit)) {
      close_ = text_.substr(0, limit).find("*/", std::max(at + 2, searched_));
      searched_ = std::min(close_, limit - 1);
    }
    return close_ < limit ? close_ + 2 - at : 0;
  }

  // At the end of the text it is none: a part may end with the # of #include.
  bool is_hash_comment(std::size_t at) const {
    if (byte(at + 1) == '!') return true;
    std::size_t end = at + 1;
    while (byte(end) == '#' && end - at < kRuler) ++end;
    if (end - at == kRuler) return true;
    if (end < text_.size() && (byte(end) == '\n' || byte(end) == '\r')) return true;
    if (!is_blank(byte(end))) return false;
    if (end - at > 1) return true;
    while (is_blank(byte(end))) ++end;
    const std::size_t word = end;
    while (is_letter(byte(end))) ++end;
    return word < text_.size() &&
           !std::binary_search(kDirectives.begin(), kDirectives.end(), text_.substr(word, end - word));
  }

  std::string_view text_;
  std::size_t close_ = 0;     // the next end of a comment, or none up to
  std::size_t searched_ = 0;  // here
};

class CodeTokenizer final : public Tokenizer {
 public:
  CodeTokenizer(bool kinds, bool comments) : kinds_(kinds), comments_(comments) {}

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
    Comments comments(text);
    while (at < size) {
      if (const std::size_t comment = comments_ ? 0 : comments.length(position + at); comment > 0) {
        at += comment;
        continue;
      }
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
  std::size_t token_length(std::string_view text, std::size_t at) const {
    const char c = text[at];
    if (is_digit(c)) {
      std::size_t end = at + 1;
      while (end < text.size() && (is_digit(text[end]) || is_word_start(text[end]) || text[end] == '.')) ++end;
      return end - at;
    }
    if (is_operator(c)) {
      if (!comments_ && text.substr(at, kBeforeAddress.size()) == kBeforeAddress) return kBeforeAddress.size();
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

  // Where comments are passed over, this is one token: what follows is none.
  static constexpr std::string_view kBeforeAddress = "://";

  bool kinds_;
  bool comments_;
};

}  // namespace

std::unique_ptr<const Tokenizer> make_code_tokenizer(bool kinds, bool comments) {
  return std::make_unique<CodeTokenizer>(kinds, comments);
}

}  // namespace refrain::text
