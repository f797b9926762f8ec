#include "corpus/html/open.h"

#include <algorithm>
#include <utility>

#include "corpus/html/tokens.h"

namespace refrain::html {

namespace {

// The same hash for a name in any case.
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) hash = hash * 31 + (static_cast<unsigned char>(c) | 0x20U);
  return hash;
}

}  // namespace

bool is_grid(Tag tag) {
  return tag == "table"_tag || tag == "tbody"_tag || tag == "tfoot"_tag || tag == "thead"_tag || tag == "tr"_tag;
}

bool Open::is_special() const {
  return language == Language::html ? has(kSpecial) : ends_scope() && tag != "title"_tag;
}

bool Open::ends_scope() const {
  if (language == Language::html) return has(kScope);
  if (language == Language::drawing) return (element().traits & kDrawnText) != 0;
  return (element().traits & kMathText) != 0 || tag == "annotation-xml"_tag;
}

bool Open::is_grid() const {
  return language == Language::html && html::is_grid(tag);
}

Level OpenElements::in_scope(Tag tag) const {
  Level scope = top().scope;
  if (tag == "p"_tag) scope = std::max(scope, innermost_["button"_tag]);
  if (tag == "li"_tag) scope = std::max({scope, innermost_["ol"_tag], innermost_["ul"_tag]});
  return innermost_[tag] >= scope ? innermost_[tag] : 0;
}

Level OpenElements::in_table_scope(Tag tag) const {
  const Level scope = std::max(innermost_["table"_tag], innermost_["template"_tag]);
  return innermost_[tag] >= scope ? innermost_[tag] : 0;
}

Level OpenElements::named(std::string_view name) const {
  const std::uint32_t hash = hash_of(name);
  const Level html = top().html;
  for (Level level = depth_; level > html; --level)
    if (hashes_[level] == hash && same_name(open_[level].name, name)) return level;
  return 0;
}

void OpenElements::push(Tag tag, bool displaces) {
  Open element;
  element.tag = tag;
  add(element, displaces);
}

void OpenElements::push(Tag tag, bool displaces, Language language, std::string_view name) {
  Open element;
  element.tag = tag;
  element.language = language;
  element.name = name;
  element.holds_html = (element.element().traits & (language == Language::drawing ? kDrawnText : kMathText)) != 0;
  add(element, displaces);
}

void OpenElements::add(Open open, bool displaces) {
  if (depth_ == kMaxOpen) pop();
  const Role role = open.element().role;
  const Level table = displaces && top().is_grid() ? innermost_["table"_tag] : 0;
  const Open& parent = table == 0 ? top() : at(table - 1);
  open.context = open.has(kContext) ? open.tag : top().context;
  open.hidden = parent.hidden || role == Role::hidden;
  open.main = parent.main;
  open.aside = parent.aside;
  open.keeps_white_space = parent.keeps_white_space || role == Role::preformatted;
  open.displaced = table != 0;
  if (open.displaced) open.behind = flow_.go_to(at(table).before);
  if (open.is("table"_tag)) open.before = flow_.keep_place();
  if (!open.hidden && role == Role::cell) flow_.space();
  if (!open.hidden && role != Role::cell && role != Role::inline_text) flow_.line();
  ++depth_;
  if (open.language == Language::html) open.same = std::exchange(innermost_[open.tag], depth_);
  hashes_[depth_] = hash_of(open.name);
  top() = open;
  look_around(depth_);
}

void OpenElements::look_around(Level level) {
  Open& open = at(level);
  const Open& around = at(level - 1);
  const bool special = open.is_special();
  open.scope = open.ends_scope() ? level : around.scope;
  open.special = special ? level : around.special;
  open.item = special && !open.is("address"_tag) && !open.is("div"_tag) && !open.is("p"_tag) ? level : around.item;
  open.html = open.language == Language::html ? level : around.html;
}

void OpenElements::pop() {
  do {
    const Open& open = top();
    const Role role = open.element().role;
    if (!open.hidden && role == Role::cell) flow_.space();
    if (!open.hidden && (role == Role::block || role == Role::preformatted)) flow_.line();
    forget(depth_);
    if (open.displaced) flow_.back(at(innermost_["table"_tag]).before, open.behind);
    if (open.is("table"_tag) && innermost_["table"_tag] == 0) flow_.forget_places();
    --depth_;
  } while (top().over);
}

// The element is no longer the innermost of its tag.
void OpenElements::forget(Level level) {
  Level& innermost = innermost_[at(level).tag];
  if (at(level).language != Language::html || innermost != level) return;
  innermost = at(level).same;
  while (at(innermost).over) innermost = at(innermost).same;
}

void OpenElements::pop_through(Level level) {
  while (level != 0 && level <= depth_) pop();
}

void OpenElements::pop_to(Tag tag) {
  while (!top().is(tag)) pop();
}

void OpenElements::pop_implied(Tag but) {
  while (top().has(kImpliedEnd) && !top().is(but)) pop();
}

void OpenElements::end_alone(Level level) {
  if (level == depth_) return pop();
  const bool special = at(level).is_special();
  at(level).over = true;
  forget(level);
  for (Level above = level; special && above <= depth_; ++above) look_around(above);
}

}  // namespace refrain::html
