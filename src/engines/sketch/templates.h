// Templates: the windows that many otherwise different documents of one source share, found in a sample of the
// source.
//
// Documents of the sample that match each other count once, and so do those whose own text matches: a million copies
// of an article, each with another date, are one document, and their text is not a template. A document without text
// of its own, all of which others contain too, does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/sketch/loss.h"

namespace refrain::sketch {

struct TemplateOptions {
  unsigned window = 5;       // tokens
  MatchRule rule = {};       // when documents match
  double share = 0.2;        // the share of the documents that count that must contain a window of a template,
  std::size_t least = 8;     // and the least number of them
  double worth = 0.05;       // the least share of their windows: smaller templates are not worth leaving out
  std::size_t most = 16384;  // the most windows of a template; the most frequent are kept
};

// Finds the template in documents whose windows, in order, are `documents`. The result is ascending, and depends on
// the order of the documents only if some of them match.
std::vector<std::uint64_t> template_windows(std::span<const std::vector<std::uint64_t>> documents,
                                            const TemplateOptions& options);

}  // namespace refrain::sketch
