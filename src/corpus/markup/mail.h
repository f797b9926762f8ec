// E-mail and mailboxes.
//
// The text of an e-mail is its subject, its body and a line for each attachment, with blank lines between the three.
//
// The body consists of the parts that are text. Of alternatives, the plain text is read, or else the HTML. Messages
// inside the message are read, too. Transfer encodings and charsets are decoded; quoted replies are kept.
//
// Attachments are listed wherever they are in the message, also in alternatives that are not read. Their lines have
// the format of base/attachment.h. A part is an attachment if it is not text, if its headers name it or call it an
// attachment, or if it is a message or a calendar entry. The text of attachments that are text is read as well.
//
// With ComparedMail::headers, the lines From, To, Cc and Date come first, followed by a blank line.
//
// Any message can be read, in time proportional to its length: parts that are damaged or nested too deeply are taken
// as literal text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/page_text.h"
#include "corpus/formats/record_parser.h"
#include "corpus/markup/mime.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Its memory is reused from message to message. Not thread-safe.
class MailText {
 public:
  explicit MailText(MemoryBudget& budget, ComparedMail compare = ComparedMail::body);

  // The text of a message, as UTF-8. Valid until the next call. `grow` as in HtmlText::read.
  std::string_view read(std::string_view message, const std::function<void(std::size_t)>& grow);

  // The number of characters since the last call that could not be converted.
  std::uint64_t take_replaced() { return page_.take_replaced(); }

  // Releases the memory of a long message.
  void shrink();

 private:
  using Grow = std::function<void(std::size_t)>;

  void read_message(std::string_view message, unsigned depth, const Grow& grow);
  void read_part(const MailHalves& part, std::string_view usual_type, unsigned depth, const Grow& grow);
  bool read_parts(std::string_view body, const MediaType& type, unsigned depth, const Grow& grow);
  void read_alternatives(std::string_view body, const std::string& boundary, unsigned depth, const Grow& grow);
  void read_text(std::string_view bytes, const MediaType& type, const Grow& grow);
  // `whole`: the part is a whole message, so it is not an attachment if it can be read.
  void list_attachments(const MailHalves& part, std::string_view usual_type, bool whole, unsigned depth,
                        const Grow& grow);
  void list_attachment(const MailHalves& part, const MediaType& type, const Grow& grow);
  std::string name_of(const MailHalves& part, const Grow& grow);
  std::string header_of(std::string_view headers, std::string_view name, const Grow& grow);
  std::string as_utf8(std::string_view bytes, const std::string& declared, const Grow& grow);
  void append(std::string_view text, const Grow& grow);

  MemoryBudget& budget_;
  const ComparedMail compare_;
  PageText page_;
  Array<char> decoded_;
  Array<char> converted_;
  Array<char> text_;
  Array<char> attachments_;      // the lines of the attachments
  std::size_t conversions_ = 0;  // of this message
};

// The header lines at the beginning of a text that was made with ComparedMail::headers, without the blank line after
// them. Empty if the text begins with anything else.
std::string_view leading_headers(std::string_view text);

// Mailboxes (mbox, RFC 4155): messages one after the other, each preceded by a line that begins with "From ".
//
// Such a line separates messages only at the beginning of the file or after a blank line. A line of a message that
// begins the same way is escaped by a preceding '>' (">From "), which is removed in the text.

// The offset where the message after the one at the beginning of `bytes` begins, or npos. The search begins at `from`.
std::size_t find_message(std::string_view bytes, std::size_t from = 0);

class MboxScanner final : public RecordScanner {
 public:
  using RecordScanner::RecordScanner;
  bool rescans() const override { return true; }
  std::size_t last_end(std::string_view bytes) override;
  bool too_long(std::string_view bytes, std::size_t& held) override;
  std::size_t first_end(std::string_view bytes, std::size_t& held) override;

 private:
  std::size_t searched_ = 0;
};

class MboxParser final : public RecordParser {
 public:
  MboxParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options);

  // The id is the Message-ID without its brackets, or the header that the options name. A message without a
  // Message-ID gets the id "path:n", where n is the number of the message in its file, from 1.
  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) override;
  void shrink() override;

 private:
  bool read(std::string_view message, const std::string& path, std::uint64_t number, LargeTurn& turn);
  std::string_view unescaped(std::string_view message, LargeTurn& turn);
  void add(std::string_view message, BatchBuilder& builder);

  MailText mail_;
  Array<char> unescaped_;
  std::string_view text_;  // of the message that was read last
  std::string_view headers_;
  std::string id_;
  std::string reason_;  // why it is bad
  bool ready_ = false;  // it has been read and waits for room
};

}  // namespace refrain::corpus
