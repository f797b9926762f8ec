#include "corpus/html/text.h"

#include "corpus/html/boilerplate.h"

namespace refrain::html {

namespace {

// A part with fewer bytes, or a smaller share of the page's text than 1/kContentShare, is not taken for the content.
constexpr std::size_t kContentBytes = 24;
constexpr std::size_t kContentShare = 50;
// For an element that declares itself the content, a smaller share is enough if nearly all of the page is navigation.
constexpr std::size_t kMainShare = 500;

}  // namespace

void HtmlText::read_main(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  Share main;
  if (may_declare_main(html)) main = read(html, Part::main, grow, text);
  if (main.at_least(kContentShare)) return;
  if (read(html, Part::content, grow, text).at_least(kContentShare)) return;
  read(html, main.at_least(kMainShare) ? Part::main : Part::whole, grow, text);
}

bool HtmlText::Share::at_least(std::size_t one_in) const {
  return shown >= kContentBytes && shown >= seen / one_in;
}

HtmlText::Share HtmlText::read(std::string_view html, Part part, const std::function<void(std::size_t)>& grow,
                               Array<char>& text) {
  flow_.begin(text, grow);
  Parser parser(html, part, flow_);
  parser.run();
  flow_.end();
  return {parser.shown(), parser.seen()};
}

}  // namespace refrain::html
