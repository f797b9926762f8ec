#include "corpus/html/text.h"

#include "corpus/html/boilerplate.h"

namespace refrain::html {

namespace {

constexpr std::size_t kContentWords = 5;  // with fewer there is no content

bool has_content(const Array<char>& text) {
  std::size_t words = 0;
  bool in_word = false;
  for (std::size_t i = 0; i < text.size() && words < kContentWords; ++i) {
    words += !in_word && !is_space(text[i]) ? 1 : 0;
    in_word = !is_space(text[i]);
  }
  return words >= kContentWords;
}

}  // namespace

void HtmlText::read_main(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  if (may_say_main(html)) {
    read(html, Part::main, grow, text);
    if (has_content(text)) return;
  }
  read(html, Part::content, grow, text);
  if (!has_content(text)) read(html, Part::whole, grow, text);
}

void HtmlText::read(std::string_view html, Part part, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  flow_.begin(text, grow);
  html::Parser(html, part, flow_).run();
  flow_.end();
}

}  // namespace refrain::html
