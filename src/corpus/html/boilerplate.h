// Tells the content of a page from its boilerplate (navigation, headers and footers) by what its elements declare
// themselves to be.
#pragma once

#include <string_view>

#include "corpus/html/tags.h"

namespace refrain::html {

// The role that an element declares by its tag, its role attribute, and the words of its class and id.
enum class DeclaredRole {
  nothing,
  main,         // the content of the page
  header,       // of the page, or of a part of it
  boilerplate,  // navigation, a sidebar, a footer, controls
};
DeclaredRole declared_role(Tag tag, std::string_view attributes);

// Whether some element of the page may declare itself to be the content. May return true for pages without such an
// element.
bool may_declare_main(std::string_view page);

}  // namespace refrain::html
