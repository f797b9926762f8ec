#include "corpus/html_text.h"

#include <fmt/format.h>
#include <gumbo.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <span>

namespace refrain {

namespace {

constexpr std::uint64_t kMemoryPerByte = 256;
constexpr std::uint64_t kLeastMemory = std::uint64_t{4} << 20;

bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

// Elements that cannot hold any, or that end by themselves where the next one begins.
bool never_nests(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_AREA:
    case GUMBO_TAG_BASE:
    case GUMBO_TAG_BR:
    case GUMBO_TAG_COL:
    case GUMBO_TAG_EMBED:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_IMG:
    case GUMBO_TAG_INPUT:
    case GUMBO_TAG_LINK:
    case GUMBO_TAG_META:
    case GUMBO_TAG_PARAM:
    case GUMBO_TAG_SOURCE:
    case GUMBO_TAG_TRACK:
    case GUMBO_TAG_WBR:
    case GUMBO_TAG_A:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_P:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
    case GUMBO_TAG_THEAD:
    case GUMBO_TAG_TR:
      return true;
    default:
      return false;
  }
}

// Those with which drawings and formulas end, or text begins inside them.
bool leaves_drawing(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_UNKNOWN:
    case GUMBO_TAG_A:
    case GUMBO_TAG_FONT:
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_SVG:
      return false;
    default:
      return true;
  }
}

// Whether a parser may come to nest elements too deep. Counts every tag that is opened and not closed, without asking
// where it stands: in a script or a comment it costs nothing to be careful.
bool nests_too_deep(std::string_view html) {
  constexpr std::size_t kNames = std::size_t{GUMBO_TAG_LAST} + 64;  // and some for those that HTML does not know
  std::array<std::size_t, kNames> open{};
  std::size_t depth = 0;
  bool in_drawing = false;  // where <path/> opens nothing
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    ++at;
    const bool closing = at < html.size() && html[at] == '/';
    if (closing) ++at;
    if (at >= html.size() || !is_letter(html[at])) continue;
    const std::size_t begin = at;
    while (at < html.size() && !is_space(html[at]) && html[at] != '/' && html[at] != '>' && html[at] != '<') ++at;
    const std::string_view name = html.substr(begin, at - begin);
    const GumboTag tag = gumbo_tagn_enum(name.data(), static_cast<unsigned>(std::min<std::size_t>(name.size(), 64)));
    std::size_t slot = tag;
    if (tag == GUMBO_TAG_UNKNOWN) {
      std::size_t hash = 0;
      for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(c | 0x20);
      slot = GUMBO_TAG_LAST + hash % 64;
    }
    if (closing) {
      if (tag == GUMBO_TAG_SVG) in_drawing = false;
      if (open[slot] > 0) {
        --open[slot];
        --depth;
      }
      continue;
    }
    if (tag == GUMBO_TAG_SVG)
      in_drawing = true;
    else if (leaves_drawing(tag))
      in_drawing = false;
    if (never_nests(tag)) continue;
    if (in_drawing) {
      const std::size_t end = html.find_first_of("<>", at);
      if (end != std::string_view::npos && html[end] == '>' && html[end - 1] == '/') continue;
    }
    ++open[slot];
    if (++depth > kMaxHtmlDepth) return true;
  }
  return false;
}

enum class Role { inline_text, block, cell, line_break, preformatted, hidden, head };

Role role_of(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_SCRIPT:
    case GUMBO_TAG_STYLE:
    case GUMBO_TAG_TEMPLATE:
    case GUMBO_TAG_IFRAME:
    case GUMBO_TAG_NOEMBED:
    case GUMBO_TAG_NOFRAMES:
      return Role::hidden;
    case GUMBO_TAG_HEAD:
      return Role::head;
    case GUMBO_TAG_BR:
      return Role::line_break;
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
      return Role::cell;
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_TEXTAREA:
    case GUMBO_TAG_LISTING:
    case GUMBO_TAG_XMP:
    case GUMBO_TAG_PLAINTEXT:
      return Role::preformatted;
    case GUMBO_TAG_ADDRESS:
    case GUMBO_TAG_ARTICLE:
    case GUMBO_TAG_ASIDE:
    case GUMBO_TAG_BLOCKQUOTE:
    case GUMBO_TAG_BODY:
    case GUMBO_TAG_CAPTION:
    case GUMBO_TAG_CENTER:
    case GUMBO_TAG_DD:
    case GUMBO_TAG_DETAILS:
    case GUMBO_TAG_DIR:
    case GUMBO_TAG_DIV:
    case GUMBO_TAG_DL:
    case GUMBO_TAG_DT:
    case GUMBO_TAG_FIELDSET:
    case GUMBO_TAG_FIGCAPTION:
    case GUMBO_TAG_FIGURE:
    case GUMBO_TAG_FOOTER:
    case GUMBO_TAG_FORM:
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_HEADER:
    case GUMBO_TAG_HGROUP:
    case GUMBO_TAG_HR:
    case GUMBO_TAG_HTML:
    case GUMBO_TAG_LEGEND:
    case GUMBO_TAG_LI:
    case GUMBO_TAG_MAIN:
    case GUMBO_TAG_MENU:
    case GUMBO_TAG_NAV:
    case GUMBO_TAG_OL:
    case GUMBO_TAG_OPTGROUP:
    case GUMBO_TAG_OPTION:
    case GUMBO_TAG_P:
    case GUMBO_TAG_SECTION:
    case GUMBO_TAG_SELECT:
    case GUMBO_TAG_SUMMARY:
    case GUMBO_TAG_TABLE:
    case GUMBO_TAG_TBODY:
    case GUMBO_TAG_TFOOT:
    case GUMBO_TAG_THEAD:
    case GUMBO_TAG_TITLE:
    case GUMBO_TAG_TR:
    case GUMBO_TAG_UL:
      return Role::block;
    default:
      return Role::inline_text;
  }
}

