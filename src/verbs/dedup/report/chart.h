// Plots of a report: bars, as numbers for an inline SVG, with the table that says the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/numbers.h"
#include "verbs/dedup/report/template.h"

namespace refrain::verbs::dedup {

struct Chart {
  std::string name;   // of its element
  std::string title;  // what it is
  std::string note;   // what to see in it
  std::string first;  // what the labels are: the head of the table's first column
  std::vector<std::string> series;
  struct Bar {
    std::string label;
    std::vector<std::uint64_t> values;  // one a series
  };
  std::vector<Bar> bars = {};
  bool lying = false;  // a bar a line, its series end to end; else upright, side by side, heights on a log scale
};

// An item "charts" for the page. What is drawn:
//   rects  x y width height kind tip value    kind: the number of the series
//   words  x y side text                      side: start, middle or end, as text-anchor takes it
//   lines  x1 y1 x2 y2
//   keys   kind text                          where there are several series
//   head   text    rows > cells > text        the table
void add_chart(PageData& page, const Chart& chart);

// Numbers put into classes that double: 0, 1, 2, 3-4, 5-8, 9-16 and so on.
class Doubling {
 public:
  void add(std::uint64_t value) { ++at(place(value)); }
  // Of class i.
  std::uint64_t count(std::size_t i) const { return i < counts_.size() ? counts_[i] : 0; }
  std::size_t size() const { return counts_.size(); }
  // The first class that is not empty; size() where all are.
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
