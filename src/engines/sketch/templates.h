// Templates: the windows that many otherwise different documents of one source share, found in a sample of it.
//
// Documents of the sample that match as wholes count once, and so do those whose own text does: a million copies of an
// article, each with another date, are one document, and their text is no template. A document without text of its own,
// which is all of what others hold too, does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace refrain::sketch {

struct TemplateOptions {
  unsigned window = 5;          // tokens
  double threshold = 0.8;       // from which documents are similar
  std::uint32_t max_loss = 16;  // with no more tokens in a row of its own a document is covered by another
  double share = 0.2;           // of the documents that count: so many hold a window of a template,
  std::size_t least = 8;        // and at least this many
  double worth = 0.05;          // of their windows: templates that are less are not worth leaving out
  std::size_t most = 16384;     // windows; the most frequent
};

// Those of documents whose windows, in order, are `documents`; ascending. Depends on the order of documents only where
// several match.
std::vector<std::uint64_t> template_windows(std::span<const std::vector<std::uint64_t>> documents,
                                            const TemplateOptions& options);

}  // namespace refrain::sketch
