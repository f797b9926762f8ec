// Mailboxes (mbox, RFC 4155): messages one after the other, each behind a line that begins with "From ".
//
// Such a line is one where it begins the file or stands behind a blank line. A line of a message that begins alike has a
// '>' before it (">From "), which is taken off in what is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/piece.h"
#include "corpus/markup/mail.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Where the next message begins behind the one at the beginning of `bytes`, or npos. The search begins at `from`.
std::size_t find_message(std::string_view bytes, std::size_t from = 0);

// Finds the ends of messages in a file that comes in chunks.
class MboxScanner {
 public:
  explicit MboxScanner(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // The offset behind the last message that ends in `bytes`, which begin with a message and are those of the last call
  // and more, unless that found an end; or npos.
  std::size_t last_end(std::string_view bytes);
  // After last_end() found none: whether the message at the beginning of `bytes` is too long, so that the rest of it is
  // to be passed over. Bytes from `held` on are to be given to first_end() again.
  bool too_long(std::string_view bytes, std::size_t& held);
  // Of what follows a message that is too long: where it ends, or npos. Bytes from `held` on are to be given again.
  std::size_t first_end(std::string_view bytes, std::size_t& held);

  // That have ended so far.
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

  // Parses from piece.begin on until the piece or the room in `builder` ends, and moves piece.begin there. False where
  // the batch has to be used before there is room for the next message.
  //
  // The id is the Message-ID without its brackets, or the header that the options name; where there is no Message-ID,
  // "path:n", n being the number of the message in its file, from 1.
  bool parse(RawPiece& piece, const std::string& path, LargeTurn& turn, BatchBuilder& builder);

  // Characters that their charset did not know, since the last call.
  std::uint64_t take_replaced() { return mail_.take_replaced(); }

  // Gives back what long messages took.
  void shrink();

 private:
  bool read(std::string_view message, const std::string& path, std::uint64_t number, LargeTurn& turn);
  std::string_view unescaped(std::string_view message, LargeTurn& turn);
  void add(std::string_view message, BatchBuilder& builder) const;

  const InputOptions& options_;
  const std::uint64_t most_bytes_;
  MailText mail_;
  Array<char> unescaped_;
  std::string_view text_;  // of the message that was read last
  std::string_view headers_;
  std::string id_;
  std::string reason_;  // why it is bad
  bool ready_ = false;  // it has been read and waits for room
};

}  // namespace refrain::corpus
