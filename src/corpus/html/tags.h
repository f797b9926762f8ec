// The elements of HTML, and what must be known of each to read the text of a page: one row per element.
//
// The rows follow the HTML standard, section "tree construction", where it describes the tags of each element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace refrain::html {

// The effect of an element on the lines of the text.
enum class Role : std::uint8_t { inline_text, block, cell, line_break, preformatted, hidden };

// The kind of content between the tags of an element.
enum class Content : std::uint8_t {
  markup,
  nothing,  // there is no end tag
  text,     // and references, but no tags
  raw,      // no references either
  script,   // like raw; an end tag inside a comment does not count
  rest      // the whole rest of the page is text
};

enum Trait : std::uint32_t {
  kSpecial = 1U << 0U,      // the end tag of an inline element does not reach past it
  kScope = 1U << 1U,        // the end tag of a block does not reach past it either
  kTableScope = 1U << 2U,   // nor does that of a part of a table
  kClosesP = 1U << 3U,      // ends an open paragraph when it begins
  kImpliedEnd = 1U << 4U,   // ends, without a tag, when the element around it ends
  kFormatting = 1U << 5U,   // may overlap with blocks
  kEndsInScope = 1U << 6U,  // its end tag ends the elements that are open in it
  kHeading = 1U << 7U,
  kHead = 1U << 8U,        // means the same anywhere in a page
  kTablePart = 1U << 9U,   // is meaningful only in a table
  kContext = 1U << 10U,    // determines the meaning of tags in it
  kBreaksOut = 1U << 11U,  // ends the drawing or the formula it is in
  kNoFrames = 1U << 12U,   // a page with this element does not consist of frames
  kRubyPart = 1U << 13U,
  kMathText = 1U << 14U,  // of a formula: its content is HTML
  kDrawnText = 1U << 15U  // of a drawing: its content is HTML
};

struct Element {
  std::string_view name;
  Role role = Role::inline_text;
  Content content = Content::markup;
  std::uint32_t traits = 0;
};

