// Extracts the text of a page: what a reader would see, without markup; or only its content, without navigation,
// headers and footers.
//
// The page is read as browsers do (HTML5). Scripts, styles, templates, frames, comments, and everything in the head
// except the title are left out. Block elements begin and end lines, runs of white space become one space except in
// <pre> and <textarea>, and entities are decoded.
//
// Any page can be read, in time and memory proportional to its length: see parser.h.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/html/flow.h"
#include "corpus/html/parser.h"
#include "refrain/version.h"

namespace refrain::html {

// Its memory is reused from page to page. Not thread-safe.
class HtmlText {
 public:
  explicit HtmlText(MemoryBudget& budget) : flow_(budget) {}

  // Writes the text of `html`, which should be UTF-8 (invalid bytes become U+FFFD), to `text`. No page is rejected.
  // `grow` is called with the new size before more memory is allocated, and also for every quarter of a MiB of the
  // page, so that it can stop the reading by throwing an exception, which is passed on.
  void read(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
    read(html, Part::whole, grow, text);
  }
  // The same for the content of the page: elements that declare themselves the content, or else all that do not
  // declare themselves something else. If that is almost nothing, the whole page, unless what is left out is mostly
  // links, and so navigation. Returns false for the whole of a page that is little else than navigation: such pages
  // are alike, whatever they are about. `version`: see kMainVersion; version 1 takes the whole page if there is almost
  // no content.
  bool read_main(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text,
                 unsigned version = kMainVersion);

  // Releases the memory of a large page.
  void shrink() { flow_.shrink(); }

 private:
  // How many bytes of text a part has, and how many the whole page.
  struct Share {
    std::size_t shown = 0;
    std::size_t seen = 0;
    bool at_least(std::size_t one_in) const;  // `shown` is 1/one_in of `seen` or more, and enough to be content
    bool is_little() const;
  };
  Share read(std::string_view html, Part part, const std::function<void(std::size_t)>& grow, Array<char>& text);

  html::Flow flow_;
};

}  // namespace refrain::html
