#include "corpus/html/parser.h"

#include <algorithm>
#include <utility>

#include "corpus/html/boilerplate.h"
#include "corpus/html/references.h"

namespace refrain::html {

namespace {

constexpr std::size_t kPollBytes = std::size_t{256} << 10;

bool is_cell(Tag tag) {
  return tag == "td"_tag || tag == "th"_tag;
}

bool has(Tag tag, std::uint32_t traits) {
  return (element_of(tag).traits & traits) != 0;
}

// The number of bytes before the first word.
std::size_t leading_space(std::string_view run, bool references) {
  std::size_t at = 0;
  while (at < run.size()) {
    if (is_space(run[at])) {
      ++at;
      continue;
    }
    const Reference reference = references && run[at] == '&' ? read_reference(run, at) : Reference{};
    if (reference.size == 0 || reference.first > ' ' || !is_space(static_cast<char>(reference.first))) break;
    at += reference.size;
  }
  return at;
}

std::string_view without_line_break(std::string_view run) {
  if (run.starts_with("\r\n")) return run.substr(2);
  return run.starts_with('\n') || run.starts_with('\r') ? run.substr(1) : run;
}

}  // namespace

void Parser::run() {
  std::size_t poll_at = kPollBytes;
  while (!has_frames_) {
    const Token token = tokens_.next(open_.top().language != Language::html);
    const bool skips_line_break = std::exchange(skips_line_break_, false);
    if (token.kind == Token::Kind::text)
      text(skips_line_break ? without_line_break(token.text) : token.text, true);
    else if (token.kind == Token::Kind::cdata)
      text(token.text, false);
    else if (token.kind == Token::Kind::start_tag)
      start(token);
    else if (token.kind == Token::Kind::end_tag)
      end(token);
    else if (token.kind == Token::Kind::doctype)
      doctype(token.text);
    else if (token.kind == Token::Kind::end)
      return;
    if (tokens_.position() < poll_at) continue;
    flow_.poll();
    poll_at = tokens_.position() + kPollBytes;
  }
}

// In a page that does not begin with the doctype of HTML, tables may be in paragraphs.
void Parser::doctype(std::string_view declaration) {
  constexpr std::string_view kHtml = "html";
  if (std::exchange(has_begun_, true)) return;
  declaration.remove_prefix(std::string_view("<!doctype").size());
  declaration.remove_prefix(leading_space(declaration, false));
  const std::string_view behind = declaration.substr(std::min(kHtml.size(), declaration.size()));
  is_standard_ = same_name(declaration.substr(0, kHtml.size()), kHtml) && !behind.empty() &&
                 (is_space(behind[0]) || behind[0] == '>');
}

void Parser::text(std::string_view run, bool references) {
  std::size_t word = leading_space(run, references);
  if (open_.depth() == 0) {
    run.remove_prefix(word);
    word = 0;
    if (run.empty()) return;
    open_body();
  }
  const auto write = [&](std::string_view part, const Open& in) {
    const std::size_t bytes = word == run.size() ? 0 : part.size();
    seen_ += in.hidden ? 0 : bytes;
    if (!shows(in)) return;
    shown_ += bytes;
    const bool keeps_zeros = in.language != Language::html && !in.holds_html;
    flow_.text(part, {.references = references, .keeps_white_space = in.keeps_white_space, .keeps_zeros = keeps_zeros});
  };
  if (word == run.size()) return write(run, open_.top());
  has_begun_ = true;
  may_have_frames_ = false;
  if (open_.top().is("colgroup"_tag)) {
    write(run.substr(0, word), open_.top());
    run.remove_prefix(word);
    open_.pop();
  }
  const Level table = open_.top().is_grid() ? open_.innermost("table"_tag) : 0;
  if (table == 0) return write(run, open_.top());
  const Flow::Place behind = flow_.go_to(open_.at(table).before);
  write(run, open_.at(table - 1));
  flow_.back(open_.at(table).before, behind);
}

void Parser::start(const Token& token) {
  has_begun_ = true;
  if (open_.depth() == 0)
    start_in_head(token);
  else if (open_.top().language == Language::html || !start_in_drawing(token))
    start_in_html(token);
}

void Parser::end(const Token& token) {
  has_begun_ = true;
  if (open_.depth() == 0)
    end_in_head(token.tag);
  else if (open_.top().language == Language::html || !end_in_drawing(token.name))
    end_in_html(token.tag);
}

void Parser::start_in_head(const Token& token) {
  const Tag tag = token.tag;
  if (tag == "html"_tag || tag == "head"_tag) return;
  if (in_noscript_) {
    if (tag == "noscript"_tag) return;
    in_noscript_ =
        has(tag, kHead) && tag != "base"_tag && tag != "title"_tag && tag != "script"_tag && tag != "template"_tag;
  }
  if (tag == "noscript"_tag && !head_has_ended_) {
    in_noscript_ = true;
  } else if (tag == "frameset"_tag) {
    has_frames_ = true;
  } else if (has(tag, kHead)) {
    start_in_body(token);
  } else {
    open_body();
    start_in_html(token);
  }
}

void Parser::end_in_head(Tag tag) {
  if (tag == "noscript"_tag) in_noscript_ = false;
  if (tag == "head"_tag && !in_noscript_) head_has_ended_ = true;
  if (tag != "br"_tag && (in_noscript_ || (tag != "body"_tag && tag != "html"_tag))) return;
  open_body();
  end_in_html(tag);
}

void Parser::open_body() {
  in_noscript_ = false;
  open_.push("body"_tag, false);
}

// False if the tag is one of HTML.
bool Parser::start_in_drawing(const Token& token) {
  const Tag tag = token.tag;
  const Open& in = open_.top();
  const Language language = in.language;
  const bool is_glyph = tag == "mglyph"_tag || tag == "malignmark"_tag;
  if (in.holds_html && !(is_glyph && has(in.tag, kMathText))) return false;
  if (tag == "svg"_tag && in.tag == "annotation-xml"_tag && language == Language::formula) return false;
  const auto says = [&](std::string_view name) { return find_attribute(token.attributes, name).has_value(); };
  if (has(tag, kBreaksOut) || (tag == "font"_tag && (says("color") || says("face") || says("size")))) {
    while (open_.top().language != Language::html && !open_.top().holds_html) open_.pop();
    return false;
  }
  open_.push(tag, false, language, token.name);
  if (tag == "annotation-xml"_tag && language == Language::formula) {
    const std::string_view encoding = find_attribute(token.attributes, "encoding").value_or("");
    open_.top().holds_html = same_name(encoding, "text/html") || same_name(encoding, "application/xhtml+xml");
  }
  if (token.self_closing) open_.pop();
  return true;
}

// Each iteration ends an element that the tag cannot be in, or opens one that it has to be in.
void Parser::start_in_html(const Token& token) {
  const Tag tag = token.tag;
  for (;;) {
    const Tag context = open_.top().context;
    if (context == "select"_tag) {
      if (start_in_select(token)) return;
    } else if (context == "colgroup"_tag && tag != "template"_tag) {
      if (tag == "col"_tag) return;
      open_.pop();
    } else if (has(tag, kTablePart)) {
      if (start_table_part(token)) return;
    } else if (is_grid(context) && tag == "table"_tag) {
      open_.pop_to(context);
      open_.pop();
    } else {
      return is_grid(context) ? start_in_table(token) : start_in_body(token);
    }
  }
}

// False if the tag has ended the select and has to be processed further.
bool Parser::start_in_select(const Token& token) {
  const Tag tag = token.tag;
  const bool of_table = tag == "table"_tag || (has(tag, kTablePart) && tag != "col"_tag && tag != "colgroup"_tag);
  if (tag == "script"_tag || tag == "template"_tag) {
    start_in_body(token);
  } else if (tag == "option"_tag || tag == "optgroup"_tag) {
    if (open_.top().is("option"_tag)) open_.pop();
    if (open_.top().is("optgroup"_tag) && tag == "optgroup"_tag) open_.pop();
    open_.push(tag, false);
  } else if (tag == "select"_tag) {
    open_.pop_through(open_.innermost(tag));
  } else if (tag == "input"_tag || tag == "keygen"_tag || tag == "textarea"_tag || (of_table && select_is_in_table())) {
    open_.pop_through(open_.innermost("select"_tag));
    return false;
  }
  return true;
}

// False if another element had to end or begin first.
bool Parser::start_table_part(const Token& token) {
  const Tag tag = token.tag;
  const Tag context = open_.top().context;
  if (context == "body"_tag || context == "template"_tag) return true;
  open_.pop_to(context);
  if (context == "table"_tag) {
    const bool in_section = is_cell(tag) || tag == "tr"_tag;
    open_.push(in_section ? "tbody"_tag : tag == "col"_tag ? "colgroup"_tag : tag, false);
    return !in_section && tag != "col"_tag;
  }
  const bool in_row = context == "tr"_tag;
  const bool fits = in_row ? is_cell(tag) : is_grid(context) && tag == "tr"_tag;
  if (fits)
    push(token);
  else if (is_grid(context) && !in_row && is_cell(tag))
    open_.push("tr"_tag, false);
  else
    open_.pop();
  return fits;
}

// For a tag in a table, but in no cell.
void Parser::start_in_table(const Token& token) {
  if (token.tag == "form"_tag) {
    if (!std::exchange(has_form_, true) && !open_.top().hidden) flow_.line();
    return;
  }
  displaces_ = token.tag != "style"_tag && token.tag != "script"_tag && token.tag != "template"_tag;
  start_in_body(token);
  displaces_ = false;
}

void Parser::start_in_body(const Token& token) {
  const Tag tag = token.tag;
  const Content content = element_of(tag).content;
  const auto is_hidden = [&] { return same_name(find_attribute(token.attributes, "type").value_or(""), "hidden"); };
  if (has(tag, kNoFrames) && !(tag == "input"_tag && is_hidden())) may_have_frames_ = false;
  switch (tag) {
    case "body"_tag:
      may_have_frames_ = false;
      return;
    case "html"_tag:
    case "head"_tag:
    case "frame"_tag:
      return;
    case "frameset"_tag:
      has_frames_ = may_have_frames_ && open_.at(1).is("body"_tag);
      return;
    case "svg"_tag:
    case "math"_tag:
      open_.push(tag, displaces_, tag == "svg"_tag ? Language::drawing : Language::formula, token.name);
      if (token.self_closing) open_.pop();
      return;
    case "form"_tag:
      if (has_form_ && open_.innermost("template"_tag) == 0) return;
      break;
    case "li"_tag:
    case "dd"_tag:
    case "dt"_tag:
      start_list_item(tag);
      break;
    case "button"_tag:
      open_.pop_through(open_.in_scope(tag));
      break;
    case "option"_tag:
    case "optgroup"_tag:
      if (open_.top().is("option"_tag)) open_.pop();
      break;
    case "a"_tag:
    case "nobr"_tag:
      end_formatting(tag);
      break;
    default:
      break;
  }
  if (has(tag, kRubyPart) && open_.in_scope("ruby"_tag) != 0)
    open_.pop_implied(tag == "rt"_tag || tag == "rp"_tag ? "rtc"_tag : ""_tag);
  if (has(tag, kClosesP) && (is_standard_ || tag != "table"_tag)) open_.pop_through(open_.in_scope("p"_tag));
  if (has(tag, kHeading) && open_.top().has(kHeading)) open_.pop();
  if (content == Content::nothing) return open_and_close(tag);
  if (content != Content::markup) return read_content(tag);
  push(token);
  skips_line_break_ = tag == "pre"_tag || tag == "listing"_tag;
  if (tag == "form"_tag && open_.innermost("template"_tag) == 0) has_form_ = open_.top().is_last_form = true;
}

// An item ends the previous one.
void Parser::start_list_item(Tag tag) {
  const Level level = open_.top().item;
  const Open& item = open_.at(level);
  if (tag == "li"_tag ? item.is(tag) : item.is("dd"_tag) || item.is("dt"_tag)) open_.pop_through(level);
}

// Reads an element whose content is not markup.
void Parser::read_content(Tag tag) {
  const Element& element = element_of(tag);
  std::string_view content = tokens_.content(tag);
  if (element.role == Role::hidden) return;
  if (tag == "textarea"_tag) content = without_line_break(content);
  open_.push(tag, displaces_);
  const Open& in = open_.top();
  const bool references = element.content == Content::text;
  if (shows(in) || (tag == "title"_tag && open_.depth() == 1))
    flow_.text(content, {.references = references, .keeps_white_space = in.keeps_white_space, .keeps_zeros = true});
  open_.pop();
}

// False if it ends nothing in the drawing or formula.
bool Parser::end_in_drawing(std::string_view name) {
  const Level level = open_.named(name);
  open_.pop_through(level);
  return level != 0;
}

void Parser::end_in_html(Tag tag) {
  if (tag == "template"_tag) return open_.pop_through(open_.innermost(tag));
  const bool of_table = has(tag, kTablePart) || tag == "table"_tag;
  if (open_.top().context == "select"_tag) {
    if (!of_table) return end_in_select(tag);
    if (!select_is_in_table()) return;
  }
  if (open_.top().context == "colgroup"_tag && tag != "col"_tag && !is_grid(tag)) {
    open_.pop();
    if (tag == "colgroup"_tag) return;
  }
  if (of_table) return open_.pop_through(open_.in_table_scope(tag));
  if (tag == "body"_tag || tag == "html"_tag) return;
  displaces_ = is_grid(open_.top().context);
  end_in_body(tag);
  displaces_ = false;
}

void Parser::end_in_select(Tag tag) {
  if (tag == "optgroup"_tag && open_.top().is("option"_tag) && open_.at(open_.depth() - 1).is(tag)) open_.pop();
  if ((tag == "option"_tag || tag == "optgroup"_tag) && open_.top().is(tag)) open_.pop();
  if (tag == "select"_tag) open_.pop_through(open_.innermost(tag));
}

void Parser::end_in_body(Tag tag) {
  if (tag == "br"_tag) return open_and_close(tag);
  if (tag == "form"_tag) return end_form();
  if (has(tag, kFormatting)) return end_formatting(tag);
  if (tag == "p"_tag && open_.in_scope(tag) == 0) return open_and_close(tag);
  if (has(tag, kEndsInScope)) return open_.pop_through(open_.in_scope(tag));
  if (has(tag, kHeading)) {
    Level heading = 0;
    for (const Tag other : {"h1"_tag, "h2"_tag, "h3"_tag, "h4"_tag, "h5"_tag, "h6"_tag})
      heading = std::max(heading, open_.in_scope(other));
    return open_.pop_through(heading);
  }
  if (open_.innermost(tag) >= open_.top().special) open_.pop_through(open_.innermost(tag));
}

// Blocks that are open in the element stay open.
void Parser::end_formatting(Tag tag) {
  const Level begin = open_.in_scope(tag);
  if (begin == 0 || begin > open_.top().special) return open_.pop_through(begin);
  open_.pop_through(open_.top().special + 1);
  for (Level level = begin; level < open_.depth(); ++level) {
    const Open& open = open_.at(level);
    if (level == begin || (!open.is_special() && !open.has(kFormatting))) open_.end_alone(level);
  }
}

// Elements that are open in the form stay open.
void Parser::end_form() {
  const Level level = open_.innermost("form"_tag);
  Open& form = open_.at(level);
  if (open_.innermost("template"_tag) == 0) {
    has_form_ = false;
    if (!std::exchange(form.is_last_form, false)) return;
  }
  if (open_.in_scope("form"_tag) == 0) return;
  open_.pop_implied(""_tag);
  if (open_.innermost("template"_tag) == 0 || level == open_.depth()) open_.end_alone(level);
}

void Parser::push(const Token& token) {
  open_.push(token.tag, displaces_);
  if (part_ == Part::whole) return;
  const DeclaredRole says = declared_role(token.tag, token.attributes);
  // The header of an article or a section contains its title.
  const bool of_page =
      open_.innermost("article"_tag) == 0 && open_.innermost("section"_tag) == 0 && open_.innermost("main"_tag) == 0;
  Open& open = open_.top();
  if (says == DeclaredRole::main) open.main = true, open.aside = false;
  if (says == DeclaredRole::boilerplate || (says == DeclaredRole::header && of_page)) open.aside = true;
}

bool Parser::shows(const Open& in) const {
  if (in.hidden) return false;
  if (part_ == Part::rest) return in.aside && open_.innermost("a"_tag) == 0;
  return !in.aside && (part_ != Part::main || in.main);
}

void Parser::open_and_close(Tag tag) {
  if (element_of(tag).role == Role::inline_text) return;
  open_.push(tag, displaces_);
  open_.pop();
}

bool Parser::select_is_in_table() const {
  const Tag context = open_.at(open_.innermost("select"_tag) - 1).context;
  return is_grid(context) || is_cell(context) || context == "caption"_tag;
}

}  // namespace refrain::html
