#include "corpus/markup/mbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "corpus/markup/mime.h"

namespace refrain::corpus {

namespace {

constexpr std::string_view kFromLine = "\nFrom ";
// The length of a blank line and the beginning of a message, without the last byte.
constexpr std::size_t kUndecidedBytes = std::string_view("\n\r\nFrom ").size() - 1;

std::size_t without_undecided(std::size_t size) {
  return size - std::min(size, kUndecidedBytes);
}

// The offset of the next line ">From ", ">>From ", ... from `at` on, or npos.
std::size_t find_escaped(std::string_view message, std::size_t at) {
  constexpr std::string_view kFrom = "From ";
  while ((at = message.find("\n>", at)) != std::string_view::npos) {
    const std::size_t name = message.find_first_not_of('>', at + 1);
    if (name == std::string_view::npos) break;
    if (message.substr(name).starts_with(kFrom)) return at + 1;
    at = name;
  }
  return std::string_view::npos;
}

}  // namespace

std::size_t find_message(std::string_view bytes, std::size_t from) {
  for (std::size_t at = bytes.find(kFromLine, from); at != std::string_view::npos; at = bytes.find(kFromLine, at + 1)) {
    const std::string_view before = bytes.substr(0, at);
    if (before.ends_with('\n') || before.ends_with("\n\r")) return at + 1;
  }
  return std::string_view::npos;
}

std::size_t MboxScanner::last_end(std::string_view bytes) {
  std::size_t last = std::string_view::npos;
  for (std::size_t at = find_message(bytes, searched_); at != std::string_view::npos; at = find_message(bytes, at)) {
    last = at;
    ++records_;
  }
  searched_ = last == std::string_view::npos ? without_undecided(bytes.size()) : 0;
  return last;
}

bool MboxScanner::too_long(std::string_view bytes, std::size_t& held) {
  // A message of the maximum size would have been found by now.
  if (bytes.size() <= most_bytes_ + kUndecidedBytes) return false;
  held = without_undecided(bytes.size());
  searched_ = 0;
  return true;
}

std::size_t MboxScanner::first_end(std::string_view bytes, std::size_t& held) {
  const std::size_t end = find_message(bytes);
  held = without_undecided(bytes.size());
  if (end != std::string_view::npos) ++records_;
  return end;
}

MboxParser::MboxParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options)
    : RecordParser(budget, piece_bytes, options),
      mail_(budget, options.compare),
      unescaped_(budget, "a long message") {}

bool MboxParser::parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) {
  while (piece.begin < piece.end && !builder.full()) {
    const std::string_view bytes(piece.bytes.data() + piece.begin, piece.end - piece.begin);
    const std::string_view message = bytes.substr(0, find_message(bytes));
    if (!without_blanks(message).empty()) {
      const bool good = std::exchange(ready_, false) || read(message, file.path, piece.records_before + 1, turn);
      ready_ = good && !make_room(builder, text_.size(), turn);
      if (ready_) return false;
      if (good)
        add(message, builder);
      else
        builder.add_bad(file.path, piece.line + 1, reason_);
    }
    piece.line += line_breaks(message);
    ++piece.records_before;
    piece.begin += message.size();
  }
  return true;
}

// Sets text_ and id_ and returns true; or sets reason_ and returns false.
bool MboxParser::read(std::string_view message, const std::string& path, std::uint64_t number, LargeTurn& turn) {
  reason_ = too_long_reason(options_.max_doc_bytes);
  if (message.size() > most_bytes_) return false;
  while (message.starts_with('\n') || message.starts_with('\r')) message.remove_prefix(1);
  const bool named = !options_.id_field.empty() && !options_.id_optional;
  headers_ = split_mail(message).headers;
  std::optional<std::string> id = mail_header(headers_, named ? std::string_view(options_.id_field) : "Message-ID");
  if (named && !id) {
    reason_ = fmt::format("no header '{}'", options_.id_field);
    return false;
  }
  if (!named && id && id->starts_with('<') && id->ends_with('>')) id = id->substr(1, id->size() - 2);
  id_ = id && !id->empty() ? std::move(*id) : fmt::format("{}:{}", path, number);
  text_ = mail_.read(unescaped(message, turn), [&](std::size_t bytes) { turn.need(bytes); });
  counts_.replaced += mail_.take_replaced();
  return text_.size() <= options_.max_doc_bytes;
}

std::string_view MboxParser::unescaped(std::string_view message, LargeTurn& turn) {
  std::size_t at = find_escaped(message, 0);
  if (at == std::string_view::npos) return message;
  turn.need(message.size());
  unescaped_.clear();
  std::size_t copied = 0;
  for (; at != std::string_view::npos; at = find_escaped(message, at)) {
    unescaped_.append(std::span(message.data() + copied, at - copied));
    copied = at + 1;
  }
  unescaped_.append(std::span(message.data() + copied, message.size() - copied));
  return {unescaped_.data(), unescaped_.size()};
}

void MboxParser::add(std::string_view message, BatchBuilder& builder) {
  if (!text_.empty()) std::memcpy(builder.room(), text_.data(), text_.size());
  builder.add(text_.size(), id_);
  ++counts_.mails;
  if (builder.raw()) builder.locate(message, {});
  for (std::size_t i = 0; i < options_.extra_fields.size(); ++i)
    if (const std::optional<std::string> value = mail_header(headers_, options_.extra_fields[i]))
      builder.set_field(i, FieldKind::string, *value);
}

void MboxParser::shrink() {
  mail_.shrink();
  unescaped_.resize(0);
}

}  // namespace refrain::corpus
