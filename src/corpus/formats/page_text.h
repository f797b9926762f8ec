// The text of a page, or of a plain file, as UTF-8, from whatever it is written in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/html/text.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Its memory is reused from page to page. Not thread-safe.
class PageText {
 public:
  explicit PageText(MemoryBudget& budget);

  // The text of `body`, which is in `charset` (see charset_of), without its markup where it is `html`. Valid until the
  // next call. Nothing where the charset is not known. `grow` as in HtmlText::read.
  std::optional<std::string_view> read(std::string_view body, const std::string& charset, bool html, HtmlPart part,
                                       const std::function<void(std::size_t)>& grow);

  // Characters that their charset did not know, since the last call.
  std::uint64_t take_replaced() { return std::exchange(replaced_, 0); }

  // Gives back what a long page took.
  void shrink();

 private:
  html::HtmlText html_;
  Array<char> utf8_;
  Array<char> text_;
  std::uint64_t replaced_ = 0;
};

}  // namespace refrain::corpus