// Puts runs of text side by side, with the white space between them that they call for.
class Lines {
 public:
  explicit Lines(Array<char>& text) : text_(text) { text_.clear(); }

  void space() { pending_ = std::max(pending_, Pending::space); }
  void line() { pending_ = Pending::line; }

  void add(std::string_view run, bool as_it_is) {
    if (as_it_is && !run.empty()) {
      flush();
      append(run);
      return;
    }
    while (!run.empty()) {
      const auto* const word = std::find_if_not(run.begin(), run.end(), is_space);
      if (word != run.begin()) space();
      const auto* const end = std::find_if(word, run.end(), is_space);
      if (word == end) break;
      flush();
      append({word, end});
      run = {end, run.end()};
    }
  }

  void end() {
    std::size_t size = text_.size();
    while (size > 0 && is_space(text_[size - 1])) --size;
    text_.resize(size);
  }

 private:
  enum class Pending { none, space, line };

  void append(std::string_view run) { text_.append(std::span(run.data(), run.size())); }
  void flush() {
    const char last = text_.empty() ? '\n' : text_[text_.size() - 1];
    if (pending_ == Pending::line && last != '\n') text_.push_back('\n');
    if (pending_ == Pending::space && !is_space(last)) text_.push_back(' ');
    pending_ = Pending::none;
  }

  Array<char>& text_;
  Pending pending_ = Pending::none;
};

// What the parser is called with, and gives.
struct Parse {
  HtmlArena& arena;
  std::string_view html;
  GumboOutput* output = nullptr;
  std::size_t attributes = 0;  // since the last element

  static void* allocate(void* self, std::size_t bytes) {
    Parse& parse = *static_cast<Parse*>(self);
    if (bytes == sizeof(GumboNode)) parse.attributes = 0;
    if (bytes == sizeof(GumboAttribute) && ++parse.attributes > kMaxHtmlAttributes) parse.arena.refuse();
    return parse.arena.allocate(bytes);
  }
  static void release(void* self, void* memory) { static_cast<Parse*>(self)->arena.release(memory); }
  static void run(void* self) {
    Parse& parse = *static_cast<Parse*>(self);
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = allocate;
    options.deallocator = release;
    options.userdata = self;
    options.max_errors = 0;
    parse.output = gumbo_parse_with_options(&options, parse.html.data(), parse.html.size());
  }
};

}  // namespace

struct HtmlText::Frame {
  const GumboNode* node;
  std::uint32_t next;  // of its children
  bool in_head;
  bool as_it_is;
};

HtmlText::HtmlText(MemoryBudget& budget) : arena_(budget), frames_(budget, "parsing HTML") {}

std::string HtmlText::read(std::string_view html, const std::function<void(std::size_t)>& grow, Array<char>& text) {
  text.clear();
  if (html.size() > INT_MAX) return "the page is longer than 2 GiB";
  if (nests_too_deep(html)) return fmt::format("the page nests elements more than {} deep", kMaxHtmlDepth);
  Parse parse{arena_, html};
  const std::uint64_t limit = std::max(kLeastMemory, kMemoryPerByte * html.size());
  if (!arena_.run(limit, grow, Parse::run, &parse)) return "the page takes too much to be parsed";

  // Frames are kept as bytes, so that nothing but this file knows the parser.
  Lines lines(text);
  frames_.clear();
  const auto push = [&](const GumboNode* node, bool in_head, bool as_it_is) {
    const Frame frame{node, 0, in_head, as_it_is};
    frames_.append(std::span(reinterpret_cast<const char*>(&frame), sizeof(Frame)));
  };
  push(parse.output->root, false, false);
  while (!frames_.empty()) {
    Frame& frame = *reinterpret_cast<Frame*>(frames_.data() + frames_.size() - sizeof(Frame));
    const GumboVector& children = frame.node->v.element.children;
    if (frame.next == children.length) {
      const Role role = role_of(frame.node->v.element.tag);
      if (role == Role::block || role == Role::preformatted) lines.line();
      if (role == Role::cell) lines.space();
      frames_.resize(frames_.size() - sizeof(Frame));
      continue;
    }
    const auto* const child = static_cast<const GumboNode*>(children.data[frame.next++]);
    if (child->type == GUMBO_NODE_TEXT || child->type == GUMBO_NODE_CDATA || child->type == GUMBO_NODE_WHITESPACE) {
      if (!frame.in_head) lines.add(child->v.text.text, frame.as_it_is);
      continue;
    }
    if (child->type != GUMBO_NODE_ELEMENT) continue;
    const GumboTag tag = child->v.element.tag;
    if (frame.in_head && tag != GUMBO_TAG_TITLE) continue;
    const Role role = role_of(tag);
    if (role == Role::hidden) continue;
    if (role == Role::block || role == Role::preformatted || role == Role::line_break) lines.line();
    if (role == Role::cell) lines.space();
    push(child, role == Role::head, frame.as_it_is || role == Role::preformatted);
  }
  lines.end();
  arena_.clear();
  return {};
}

void HtmlText::shrink() {
  arena_.shrink();
  frames_.resize(0);
}

}  // namespace refrain
