// The charts of a report: bars, as numbers for an inline SVG, with a table of the same values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/numbers.h"
#include "verbs/dedup/report/page_slots.h"

namespace refrain::verbs::dedup {

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
