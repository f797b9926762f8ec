#include "corpus/html/tokens.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace refrain::html {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool ends_name(char c) {
  return is_space(c) || c == '/' || c == '>';
}

// Reads the attributes of a tag one by one.
class Attributes {
 public:
  Attributes(std::string_view page, std::size_t at) : page_(page), at_(at) {}

  // Advances to the next attribute. False at the end of the tag.
  bool next() {
    self_closing_ = false;
    for (; at_ < page_.size() && (is_space(page_[at_]) || page_[at_] == '/'); ++at_) self_closing_ = page_[at_] == '/';
    if (at_ >= page_.size() || page_[at_] == '>') return false;
    std::size_t begin = at_++;  // the first character may be any, even '='
    while (at_ < page_.size() && !ends_name(page_[at_]) && page_[at_] != '=') ++at_;
    name_ = page_.substr(begin, at_ - begin);
    value_ = {};
    std::size_t equals = at_;
    while (equals < page_.size() && is_space(page_[equals])) ++equals;
    if (equals >= page_.size() || page_[equals] != '=') return true;
    at_ = equals + 1;
    while (at_ < page_.size() && is_space(page_[at_])) ++at_;
    if (at_ >= page_.size() || page_[at_] == '>') return true;
    if (const char quote = page_[at_]; quote == '"' || quote == '\'') {
      begin = ++at_;
      at_ = std::min(page_.find(quote, begin), page_.size());
      value_ = page_.substr(begin, at_ - begin);
      if (at_ < page_.size()) ++at_;
      return true;
    }
    begin = at_;
    while (at_ < page_.size() && !is_space(page_[at_]) && page_[at_] != '>') ++at_;
    value_ = page_.substr(begin, at_ - begin);
    return true;
  }

  std::size_t at() const { return at_; }
  std::string_view name() const { return name_; }
  std::string_view value() const { return value_; }
  bool self_closing() const { return self_closing_; }

 private:
  std::string_view page_;
  std::size_t at_;
  std::string_view name_;
  std::string_view value_;
  bool self_closing_ = false;
};

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> find_attribute(std::string_view attributes, std::string_view name) {
  for (Attributes of(attributes, 0); of.next();)
    if (same_name(of.name(), name)) return of.value();
  return std::nullopt;
}

Token Tokens::next(bool in_drawing) {
  if (at_ >= page_.size()) return {};
  if (page_[at_] != '<' || at_ + 1 == page_.size()) return read_text(at_);
  const char c = page_[at_ + 1];
  if (is_letter(c)) return read_tag(at_ + 1, Token::Kind::start_tag);
  if (c == '!') return read_declaration(in_drawing);
  if (c == '?') return skip_to(page_.find('>', at_ + 2));
  if (c != '/') return read_text(at_ + 1);
  if (at_ + 2 == page_.size()) return read_text(at_ + 2);
  if (is_letter(page_[at_ + 2])) return read_tag(at_ + 2, Token::Kind::end_tag);
  return skip_to(page_.find('>', at_ + 2));
}

// Reads a text token, of which the bytes before `from` are part in any case.
Token Tokens::read_text(std::size_t from) {
  std::size_t end = page_.find('<', from);
  for (; end != kNone; end = page_.find('<', end + 1)) {
    if (end + 1 == page_.size()) continue;
    const char c = page_[end + 1];
    if (is_letter(c) || c == '!' || c == '?' || (c == '/' && end + 2 < page_.size())) break;
  }
  end = std::min(end, page_.size());
  Token token{.kind = Token::Kind::text, .text = page_.substr(at_, end - at_)};
  at_ = end;
  return token;
}

Token Tokens::read_tag(std::size_t name_begin, Token::Kind kind) {
  std::size_t name_end = name_begin;
  while (name_end < page_.size() && !ends_name(page_[name_end])) ++name_end;
  Attributes attributes(page_, name_end);
  while (attributes.next()) continue;
  if (attributes.at() >= page_.size()) return skip_to(kNone);  // a tag that does not end is ignored
  Token token{.kind = kind,
              .text = {},
              .name = page_.substr(name_begin, name_end - name_begin),
              .attributes = page_.substr(name_end, attributes.at() - name_end),
              .tag = 0,
              .self_closing = attributes.self_closing()};
  token.tag = find_tag(token.name);
  at_ = attributes.at() + 1;
  return token;
}

