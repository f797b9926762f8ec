// Formats a table of figures for people.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace refrain::cli {

// Each row has a label, a figure and remarks. The first remark is beside the figure; the others are on lines of their
// own below it. Empty remarks are left out.
class Table {
 public:
  void add(std::string_view label, std::string figure, std::vector<std::string> remarks = {}) {
    std::erase(remarks, "");
    label_width_ = std::max(label_width_, label.size());
    figure_width_ = std::max(figure_width_, figure.size());
    rows_.push_back({std::string(label), std::move(figure), std::move(remarks)});
  }

  // Adds the row only if it is to be shown.
  void add_if(bool shown, std::string_view label, std::string figure, std::vector<std::string> remarks = {}) {
    if (shown) add(label, std::move(figure), std::move(remarks));
  }

  std::string text() const {
    std::string out;
    for (const Row& row : rows_) {
      out += fmt::format("  {:<{}}  {:>{}}", row.label, label_width_, row.figure, figure_width_);
      for (std::size_t i = 0; i < row.remarks.size(); ++i) {
        if (i > 0) out += fmt::format("\n{:{}}", "", 4 + label_width_ + figure_width_);
        out += fmt::format("  {}", row.remarks[i]);
      }
      out += '\n';
    }
    return out;
  }

 private:
  struct Row {
    std::string label;
    std::string figure;
    std::vector<std::string> remarks;
  };
  std::vector<Row> rows_;
  std::size_t label_width_ = 0;
  std::size_t figure_width_ = 0;
};

}  // namespace refrain::cli
