// A page with slots, and the data that fills them. The page is trusted HTML; the data may come from anybody, so
// every text is escaped when it is inserted.
//
//   {{name}}              a text
//   {{#name}}..{{/name}}  repeated for every item of a list, whose own names are looked up first
//   {{^name}}..{{/name}}  shown once if the list is empty or does not exist
//   {{>name}}             repeats the section {{#name}}, which is elsewhere in the page
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace refrain::verbs::dedup {

// Appends `text`, escaped so that HTML treats it as text, both between tags and in quoted attributes. Line breaks
// and tabs stay; other control characters, marks that change the writing direction, and bytes that are not UTF-8
// are spelled out (\x1b, \u202e).
void append_html(std::string& out, std::string_view text);

// Names must be literals: they are not copied.
class PageData {
 public:
  PageData& set(std::string_view name, std::string text);
  // Appends an item to a list, for the caller to fill. Its address stays valid.
  PageData& add(std::string_view list);

  const std::string* text(std::string_view name) const;
  const std::list<PageData>* items(std::string_view list) const;

 private:
  std::vector<std::pair<std::string_view, std::string>> texts_;
  std::vector<std::pair<std::string_view, std::list<PageData>>> lists_;
};

// Throws Error(corrupt) if a slot has no text or a section has no end.
std::string fill_page(std::string_view page, const PageData& data);

}  // namespace refrain::verbs::dedup