// Reads a token that begins with "<!".
Token Tokens::read_declaration(bool in_drawing) {
  constexpr std::string_view kCdata = "[CDATA[";
  constexpr std::string_view kDoctype = "doctype";
  const std::string_view behind = page_.substr(at_ + 2);
  if (behind.starts_with("--")) {
    // "<!-->" and "<!--->" are complete comments.
    if (behind.starts_with("-->")) return skip_to(at_ + 4);
    if (behind.starts_with("--->")) return skip_to(at_ + 5);
    for (std::size_t at = page_.find("--", at_ + 4); at != kNone; at = page_.find("--", at)) {
      at = std::min(page_.find_first_not_of('-', at), page_.size());
      const std::string_view end = page_.substr(at, 2);
      if (end.starts_with('>')) return skip_to(at);
      if (end == "!>") return skip_to(at + 1);
    }
    return skip_to(kNone);
  }
  if (!in_drawing || !behind.starts_with(kCdata)) {
    const bool doctype = same_name(behind.substr(0, kDoctype.size()), kDoctype);
    return skip_to(page_.find('>', at_ + 2), doctype ? Token::Kind::doctype : Token::Kind::comment);
  }
  const std::size_t begin = at_ + 2 + kCdata.size();
  const std::size_t end = page_.find("]]>", begin);
  at_ = end == kNone ? page_.size() : end + 3;
  return {.kind = Token::Kind::cdata, .text = page_.substr(begin, std::min(end, page_.size()) - begin)};
}

// Skips up to the '>' at `end`, or to the end of the page.
Token Tokens::skip_to(std::size_t end, Token::Kind kind) {
  const std::size_t begin = std::exchange(at_, end == kNone ? page_.size() : end + 1);
  return {.kind = kind, .text = page_.substr(begin, at_ - begin)};
}

std::string_view Tokens::content(Tag tag) {
  const Element& element = element_of(tag);
  const std::size_t begin = at_;
  std::size_t end = kNone;
  if (element.content == Content::script) {
    end = find_end_of_script();
  } else if (element.content != Content::rest) {
    end = page_.find("</", begin);
    while (end != kNone && !is_name(end + 2, element.name)) end = page_.find("</", end + 1);
  }
  if (end == kNone) {
    at_ = page_.size();
    return page_.substr(begin);
  }
  at_ = end;
  read_tag(end + 2, Token::Kind::end_tag);
  return page_.substr(begin, end - begin);
}

// Whether `name` is the whole name of the tag whose name begins at `at`.
bool Tokens::is_name(std::size_t at, std::string_view name) const {
  const std::size_t end = at + name.size();
  return end < page_.size() && ends_name(page_[end]) && same_name(page_.substr(at, name.size()), name);
}

// Inside a comment, a script may contain another script element with an end tag of its own.
std::size_t Tokens::find_end_of_script() const {
  constexpr std::string_view kScript = "script";
  enum { outside, in_comment, in_inner_script } where = outside;
  std::size_t at = at_;
  for (;;) {
    while (at < page_.size() && page_[at] != '<' && (page_[at] != '-' || where == outside)) ++at;
    if (at == page_.size()) return kNone;
    const std::string_view here = page_.substr(at, 4);
    const bool ends = here.starts_with("</") && is_name(at + 2, kScript);
    if (ends && where != in_inner_script) return at;
    if (here.starts_with("-->")) {
      where = outside;
      at += 3;
    } else if (ends || (where == outside && here == "<!--")) {
      where = in_comment;
      at += 2;  // the dashes may be those of "-->"
    } else if (where == in_comment && here[0] == '<' && is_name(at + 1, kScript)) {
      where = in_inner_script;
      ++at;
    } else {
      ++at;
    }
  }
}

}  // namespace refrain::html
