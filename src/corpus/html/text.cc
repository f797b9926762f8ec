#include "corpus/html/text.h"

#include "corpus/html/parser.h"

namespace refrain::html {

void HtmlText::read(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  flow_.begin(text, grow);
  html::Parser(html, flow_).run();
  flow_.end();
}

}  // namespace refrain::html
