// A page with slots, and the data that fills them. The page is trusted HTML; the data may come from anybody, so
// every text is escaped when it is inserted.
//
//   {{name}}              a text
//   {{#name}}..{{/name}}  repeated for every item of a list, whose own names are looked up first
//   {{^name}}..{{/name}}  shown once if the list is empty or does not exist
//   {{>name}}             repeats the section {{#name}}, which is elsewhere in the page
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "refrain/numbers.h"

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

// The charts of a report: bars, as numbers for an inline SVG, with a table of the same values.

struct Chart {
  std::string name;   // of its element
  std::string title;  // what the chart shows
  std::string note;   // how to read it
  std::string first;  // what the labels are: the header of the table's first column
  std::vector<std::string> series;
  struct Bar {
    std::string label;
    std::vector<std::uint64_t> values;  // one per series
  };
  std::vector<Bar> bars = {};
  bool horizontal = false;  // horizontal bars, series end to end; otherwise vertical, side by side, on a log scale
};

// Adds an item "charts" to the page. Its lists are:
//   rects  x y width height kind tip value    kind: the index of the series
//   words  x y side text                      side: start, middle or end, as in text-anchor
//   lines  x1 y1 x2 y2
//   keys   kind text                          if there are several series
//   head   text    rows > cells > text        the table
void add_chart(PageData& page, const Chart& chart);

// Counts numbers in classes that double in width: 0, 1, 2, 3-4, 5-8, 9-16 and so on.
class DoublingHistogram {
 public:
  void add(std::uint64_t value) { ++at(place(value)); }
  // The count of class `i`.
  std::uint64_t count(std::size_t i) const { return i < counts_.size() ? counts_[i] : 0; }
  std::size_t size() const { return counts_.size(); }
  // The first class that is not empty; size() if all are empty.
  std::size_t first() const;
  static std::size_t place(std::uint64_t value);
  static std::string label(std::size_t i);

 private:
  std::uint64_t& at(std::size_t i) {
    if (i >= counts_.size()) counts_.resize(i + 1);
    return counts_[i];
  }
  std::vector<std::uint64_t> counts_;
};

}  // namespace refrain::verbs::dedup
