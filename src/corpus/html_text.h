// The text of a page: what a reader of it would see, without its markup.
//
// The page is parsed as browsers do (HTML5, by Gumbo). Left out are scripts, styles, templates, frames, comments, and of
// the head all but the title. Elements that stand in a line of their own break lines, runs of white space become one
// space, except in <pre> and <textarea>, and entities are what they stand for.
//
// A page can be made to cost any parser the square of its length; one that tries to is refused, by rules that look at
// the page alone: nested deeper than kMaxHtmlDepth, more than kMaxHtmlAttributes in a tag, or memory of 256 times its size.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/html_arena.h"

namespace refrain {

inline constexpr std::size_t kMaxHtmlDepth = 2000;
inline constexpr std::size_t kMaxHtmlAttributes = 2000;

// Its memory is reused from page to page. Not thread-safe.
class HtmlText {
 public:
  explicit HtmlText(MemoryBudget& budget);

  // Puts the text of `html`, which is UTF-8 (bytes that are not become U+FFFD), into `text`. Returns why it cannot be
  // done, or nothing. `grow` is called before more memory is taken, with how much it will be; what it throws is thrown.
  std::string read(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text);

  // Gives back what a large page took.
  void shrink();

 private:
  struct Frame;

  HtmlArena arena_;
  Array<char> frames_;
};

}  // namespace refrain
