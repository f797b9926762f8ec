// The tokens of a page: text, tags, and parts that are not shown.
//
// This is the tokenizer of the HTML standard, without the states that only distinguish parse errors. It reads every
// byte once and never goes back, so the work is linear in the length of the page.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/ascii.h"
#include "corpus/html/tags.h"

namespace refrain::html {

struct Token {
  enum class Kind { text, cdata, start_tag, end_tag, doctype, comment, end };

  Kind kind = Kind::end;
  std::string_view text = {};        // as it is in the page
  std::string_view name = {};        // of a tag
  std::string_view attributes = {};  // of a tag: the part after the name
  Tag tag = 0;
  bool self_closing = false;  // it ends in "/>"
};

// The value of an attribute of a tag, as it is in the page.
std::optional<std::string_view> find_attribute(std::string_view attributes, std::string_view name);
// Whether two names are equal, ignoring case.
bool same_name(std::string_view a, std::string_view b);

class Tokens {
 public:
  // Keeps a reference to the page.
  explicit Tokens(std::string_view page) : page_(page) {}

  // `in_drawing`: whether the tokens belong to a drawing or a formula, which may have CDATA sections.
  Token next(bool in_drawing);

  // To be called after the start tag of an element whose content is not markup. Returns the text up to its end tag
  // and reads past that tag.
  std::string_view content(Tag tag);

  // How much of the page has been read, in bytes.
  std::size_t position() const { return at_; }

 private:
  Token read_text(std::size_t from);
  Token read_tag(std::size_t name_begin, Token::Kind kind);
  Token read_declaration(bool in_drawing);
  Token skip_to(std::size_t end, Token::Kind kind = Token::Kind::comment);
  bool is_name(std::size_t at, std::string_view name) const;
  std::size_t find_end_of_script() const;

  std::string_view page_;
  std::size_t at_ = 0;
};

}  // namespace refrain::html
