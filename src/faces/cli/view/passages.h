// Formats passages for people: a heading, the text, and every place, with the text that it shares marked.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "faces/cli/view/terminal.h"
#include "refrain/index.h"

namespace refrain::cli {

// Returns a sink that writes passages to `out` like this:
//
// 12 tokens in 2 documents, 92% similar
//     the quick brown fox ...
//   a.txt:10-63  (100%)  identical
//   b.txt:0-55  (92%)
//     [[the quick]] red [[fox ...]]
//
// A text that has already been shown is not shown again. Only the two ends of a long text are shown. If `texts` is
// false, no texts are shown.
std::unique_ptr<PassageSink> text_passages(std::function<void(std::string_view)> out, const Look& look,
                                           bool texts = true);

}  // namespace refrain::cli
