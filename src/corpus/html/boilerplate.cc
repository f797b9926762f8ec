#include "corpus/html/boilerplate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "corpus/html/tokens.h"

namespace refrain::html {

namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kRoles[] = {"navigation", "banner",  "contentinfo", "search", "complementary",
                                       "menu",       "menubar", "toolbar",     "dialog"};
// Whole words of a class or an id.
constexpr std::string_view kWhole[] = {
    "ads",         "advert",   "advertisement", "banner",     "breadcrumb",  "breadcrumbs", "catlinks",
    "contentinfo", "cookie",   "cookies",       "copyright",  "editsection", "footer",      "masthead",
    "menu",        "noprint",  "pager",         "pagination", "printfooter", "searchbox",   "sharing",
    "sidebar",     "skiplink", "skiplinks",     "social",     "toc",         "toolbar",     "topbar"};
// The ends of compound words: sphinxsidebar, topnav.
constexpr std::string_view kEnds[] = {"nav",    "navbar",  "menu",       "sidebar",
                                      "footer", "toolbar", "breadcrumb", "breadcrumbs"};
// The beginnings of compound words: navheader, navigation, but not navy.
constexpr std::string_view kBegins[] = {"navbar",   "navi",    "navheader", "navfooter",
                                        "navlinks", "navlist", "navmenu",   "navrow"};
// A name that begins with one of the words in kHas, or ends in one of those in kAround, belongs to an element around
// the boilerplate: has-sidebar, content-sidebar-wrap.
constexpr std::string_view kHas[] = {"has", "with", "no", "without", "is", "not"};
constexpr std::string_view kAround[] = {"wrap", "wrapper", "container", "content", "main", "layout", "page", "body"};

constexpr std::size_t kLongestWord = 24;

bool is_one_of(std::string_view word, Words words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_boilerplate(std::string_view word) {
  if (word == "nav" || is_one_of(word, kWhole)) return true;
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return word.ends_with(end); }) ||
         std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](std::string_view begin) { return word.starts_with(begin); });
}

// Calls each(part) for the parts of `value` between characters for which `separates` is true.
template <class Separates, class Each>
void for_each_part(std::string_view value, Separates separates, Each each) {
  for (std::size_t begin = 0; begin < value.size();) {
    std::size_t end = begin;
    while (end < value.size() && !separates(value[end])) ++end;
    if (end > begin) each(value.substr(begin, end - begin));
    begin = end + 1;
  }
}

// `name`: a class or an id.
bool is_boilerplate_name(std::string_view name) {
  std::array<char, kLongestWord> buffer;
  bool first = true;
  bool found = false;
  bool has = false;
  bool around = false;  // whether the last word is one of kAround
  const auto separates = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte | 0x20U) - unsigned{'a'} >= 26U && byte - unsigned{'0'} >= 10U && byte < 0x80;
  };
  for_each_part(name, separates, [&](std::string_view part) {
    if (part.size() > buffer.size()) return;
    std::transform(part.begin(), part.end(), buffer.begin(),
                   [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    const std::string_view word(buffer.data(), part.size());
    has = has || (std::exchange(first, false) && is_one_of(word, kHas));
    around = is_one_of(word, kAround);
    found = found || is_boilerplate(word);
  });
  return found && !has && !around;
}

bool names_boilerplate(std::string_view value) {
  bool found = false;
  for_each_part(value, is_space, [&](std::string_view name) { found = found || is_boilerplate_name(name); });
  return found;
}

// Whether the element may hold a part of a page; inline elements do not.
bool may_be_part(Tag tag) {
  const Role role = element_of(tag).role;
  return (role == Role::block || role == Role::cell) && tag != "body"_tag && tag != "html"_tag && tag != "title"_tag &&
         tag != "article"_tag;
}

}  // namespace

DeclaredRole declared_role(Tag tag, std::string_view attributes) {
  switch (tag) {
    case "main"_tag:
      return DeclaredRole::main;
    case "nav"_tag:
    case "aside"_tag:
    case "footer"_tag:
    case "menu"_tag:
    case "select"_tag:
    case "button"_tag:
      return DeclaredRole::boilerplate;
    case "header"_tag:
      return DeclaredRole::header;
    default:
      break;
  }
  if (attributes.empty() || !may_be_part(tag)) return DeclaredRole::nothing;
  if (const std::optional<std::string_view> role = find_attribute(attributes, "role")) {
    if (same_name(*role, "main")) return DeclaredRole::main;
    for (const std::string_view one : kRoles)
      if (same_name(*role, one)) return DeclaredRole::boilerplate;
  }
  const std::string_view id = find_attribute(attributes, "id").value_or("");
  const bool header = same_name(id, "header") || same_name(id, "head") || same_name(id, "top");
  if (header || names_boilerplate(id) || names_boilerplate(find_attribute(attributes, "class").value_or("")))
    return DeclaredRole::boilerplate;
  return DeclaredRole::nothing;
}

bool may_declare_main(std::string_view page) {
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1))
    if (same_name(page.substr(at + 1, 4), "main")) return true;
  for (const std::string_view role : {"role", "ROLE"})
    for (std::size_t at = page.find(role); at != std::string_view::npos; at = page.find(role, at + 1))
      for (std::size_t value = at + role.size(); value < std::min(at + 12, page.size()); ++value)
        if (same_name(page.substr(value, 4), "main")) return true;
  return false;
}

}  // namespace refrain::html
