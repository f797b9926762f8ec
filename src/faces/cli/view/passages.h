// Passages for people: a heading, the text, and every place with what it shares marked.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "faces/cli/view/terminal.h"
#include "refrain/index.h"

namespace refrain::cli {

// 12 tokens in 2 documents, 92 % alike
//     the quick brown fox ...
//   a.txt:10-63  (100 %)  the same
//   b.txt:0-55  (92 %)
//     [[the quick]] red [[fox ...]]
//
// A text that was shown already is not shown again. Long texts are shown by their ends. Without `texts`, there are none.
std::unique_ptr<PassageSink> text_passages(std::function<void(std::string_view)> out, const Look& look,
                                           bool texts = true);

}  // namespace refrain::cli
