// Mailboxes (mbox, RFC 4155): messages one after the other, each preceded by a line that begins with "From ".
//
// Such a line separates messages only at the beginning of the file or after a blank line. A line of a message that
// begins the same way is escaped by a preceding '>' (">From "), which is removed in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/piece.h"
#include "corpus/markup/mail.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The offset where the message after the one at the beginning of `bytes` begins, or npos. The search begins at `from`.
std::size_t find_message(std::string_view bytes, std::size_t from = 0);

// Finds the ends of messages in a file that is read in chunks.
class MboxScanner {
 public:
  explicit MboxScanner(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // The offset after the last message that ends in `bytes`, or npos. `bytes` must begin with a message. If the
  // previous call returned npos, they must begin with the bytes of that call.
  std::size_t last_end(std::string_view bytes);
  // To be called after last_end() returned npos: whether the message at the beginning of `bytes` is too long, so that
  // the rest of it has to be skipped. Bytes from `held` on must be passed to first_end() again.
  bool too_long(std::string_view bytes, std::size_t& held);
  // The offset where a message that is too long ends in the bytes that follow, or npos. Bytes from `held` on must be
  // passed again.
  std::size_t first_end(std::string_view bytes, std::size_t& held);

  // The number of messages that have ended so far.
  std::uint64_t messages() const { return messages_; }

 private:
  const std::uint64_t most_bytes_;
  std::size_t searched_ = 0;
  std::uint64_t messages_ = 0;
};

// Its memory is reused from message to message. Not thread-safe.
class MboxParser {
 public:
  // Keeps a reference to `options`.
  MboxParser(MemoryBudget& budget, const InputOptions& options);

  // Parses from piece.begin until the piece ends or `builder` is full, and updates piece.begin. Returns false if the
  // batch must be used before there is room for the next message.
  //
  // The id is the Message-ID without its brackets, or the header that the options name. A message without a
  // Message-ID gets the id "path:n", where n is the number of the message in its file, from 1.
  bool parse(RawPiece& piece, const std::string& path, LargeTurn& turn, BatchBuilder& builder);

  // The number of characters since the last call that could not be converted.
  std::uint64_t take_replaced() { return mail_.take_replaced(); }

  // The number of messages that were read since the last call.
  std::uint64_t take_messages() { return std::exchange(messages_, 0); }

  // Releases the memory of long messages.
  void shrink();

 private:
  bool read(std::string_view message, const std::string& path, std::uint64_t number, LargeTurn& turn);
  std::string_view unescaped(std::string_view message, LargeTurn& turn);
  void add(std::string_view message, BatchBuilder& builder);

  const InputOptions& options_;
  const std::uint64_t most_bytes_;
  MailText mail_;
  Array<char> unescaped_;
  std::string_view text_;  // of the message that was read last
  std::string_view headers_;
  std::string id_;
  std::uint64_t messages_ = 0;
  std::string reason_;  // why it is bad
  bool ready_ = false;  // it has been read and waits for room
};

}  // namespace refrain::corpus
