// Mailboxes (mbox, RFC 4155): messages one after the other, each preceded by a line that begins with "From ".
//
// Such a line separates messages only at the beginning of the file or after a blank line. A line of a message that
// begins the same way is escaped by a preceding '>' (">From "), which is removed in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/record_parser.h"
#include "corpus/markup/mail.h"
#include "refrain/input.h"

namespace refrain::corpus {

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
