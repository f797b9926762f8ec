// What of a page is not its content: navigation, headers and footers, by what its elements say of themselves.
#pragma once

#include <string_view>

#include "corpus/html/tags.h"

namespace refrain::html {

// What an element says that it is: by its tag, its role, and the words of its class and id.
enum class Says {
  nothing,
  main,         // the content of the page
  header,       // of the page, or of a part of it
  boilerplate,  // navigation, a sidebar, a footer, controls
};
Says what_element_says(Tag tag, std::string_view attributes);

// Whether some element of the page may say that it is the content.
bool may_say_main(std::string_view page);

}  // namespace refrain::html
