// What an e-mail says: its subject, a blank line, and its text.
//
// Of the parts of a message the text counts, and of alternatives the plain one, else the HTML. Messages inside it are
// read too; of images and other attachments that are no text only kind, size and a checksum. Transfer encodings and charsets are undone;
// quoted replies stay.
//
// Every message has a text, and takes time in proportion to its length: parts that are damaged, or nested too deep, are
// text as they stand.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/page_text.h"
#include "corpus/markup/mime.h"

namespace refrain::corpus {

// Its memory is reused from message to message. Not thread-safe.
class MailText {
 public:
  explicit MailText(MemoryBudget& budget);

  // The text of a message, as UTF-8. Valid until the next call. `grow` as in HtmlText::read.
  std::string_view read(std::string_view message, const std::function<void(std::size_t)>& grow);

  // Characters that their charset did not know, since the last call.
  std::uint64_t take_replaced() { return page_.take_replaced(); }

  // Gives back what a long message took.
  void shrink();

 private:
  using Grow = std::function<void(std::size_t)>;

  void read_message(std::string_view message, unsigned depth, const Grow& grow);
  void read_part(const MailHalves& part, std::string_view usual_type, unsigned depth, const Grow& grow);
  bool read_parts(std::string_view body, const MediaType& type, unsigned depth, const Grow& grow);
  void name_attachment(const MailHalves& part, const MediaType& type, const Grow& grow);
  void read_alternatives(std::string_view body, const std::string& boundary, unsigned depth, const Grow& grow);
  void read_text(std::string_view bytes, const MediaType& type, const Grow& grow);
  std::string subject_of(std::string_view headers, const Grow& grow);
  void append(std::string_view text, const Grow& grow);

  MemoryBudget& budget_;
  PageText page_;
  Array<char> decoded_;
  Array<char> converted_;
  Array<char> text_;
  std::size_t conversions_ = 0;  // of this message
};

}  // namespace refrain::corpus
