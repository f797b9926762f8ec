// The open elements at a position in a page, from the outermost to the innermost: the standard's stack of open
// elements, without a tree.
//
// The facts that a tag needs about the stack (is there a <p> that it ends? is it in a table?) are recorded when an
// element is opened, so nothing has to be searched. The only exception, names inside drawings, searches at most
// kMaxOpen elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "corpus/html/flow.h"
#include "corpus/html/tags.h"

namespace refrain::html {

// The maximum depth, as in browsers. An element that would be nested deeper replaces the innermost one.
inline constexpr std::uint32_t kMaxOpen = 512;

// The outermost element has level 1. Level 0 means no element.
using Level = std::uint32_t;
enum class Language : std::uint8_t { html, drawing, formula };

struct Open {
  Tag tag = 0;
  Language language = Language::html;
  Tag context = 0;                 // the innermost element, maybe this one, that determines the meaning of tags
  bool holds_html = false;         // although it is part of a drawing or a formula
  bool keeps_white_space = false;  // white space in it is kept
  bool hidden = false;
  bool main = false;          // it, or one around it, declares itself the content of the page
  bool aside = false;         // it, or one around it but inside `main`, declares itself something else
  bool displaced = false;     // moved from inside a table to before it
  bool over = false;          // has ended, although elements in it are still open
  bool is_last_form = false;  // no other form has begun since
  Level same = 0;             // the innermost element of the same tag around this one
  // The innermost elements, maybe this one, at which an end tag stops searching for its start tag: for the end tag of
  // a block, of an inline element, of a list item.
  Level scope = 0;
  Level special = 0;
  Level item = 0;
  Level html = 0;              // the innermost element that is HTML
  Flow::Place before = 0;      // the place before a table
  Flow::Place behind = 0;      // where the text continues after displaced text
  std::string_view name = {};  // in a drawing or a formula

  const Element& element() const { return element_of(tag); }
  bool is(Tag other) const { return tag == other && language == Language::html && !over; }
  bool has(std::uint32_t traits) const {
    return (element().traits & traits) != 0 && language == Language::html && !over;
  }
  bool is_special() const;
  bool ends_scope() const;
  // Whether it is a table, or a part of one that only holds other parts.
  bool is_grid() const;
};

bool is_grid(Tag tag);

class OpenElements {
 public:
  // Keeps a reference to `flow`, which receives the lines and spaces around elements.
  explicit OpenElements(Flow& flow) : flow_(flow) {}

  Level depth() const { return depth_; }
  Open& at(Level level) { return open_[level]; }
  const Open& at(Level level) const { return open_[level]; }
  Open& top() { return open_[depth_]; }
  const Open& top() const { return open_[depth_]; }

  // The innermost element of a tag, without those that are `over`.
  Level innermost(Tag tag) const { return innermost_[tag]; }
  // The same, if the end tag of a block, or of a part of a table, reaches it.
  Level in_scope(Tag tag) const;
  Level in_table_scope(Tag tag) const;
  // The innermost element with a name (in any case) inside the innermost drawing or formula.
  Level named(std::string_view name) const;

  // Opens an element. `displaces`: if it is directly in a table, it goes before the table.
  void push(Tag tag, bool displaces);
  // The same for an element of a drawing or a formula.
  void push(Tag tag, bool displaces, Language language, std::string_view name);
  void pop();
  // Closes elements up to and including the one at `level`. Does nothing for level 0.
  void pop_through(Level level);
  // Closes elements until one with this tag, which must be open, is innermost.
  void pop_to(Tag tag);
  // Closes elements that end without an end tag, except those of tag `but`.
  void pop_implied(Tag but);
  // Ends an element, but none of those inside it.
  void end_alone(Level level);

 private:
  void add(Open open, bool displaces);
  void look_around(Level level);
  void forget(Level level);

  Flow& flow_;
  std::array<Open, kMaxOpen + 1> open_;               // [0] means no element
  std::array<std::uint32_t, kMaxOpen + 1> hashes_{};  // of their names
  std::array<Level, 256> innermost_{};                // of each tag
  Level depth_ = 0;
};

}  // namespace refrain::html
