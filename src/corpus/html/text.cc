#include "corpus/html/text.h"

#include <algorithm>
#include <span>

#include "base/ascii.h"
#include "corpus/html/boilerplate.h"

namespace refrain::html {

namespace {

// A part with fewer bytes, or a smaller share of the page's text than 1/kContentShare, is not taken for the content.
constexpr std::size_t kContentBytes = 24;
constexpr std::size_t kContentShare = 50;
// For an element that declares itself the content, a smaller share is enough if nearly all of the page is navigation.
constexpr std::size_t kMainShare = 500;
// Content that is a smaller share of its page is compared if it has this many bytes. In the documentation of 19
// packages, content of one or two sentences has 111 bytes or more, and what is left of a list of links, a title and
// "up, next, home", has at most 78.
constexpr std::size_t kLittleBytes = 100;

// About the number of letters and digits: navigation has many spaces, dashes and arrows.
std::size_t letters(const Array<char>& text) {
  return static_cast<std::size_t>(std::ranges::count_if(std::span(text.data(), text.size()), [](char c) {
    return is_letter(c) || is_digit(c) || static_cast<unsigned char>(c) >= 0xC3;
  }));
}

}  // namespace

bool HtmlText::read_main(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text,
                         unsigned version) {
  Share main;
  if (may_declare_main(html)) main = read(html, Part::main, grow, text);
  if (main.at_least(kContentShare)) return true;
  const Share content = read(html, Part::content, grow, text);
  if (content.at_least(kContentShare)) return true;
  const bool declared = main.at_least(kMainShare);
  bool navigation = false;
  if (!declared && version > 1 && content.is_little()) {
    read(html, Part::rest, grow, text);
    const std::size_t prose = letters(text);
    read(html, Part::whole, grow, text);
    navigation = 2 * prose < letters(text);
  }
  const bool enough = content.shown >= kLittleBytes;
  read(html, declared ? Part::main : navigation && enough ? Part::content : Part::whole, grow, text);
  return enough || !navigation;
}

bool HtmlText::Share::at_least(std::size_t one_in) const {
  return shown >= kContentBytes && shown >= seen / one_in;
}

bool HtmlText::Share::is_little() const {
  return shown < seen / kContentShare;
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