namespace rows {

using enum Role;
using enum Content;

inline constexpr std::uint32_t kBlock = kSpecial | kClosesP | kEndsInScope;
inline constexpr std::uint32_t kSection = kSpecial | kTablePart | kContext;

// Sorted by name. The first row stands for all elements that are not listed.
inline constexpr auto kElements = std::to_array<Element>({
    {""},
    {"a", inline_text, markup, kFormatting},
    {"abbr"},
    {"acronym"},
    {"address", block, markup, kBlock},
    {"annotation-xml"},
    {"applet", inline_text, markup, kSpecial | kScope | kEndsInScope | kNoFrames},
    {"area", inline_text, nothing, kSpecial | kNoFrames},
    {"article", block, markup, kBlock},
    {"aside", block, markup, kBlock},
    {"audio"},
    {"b", inline_text, markup, kFormatting | kBreaksOut},
    {"base", inline_text, nothing, kSpecial | kHead},
    {"basefont", inline_text, nothing, kSpecial | kHead},
    {"bdi"},
    {"bdo"},
    {"bgsound", inline_text, nothing, kSpecial | kHead},
    {"big", inline_text, markup, kFormatting | kBreaksOut},
    {"blink"},
    {"blockquote", block, markup, kBlock | kBreaksOut},
    {"body", block, markup, kSpecial | kContext | kBreaksOut},
    {"br", line_break, nothing, kSpecial | kBreaksOut | kNoFrames},
    {"button", inline_text, markup, kSpecial | kEndsInScope | kNoFrames},
    {"canvas"},
    {"caption", block, markup, kSection | kScope},
    {"center", block, markup, kBlock | kBreaksOut},
    {"cite"},
    {"code", inline_text, markup, kFormatting | kBreaksOut},
    {"col", inline_text, nothing, kSpecial | kTablePart},
    {"colgroup", inline_text, markup, kSection},
    {"data"},
    {"datalist"},
    {"dd", block, markup, kBlock | kImpliedEnd | kBreaksOut | kNoFrames},
    {"del"},
    {"desc", inline_text, markup, kDrawnText},
    {"details", block, markup, kBlock},
    {"dfn"},
    {"dir", block, markup, kBlock},
    {"div", block, markup, kBlock | kBreaksOut},
    {"dl", block, markup, kBlock | kBreaksOut},
    {"dt", block, markup, kBlock | kImpliedEnd | kBreaksOut | kNoFrames},
    {"em", inline_text, markup, kFormatting | kBreaksOut},
    {"embed", inline_text, nothing, kSpecial | kBreaksOut | kNoFrames},
    {"fieldset", block, markup, kBlock},
    {"figcaption", block, markup, kBlock},
    {"figure", block, markup, kBlock},
    {"font", inline_text, markup, kFormatting},
    {"footer", block, markup, kBlock},
    {"foreignobject", inline_text, markup, kDrawnText},
    {"form", block, markup, kSpecial | kClosesP},
    {"frame", inline_text, nothing, kSpecial},
    {"frameset", inline_text, markup, kSpecial},
    {"h1", block, markup, kSpecial | kClosesP | kHeading | kBreaksOut},
    {"h2", block, markup, kSpecial | kClosesP | kHeading | kBreaksOut},
    {"h3", block, markup, kSpecial | kClosesP | kHeading | kBreaksOut},
    {"h4", block, markup, kSpecial | kClosesP | kHeading | kBreaksOut},
    {"h5", block, markup, kSpecial | kClosesP | kHeading | kBreaksOut},
    {"h6", block, markup, kSpecial | kClosesP | kHeading | kBreaksOut},
    {"head", inline_text, markup, kSpecial | kBreaksOut},
    {"header", block, markup, kBlock},
    {"hgroup", block, markup, kBlock},
    {"hr", block, nothing, kSpecial | kClosesP | kBreaksOut | kNoFrames},
    {"html", block, markup, kSpecial},
    {"i", inline_text, markup, kFormatting | kBreaksOut},
    {"iframe", hidden, raw, kSpecial | kNoFrames},
    {"image", inline_text, nothing, kNoFrames},
    {"img", inline_text, nothing, kSpecial | kBreaksOut | kNoFrames},
    {"input", inline_text, nothing, kSpecial | kNoFrames},
    {"ins"},
    {"isindex", inline_text, nothing, kSpecial | kNoFrames},
    {"kbd"},
    {"keygen", inline_text, nothing, kNoFrames},
    {"label"},
    {"legend", block},
    {"li", block, markup, kBlock | kImpliedEnd | kBreaksOut | kNoFrames},
    {"link", inline_text, nothing, kSpecial | kHead},
    {"listing", preformatted, markup, kBlock | kBreaksOut | kNoFrames},
    {"main", block, markup, kClosesP | kEndsInScope},
    {"malignmark"},
    {"map"},
    {"mark"},
    {"marquee", inline_text, markup, kSpecial | kScope | kEndsInScope | kNoFrames},
    {"math"},
    {"menu", block, markup, kBlock | kBreaksOut},
    {"menuitem", inline_text, nothing, kSpecial | kHead},
    {"meta", inline_text, nothing, kSpecial | kHead | kBreaksOut},
    {"meter"},
    {"mglyph"},
    {"mi", inline_text, markup, kMathText},
    {"mn", inline_text, markup, kMathText},
    {"mo", inline_text, markup, kMathText},
    {"ms", inline_text, markup, kMathText},
    {"mtext", inline_text, markup, kMathText},
    {"multicol"},
    {"nav", block, markup, kBlock},
    {"nextid"},
    {"nobr", inline_text, markup, kFormatting | kBreaksOut},
    {"noembed", hidden, raw, kSpecial},
    {"noframes", hidden, raw, kSpecial | kHead},
    {"noscript", inline_text, markup, kSpecial},
    {"object", inline_text, markup, kSpecial | kScope | kEndsInScope | kNoFrames},
    {"ol", block, markup, kBlock | kBreaksOut},
    {"optgroup", block, markup, kImpliedEnd},
    {"option", block, markup, kImpliedEnd},
    {"output"},
    {"p", block, markup, kBlock | kImpliedEnd | kBreaksOut},
    {"param", inline_text, nothing, kSpecial},
    {"plaintext", preformatted, rest, kSpecial | kClosesP},
    {"pre", preformatted, markup, kBlock | kBreaksOut | kNoFrames},
    {"progress"},
    {"q"},
    {"rb", inline_text, markup, kImpliedEnd | kRubyPart},
    {"rp", inline_text, markup, kImpliedEnd | kRubyPart},
    {"rt", inline_text, markup, kImpliedEnd | kRubyPart},
    {"rtc", inline_text, markup, kImpliedEnd | kRubyPart},
    {"ruby", inline_text, markup, kBreaksOut},
    {"s", inline_text, markup, kFormatting | kBreaksOut},
    {"samp"},
    {"script", hidden, script, kSpecial | kHead},
    {"section", block, markup, kBlock},
    {"select", block, markup, kSpecial | kContext | kNoFrames},
    {"small", inline_text, markup, kFormatting | kBreaksOut},
    {"source", inline_text, nothing},
    {"spacer"},
    {"span", inline_text, markup, kBreaksOut},
    {"strike", inline_text, markup, kFormatting | kBreaksOut},
    {"strong", inline_text, markup, kFormatting | kBreaksOut},
    {"style", hidden, raw, kSpecial | kHead},
    {"sub", inline_text, markup, kBreaksOut},
    {"summary", block, markup, kBlock},
    {"sup", inline_text, markup, kBreaksOut},
    {"svg"},
    {"table", block, markup, kSpecial | kScope | kTableScope | kContext | kClosesP | kBreaksOut | kNoFrames},
    {"tbody", block, markup, kSection},
    {"td", cell, markup, kSection | kScope},
    {"template", hidden, markup, kSpecial | kScope | kTableScope | kContext | kHead | kNoFrames},
    {"textarea", preformatted, text, kSpecial | kNoFrames},
    {"tfoot", block, markup, kSection},
    {"th", cell, markup, kSection | kScope},
    {"thead", block, markup, kSection},
    {"time"},
    {"title", block, text, kSpecial | kHead | kDrawnText},
    {"tr", block, markup, kSection},
    {"track", inline_text, nothing},
    {"tt", inline_text, markup, kFormatting | kBreaksOut},
    {"u", inline_text, markup, kFormatting | kBreaksOut},
    {"ul", block, markup, kBlock | kBreaksOut},
    {"var", inline_text, markup, kBreaksOut},
    {"video"},
    {"wbr", inline_text, nothing, kSpecial | kNoFrames},
    {"xmp", preformatted, raw, kSpecial | kClosesP | kNoFrames},
});

}  // namespace rows

// The index of a row.
using Tag = std::uint8_t;
static_assert(rows::kElements.size() <= 256);

// A tag by its name: "td"_tag. A name that is not in the table does not compile.
consteval Tag operator""_tag(const char* name, std::size_t size) {
  std::size_t row = 0;
  while (rows::kElements.at(row).name != std::string_view(name, size)) ++row;
  return static_cast<Tag>(row);
}

constexpr const Element& element_of(Tag tag) {
  return rows::kElements[tag];
}

// The tag with a name as written in a page, in any case.
Tag find_tag(std::string_view name);

}  // namespace refrain::html
