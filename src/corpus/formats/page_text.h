// Extracts the text of a page or a plain file as UTF-8, whatever its charset.
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
#include "corpus/formats/charset.h"
#include "corpus/html/text.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Its memory is reused from page to page. Not thread-safe.
class PageText {
 public:
  // `main_version`: see kMainVersion.
  explicit PageText(MemoryBudget& budget, unsigned main_version = kMainVersion);

  // The text of `body`, which is in `charset` (see charset_of), without markup if it is `html`. Valid until the next
  // call. nullopt if the charset is unknown. `grow` as in HtmlText::read.
  std::optional<std::string_view> read(std::string_view body, const std::string& charset, bool html, HtmlPart part,
                                       const std::function<void(std::size_t)>& grow);

  // Converts a short text to UTF-8 in `out`. False if the charset is unknown.
  bool to_utf8(std::string_view bytes, const std::string& charset, const std::function<void(std::size_t)>& grow,
               Array<char>& out) {
    std::uint64_t ignored = 0;
    return converter_.to_utf8(bytes, charset, grow, out, ignored);
  }

  // Whether the last page is little else than navigation, so that only copies of it can be recognized.
  bool take_navigation() { return std::exchange(navigation_, false); }
  // The number of characters since the last call that could not be converted.
  std::uint64_t take_replaced() { return std::exchange(replaced_, 0); }

  // Releases the memory of a long page.
  void shrink();

 private:
  html::HtmlText html_;
  CharsetConverter converter_;
  Array<char> utf8_;
  Array<char> text_;
  std::uint64_t replaced_ = 0;
  const unsigned main_version_;
  bool navigation_ = false;
};

}  // namespace refrain::corpus
