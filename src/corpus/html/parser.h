// What the tags of a page open and end, and so where its text stands: the standard's tree construction, for its text.
//
// A broken page has the text that browsers show, because the rules are theirs. Left out is what no text shows:
// formatting that a paragraph ended is not opened again in the next, and of elements that overlap none is moved.
//
// The work is linear in the length of the page, whatever is in it: tokens are read once, a tag looks its rule up
// (html_open.h), and every element that is opened is closed once.
#pragma once

#include <string_view>

#include "corpus/html/flow.h"
#include "corpus/html/open.h"
#include "corpus/html/tokens.h"

namespace refrain::html {

// Which part of a page is read.
enum class Part {
  whole,
  content,  // what does not say that it is something else
  main,     // what says that it is the content, and of that the content
};

// Reads one page.
class Parser {
 public:
  // Keeps references to both.
  Parser(std::string_view page, Part part, Flow& flow) : part_(part), tokens_(page), flow_(flow), open_(flow) {}

  void run();

  // Bytes of the body's text in the page, white space between elements aside: of what was asked for, and of all.
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
  bool shows(const Open& in) const { return !in.hidden && !in.aside && (part_ != Part::main || in.main); }
  void open_and_close(Tag tag);
  bool select_is_in_table() const;

  const Part part_;
  std::size_t shown_ = 0;
  std::size_t seen_ = 0;
  Tokens tokens_;
  Flow& flow_;
  OpenElements open_;            // none: before the body
  bool has_begun_ = false;       // with more than comments
  bool is_standard_ = false;     // begins with the doctype of HTML
  bool head_has_ended_ = false;  // by its tag
  bool in_noscript_ = false;     // of the head
  bool may_have_frames_ = true;  // instead of a body
  bool has_frames_ = false;      // so there is no more text
  bool skips_line_break_ = false;
  bool displaces_ = false;  // what begins right in a table goes before it
  bool has_form_ = false;   // in which no other may begin
};

}  // namespace refrain::html
