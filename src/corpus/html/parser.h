// Tracks which elements the tags of a page open and end, and so where its text belongs: the standard's tree
// construction, without a tree.
//
// The text of a broken page is what browsers show, because the rules are the same. Rules that do not affect the text
// are omitted: formatting that a paragraph ended is not reopened in the next, and overlapping elements are not moved.
//
// The work is linear in the length of any page: each token is read once, a tag looks up its rule (open.h), and every
// element that is opened is closed once.
#pragma once

#include <string_view>

#include "corpus/html/flow.h"
#include "corpus/html/open.h"
#include "corpus/html/tokens.h"

namespace refrain::html {

// The part of a page to read.
enum class Part {
  whole,
  content,  // elements that do not declare themselves to be something else
  main,     // elements that declare themselves the content, and of these the content
  rest,     // what `content` leaves out, but no links
};

// Reads one page.
class Parser {
 public:
  // Keeps references to `page` and `flow`.
  Parser(std::string_view page, Part part, Flow& flow) : part_(part), tokens_(page), flow_(flow), open_(flow) {}

  void run();

  // The bytes of the body's text in the page, without white space between elements: of the requested part, and of all.
  std::size_t shown() const { return shown_; }
  std::size_t seen() const { return seen_; }

 private:
  void doctype(std::string_view declaration);
  void text(std::string_view run, bool references);
  void start(const Token& token);
  void end(const Token& token);

  void start_in_head(const Token& token);
  void end_in_head(Tag tag);
  void open_body();

  bool start_in_drawing(const Token& token);
  void start_in_html(const Token& token);
  bool start_in_select(const Token& token);
  bool start_table_part(const Token& token);
  void start_in_table(const Token& token);
  void start_in_body(const Token& token);
  void start_list_item(Tag tag);
  void read_content(Tag tag);

  bool end_in_drawing(std::string_view name);
  void end_in_html(Tag tag);
  void end_in_select(Tag tag);
  void end_in_body(Tag tag);
  void end_formatting(Tag tag);
  void end_form();

  void push(const Token& token);
  bool shows(const Open& in) const;
  void open_and_close(Tag tag);
  bool select_is_in_table() const;

  const Part part_;
  std::size_t shown_ = 0;
  std::size_t seen_ = 0;
  Tokens tokens_;
  Flow& flow_;
  OpenElements open_;            // empty before the body
  bool has_begun_ = false;       // something other than comments was read
  bool is_standard_ = false;     // begins with the doctype of HTML
  bool head_has_ended_ = false;  // its end tag was read
  bool in_noscript_ = false;     // in a <noscript> of the head
  bool may_have_frames_ = true;  // instead of a body
  bool has_frames_ = false;      // so there is no more text
  bool skips_line_break_ = false;
  bool displaces_ = false;  // elements that begin directly in a table go before it
  bool has_form_ = false;   // in a form, in which no other may begin
};

}  // namespace refrain::html
