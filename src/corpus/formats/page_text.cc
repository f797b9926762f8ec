#include "corpus/formats/page_text.h"

#include "corpus/formats/charset.h"
#include "corpus/formats/piece.h"

namespace refrain::corpus {

PageText::PageText(MemoryBudget& budget, unsigned main_version)
    : html_(budget),
      utf8_(budget, "the text of a long page"),
      text_(budget, "the text of a long page"),
      main_version_(main_version) {}

std::optional<std::string_view> PageText::read(std::string_view body, const std::string& charset, bool html,
                                               HtmlPart part, const std::function<void(std::size_t)>& grow) {
  navigation_ = false;
  if (!is_utf8(charset)) {
    if (!converter_.to_utf8(body, charset, grow, utf8_, replaced_)) return std::nullopt;
    body = {utf8_.data(), utf8_.size()};
  }
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  if (!html || part == HtmlPart::raw) return body;
  if (part == HtmlPart::main)
    navigation_ = !html_.read_main(body, grow, text_, main_version_);
  else
    html_.read(body, grow, text_);
  return std::string_view(text_.data(), text_.size());
}

void PageText::shrink() {
  html_.shrink();
  utf8_.resize(0);
  text_.resize(0);
}

}  // namespace refrain::corpus
