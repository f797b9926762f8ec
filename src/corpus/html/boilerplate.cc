#include "corpus/html/boilerplate.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "base/ascii.h"
#include "corpus/html/tokens.h"

namespace refrain::html {

namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kRoles[] = {"navigation", "banner",  "contentinfo", "search", "complementary",
                                       "menu",       "menubar", "toolbar",     "dialog"};
// Words of a class or an id, whole.
constexpr std::string_view kWhole[] = {
    "ad",          "ads",    "advert",     "advertisement", "banner",      "breadcrumb", "breadcrumbs", "catlinks",
    "contentinfo", "cookie", "cookies",    "copyright",     "editsection", "footer",     "masthead",    "menu",
    "noprint",     "pager",  "pagination", "printfooter",   "related",     "searchbox",  "share",       "sharing",
    "sidebar",     "skip",   "skiplink",   "skiplinks",     "social",      "toc",        "toolbar",     "topbar"};
// The ends of those that are one word with another: sphinxsidebar, topnav.
constexpr std::string_view kEnds[] = {"nav",    "navbar",  "menu",       "sidebar",
                                      "footer", "toolbar", "breadcrumb", "breadcrumbs"};
// And their beginnings: navheader, navigation, but no navy.
constexpr std::string_view kBegins[] = {"navbar",   "navi",    "navheader", "navfooter",
                                        "navlinks", "navlist", "navmenu",   "navrow"};
// Before such a word they say that the element has one, or none.
constexpr std::string_view kOf[] = {"has", "with", "no", "without", "is", "not"};

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

// Calls each(word) for the words of a value, in lower case; true as soon as one does.
template <class Each>
bool any_word(std::string_view value, Each each) {
  std::array<char, kLongestWord> buffer;
  for (std::size_t at = 0; at < value.size();) {
    std::size_t size = 0;
    for (; at + size < value.size(); ++size) {
      const auto c = static_cast<unsigned char>(value[at + size]);
      const bool letter = (c | 0x20U) - unsigned{'a'} < 26U || c >= 0x80 || c - unsigned{'0'} < 10U;
      if (!letter) break;
      if (size < buffer.size()) buffer[size] = static_cast<char>(c - unsigned{'A'} < 26U ? c | 0x20U : c);
    }
    if (size > 0 && size <= buffer.size() && each(std::string_view(buffer.data(), size))) return true;
    at += size + 1;
  }
  return false;
}

bool names_boilerplate(std::string_view value) {
  bool of = false;
  return any_word(value, [&](std::string_view word) {
    const bool found = !of && is_boilerplate(word);
    of = is_one_of(word, kOf);
    return found;
  });
}

// Those that hold parts of a page. What is a word in a sentence is none.
bool may_be_part(Tag tag) {
  const Role role = element_of(tag).role;
  return (role == Role::block || role == Role::cell) && tag != "body"_tag && tag != "html"_tag && tag != "title"_tag &&
         tag != "article"_tag;
}

}  // namespace

Says what_element_says(Tag tag, std::string_view attributes) {
  switch (tag) {
    case "main"_tag:
      return Says::main;
    case "nav"_tag:
    case "aside"_tag:
    case "footer"_tag:
    case "menu"_tag:
    case "select"_tag:
    case "button"_tag:
      return Says::boilerplate;
    case "header"_tag:
      return Says::header;
    default:
      break;
  }
  if (attributes.empty() || !may_be_part(tag)) return Says::nothing;
  if (const std::optional<std::string_view> role = find_attribute(attributes, "role")) {
    if (same_name(*role, "main")) return Says::main;
    for (const std::string_view one : kRoles)
      if (same_name(*role, one)) return Says::boilerplate;
  }
  const std::string_view id = find_attribute(attributes, "id").value_or("");
  const bool header = same_name(id, "header") || same_name(id, "head") || same_name(id, "top");
  if (header || names_boilerplate(id) || names_boilerplate(find_attribute(attributes, "class").value_or("")))
    return Says::boilerplate;
  return Says::nothing;
}

bool may_say_main(std::string_view page) {
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1))
    if (same_name(page.substr(at + 1, 4), "main")) return true;
  for (std::size_t at = page.find("role"); at != std::string_view::npos; at = page.find("role", at + 1))
    if (page.substr(at + 4, 12).find("main") != std::string_view::npos) return true;
  return false;
}

}  // namespace refrain::html
