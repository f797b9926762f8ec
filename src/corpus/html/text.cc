#include "corpus/html/text.h"

#include "corpus/html/boilerplate.h"

namespace refrain::html {

namespace {

// With less, or with less of all text of the page than one part in so many, there is no content.
constexpr std::size_t kContentBytes = 24;
constexpr std::size_t kContentShare = 50;
constexpr std::size_t kMainShare = 500;  // of what the page itself calls its content: that may be short

}  // namespace

void HtmlText::read_main(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  if (may_say_main(html) && read(html, Part::main, grow, text)) return;
  if (!read(html, Part::content, grow, text)) read(html, Part::whole, grow, text);
}

bool HtmlText::read(std::string_view html, Part part, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  flow_.begin(text, grow);
  Parser parser(html, part, flow_);
  parser.run();
  flow_.end();
  const std::size_t share = part == Part::main ? kMainShare : kContentShare;
  return parser.shown() >= kContentBytes && parser.shown() >= parser.seen() / share;
}

}  // namespace refrain::html
