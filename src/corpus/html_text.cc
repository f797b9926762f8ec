#include "corpus/html_text.h"

#include "corpus/html_parser.h"

namespace refrain {

void HtmlText::read(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  flow_.begin(text, grow);
  html::Parser(html, flow_).run();
  flow_.end();
}

}  // namespace refrain
