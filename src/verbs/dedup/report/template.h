// A page with slots, and what fills them. The page is HTML that people write, the rest of it may come from anybody: no
// text gets into a page but escaped.
//
//   {{name}}              a text
//   {{#name}}..{{/name}}  once for every item of a list, whose own names are looked for first
//   {{^name}}..{{/name}}  once where the list is empty, or there is none
//   {{>name}}             the section {{#name}}, which stands elsewhere in the page, once more
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace refrain::verbs::dedup {

// Appends `text` so that HTML takes it for text, between tags as well as in quoted attributes. Line breaks and tabs
// stay; other control characters, and marks that turn the direction of writing, are spelled out (\x1b, \u202e), as are
// bytes that are no UTF-8.
void append_html(std::string& out, std::string_view text);

// Names are literals: they are not copied.
class PageData {
 public:
  PageData& set(std::string_view name, std::string text);
  // An item more for a list, to be filled. Stays where it is.
  PageData& add(std::string_view list);

  const std::string* text(std::string_view name) const;
  const std::list<PageData>* items(std::string_view list) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> texts_;
  std::vector<std::pair<std::string_view, std::list<PageData>>> lists_;
};

// Error(corrupt) where a slot has no text, or a section no end.
std::string fill_page(std::string_view page, const PageData& data);

}  // namespace refrain::verbs::dedup
