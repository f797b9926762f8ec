// The tokenizers "code" and "code-kinds": identifiers, numbers, operators and brackets of the common programming
// languages; and "code-bare" and "code-kinds-bare", the same without comments.
//
// White space is skipped, so reformatted code gives the same tokens. With kinds, all identifiers except keywords are
// the same token, and so are all numbers: a copy with other names still matches.
//
// The language is not known. So whether a comment begins at a position depends only on the bytes that follow, never
// on those before it: a part of a text that begins at a token has the same tokens as the whole has there. This is not
// always right (a // b divides in Python, and a string may contain a #), but it is the same in every copy.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/ascii.h"
#include "refrain/utf8.h"
#include "text/tokenizer.h"

namespace refrain::text {

namespace {

// Operators with a common beginning are listed longest first.
constexpr std::array<std::string_view, 36> kOperators{"<<=", ">>=", "...", "===", "!==", "**=", "//=", "<=>", "->*",
                                                      "==",  "!=",  "<=",  ">=",  "&&",  "||",  "++",  "--",  "+=",
                                                      "-=",  "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "<<",  ">>",
                                                      "->",  "=>",  "::",  "**",  "//",  ":=",  "??",  "?.",  "/*"};

// In ascending order, for a binary search.
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

// After "# ", these words are preprocessor directives, not comments. In ascending order.
constexpr std::array<std::string_view, 13> kDirectives{"define", "elif",  "else",   "endif",   "error",
                                                       "if",     "ifdef", "ifndef", "include", "line",
                                                       "pragma", "undef", "warning"};
static_assert(std::is_sorted(kDirectives.begin(), kDirectives.end()));

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Finds the comments of a text; positions must be queried in ascending order.
class Comments {
 public:
  explicit Comments(std::string_view text) : text_(text) {}

  // The length of the comment that begins at `at`; 0 if none does.
  std::size_t length(std::size_t at) {
    switch (text_[at]) {
      case '/':
        if (byte(at + 1) == '/') return is_division_assignment(at) ? 0 : line(at);
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
  // A longer block is not taken for a comment, so that looking for its end costs little, whatever the text.
  static constexpr std::size_t kMaxCommentBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMinRulerLength = 256;  // this many # in a row are a comment, whatever follows

  char byte(std::size_t at) const { return at < text_.size() ? text_[at] : '\n'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  std::size_t line(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()) - at; }

  // a //= b is an operator, //==== begins a comment.
  bool is_division_assignment(std::size_t at) const { return byte(at + 2) == '=' && byte(at + 3) != '='; }

  // In "dir/*.c" and "/*/", the /* is part of a file name.
  std::size_t block(std::size_t at) {
    if (std::string_view(".\"'/)]},;:").find(byte(at + 2)) != std::string_view::npos) return 0;
    const std::size_t limit = std::min(text_.size(), at + kMaxCommentBytes);
    if (comment_end_ < at + 2 || (comment_end_ == std::string_view::npos && searched_ + 1 < limit)) {
      comment_end_ = text_.substr(0, limit).find("*/", std::max(at + 2, searched_));
      searched_ = std::min(comment_end_, limit - 1);
    }
    return comment_end_ < limit ? comment_end_ + 2 - at : 0;
  }

  // At the end of the text, # does not begin a comment, because a part of a text may end with the # of #include.
  bool is_hash_comment(std::size_t at) const {
    if (byte(at + 1) == '!') return true;
    std::size_t end = at + 1;
    while (byte(end) == '#' && end - at < kMinRulerLength) ++end;
    if (end - at == kMinRulerLength) return true;
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
  std::size_t comment_end_ = 0;  // the next end of a comment; or none
  std::size_t searched_ = 0;     // before this position
};

class CodeTokenizer final : public Tokenizer {
 public:
  CodeTokenizer(bool kinds, bool comments) : kinds_(kinds), comments_(comments) {}

  std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const override {
    const std::size_t size = std::min(text.size() - position, kMaxTokenBytes);
    const bool last = position + size == text.size();
    // Four bytes more than the stretch, so that a character at its end is complete.
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
      // The token may be cut off by the end of the stretch: it is left to the next one, unless it began with this
      // one.
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
  // Non-ASCII characters count as letters of identifiers.
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

  // The length of the token at `at`; 0 if none begins there.
  std::size_t token_length(std::string_view text, std::size_t at) const {
    const char c = text[at];
    if (is_digit(c)) {
      std::size_t end = at + 1;
      while (end < text.size() && (is_digit(text[end]) || is_word_start(text[end]) || text[end] == '.')) ++end;
      return end - at;
    }
    if (is_operator(c)) {
      if (!comments_ && text.substr(at, kSchemeSeparator.size()) == kSchemeSeparator) return kSchemeSeparator.size();
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

  // If comments are skipped, this is one token, so that its // does not begin a comment.
  static constexpr std::string_view kSchemeSeparator = "://";

  bool kinds_;
  bool comments_;
};

}  // namespace

std::unique_ptr<const Tokenizer> make_code_tokenizer(bool kinds, bool comments) {
  return std::make_unique<CodeTokenizer>(kinds, comments);
}

}  // namespace refrain::text
