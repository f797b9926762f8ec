// The text of a page: what a reader of it would see, without its markup; or of that the content alone, without
// navigation, headers and footers.
//
// The page is read as browsers do (HTML5). Left out are scripts, styles, templates, frames, comments, and of the head
// all but the title. Elements that stand in a line of their own break lines, runs of white space become one space,
// except in <pre> and <textarea>, and entities are what they stand for.
//
// Every page has a text, and takes time and memory in proportion to its length: see html_parser.h.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/html/flow.h"
#include "corpus/html/parser.h"

namespace refrain::html {

// Its memory is reused from page to page. Not thread-safe.
class HtmlText {
 public:
  explicit HtmlText(MemoryBudget& budget) : flow_(budget) {}

  // Puts the text of `html`, which is UTF-8 (bytes that are not become U+FFFD), into `text`. No page
  // is refused. `grow` is called before more memory is taken, with how much it will be, and again for every quarter of
  // a MiB of the page, so that it can stop the reading; what it throws is thrown.
  void read(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
    read(html, Part::whole, grow, text);
  }
  // The same for the content of the page: for what says that it is that, or else for what does not say that it is
  // something else. Where that is next to nothing, for all of it.
  void read_main(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text);

  // Gives back what a large page took.
  void shrink() { flow_.shrink(); }

 private:
  // How much was taken, in bytes, of how much.
  struct Share {
    std::size_t shown = 0;
    std::size_t seen = 0;
    bool at_least(std::size_t one_in) const;  // one part in so many, and enough to be a content
  };
  Share read(std::string_view html, Part part, const std::function<void(std::size_t)>& grow, Array<char>& text);

  html::Flow flow_;
};

}  // namespace refrain::html
