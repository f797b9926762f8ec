#include "corpus/markup/mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "base/attachment.h"
#include "corpus/formats/charset.h"
#include "corpus/formats/recognize.h"
#include "corpus/markup/mime.h"

namespace refrain::corpus {

namespace {

constexpr unsigned kMaxDepth = 16;
constexpr std::size_t kMaxSubjectBytes = std::size_t{16} << 10;  // a longer header is not decoded
constexpr std::size_t kMaxNameHeader = std::size_t{4} << 10;     // the same for a header that names an attachment
constexpr std::size_t kMaxConversions = 1000;                    // per message; later parts are not converted
constexpr const char* kWhat = "the text of a long message";
constexpr std::string_view kComparedHeaders[] = {"From", "To", "Cc", "Date"};

// Whether `charset` is a value that programs declare without knowing the charset.
bool is_default_charset(std::string_view charset) {
  static constexpr std::string_view kVague[] = {"", "us-ascii", "ascii", "utf-8", "utf8", "unknown-8bit", "x-unknown"};
  return std::any_of(std::begin(kVague), std::end(kVague),
                     [&](std::string_view vague) { return same_word(charset, vague); });
}

// The charset of a part. If the declared charset is such a default value, the bytes decide.
std::string charset_of_part(std::string_view bytes, const std::string& declared, bool html) {
  if (html && declared.empty()) return charset_of(bytes, {}, true);
  return is_default_charset(declared) ? charset_of_file(bytes) : charset_of(bytes, declared, html);
}

std::string coding_of(const MailHalves& part) {
  return mail_header(part.headers, "content-transfer-encoding").value_or("");
}

// The body of a part without its transfer encoding; in `memory` if it was encoded.
std::string_view transferred(const MailHalves& part, const std::function<void(std::size_t)>& grow,
                             Array<char>& memory) {
  const std::string coding = coding_of(part);
  const bool base64 = same_word(coding, "base64");
  if (!base64 && !same_word(coding, "quoted-printable")) return part.body;
  grow(part.body.size());
  memory.resize(part.body.size());
  return {memory.data(),
          base64 ? decode_base64(part.body, memory.data()) : decode_quoted_printable(part.body, memory.data())};
}

// The content of an attachment; in `memory` if it had to be changed. Lines that were sent as text end with "\n" in
// the result, because mailboxes and mail servers store different line ends.
std::string_view content_of(const MailHalves& part, const MediaType& type, const std::function<void(std::size_t)>& grow,
                            Array<char>& memory) {
  const std::string_view content = transferred(part, grow, memory);
  if (!type.media.starts_with("text/") && same_word(coding_of(part), "base64")) return content;
  const std::size_t first = content.find("\r\n");
  if (first == std::string_view::npos) return content;
  if (content.data() != memory.data()) {
    grow(content.size());
    memory.clear();
    memory.append(std::span(content.data(), content.size()));
  }
  char* to = memory.data() + first;
  for (std::size_t at = first; at < content.size(); ++at)
    if (memory[at] != '\r' || at + 1 == content.size() || memory[at + 1] != '\n') *to++ = memory[at];
  return {memory.data(), static_cast<std::size_t>(to - memory.data())};
}

bool is_message(const MediaType& type) {
  return type.media == "message/rfc822" || type.media == "message/global";
}

MediaType type_of(const MailHalves& part, std::string_view usual) {
  return read_media_type(mail_header(part.headers, "content-type").value_or(""), usual);
}

// The preference among alternatives: the lowest rank that yields text is read.
unsigned rank_of(const std::string& media) {
  if (media == "text/plain") return 0;
  if (media.starts_with("multipart/")) return 1;
  return media == "text/html" ? 2 : 3;
}
constexpr unsigned kRanks = 4;

}  // namespace

MailText::MailText(MemoryBudget& budget, ComparedMail compare)
    : budget_(budget),
      compare_(compare),
      page_(budget),
      decoded_(budget, kWhat),
      converted_(budget, kWhat),
      text_(budget, kWhat),
      attachments_(budget, kWhat) {}

std::string_view MailText::read(std::string_view message, const Grow& grow) {
  text_.clear();
  attachments_.clear();
  conversions_ = 0;
  const MailHalves halves = split_mail(message);
  if (compare_ == ComparedMail::headers) {
    std::string lines;
    for (const std::string_view name : kComparedHeaders)
      if (std::string value = header_of(halves.headers, name, grow); !value.empty()) {
        std::ranges::replace_if(value, is_space, ' ');  // encoded words may contain line breaks
        lines.append(name).append(": ").append(value).append("\n");
      }
    append(lines, grow);
  }
  read_message(message, 0, grow);
  list_attachments(halves, "text/plain", true, 0, grow);
  append({attachments_.data(), attachments_.size()}, grow);
  return {text_.data(), text_.size()};
}

void MailText::read_message(std::string_view message, unsigned depth, const Grow& grow) {
  const MailHalves halves = split_mail(message);
  append(header_of(halves.headers, "subject", grow), grow);
  read_part(halves, "text/plain", depth, grow);
}

void MailText::read_part(const MailHalves& part, std::string_view usual_type, unsigned depth, const Grow& grow) {
  const MediaType type = type_of(part, usual_type);
  const bool multipart = type.media.starts_with("multipart/");
  if (multipart && read_parts(part.body, type, depth, grow)) return;
  if (multipart || type.media.starts_with("text/")) return read_text(transferred(part, grow, decoded_), type, grow);
  if (!is_message(type)) return;
  if (depth == kMaxDepth) return read_text(part.body, type, grow);
  Array<char> inner(budget_, kWhat);
  read_message(transferred(part, grow, inner), depth + 1, grow);
}

// False if there are no parts, or they are nested too deeply.
bool MailText::read_parts(std::string_view body, const MediaType& type, unsigned depth, const Grow& grow) {
  std::size_t at = 0;
  if (type.boundary.empty() || depth == kMaxDepth || !next_part(body, type.boundary, at)) return false;
  if (type.media == "multipart/alternative") {
    read_alternatives(body, type.boundary, depth, grow);
    return true;
  }
  const std::string_view usual = type.media == "multipart/digest" ? "message/rfc822" : "text/plain";
  at = 0;
  while (const std::optional<std::string_view> part = next_part(body, type.boundary, at))
    read_part(split_mail(*part), usual, depth + 1, grow);
  return true;
}

// Reads the first alternative that yields text, in order of rank. If a plain text is much shorter than the next
// alternative, it probably only refers to that, and the next alternative is read instead.
void MailText::read_alternatives(std::string_view body, const std::string& boundary, unsigned depth, const Grow& grow) {
  constexpr std::size_t kMuchShorterFactor = 4;  // how many times shorter
  const std::size_t before = text_.size();
  std::size_t chosen = 0;  // bytes
  unsigned chosen_rank = 0;
  for (unsigned rank = 0; rank < kRanks; ++rank) {
    std::size_t at = 0;
    while (const std::optional<std::string_view> bytes = next_part(body, boundary, at)) {
      const MailHalves part = split_mail(*bytes);
      if (rank_of(type_of(part, "text/plain").media) != rank) continue;
      if (chosen > 0 && (chosen_rank > 0 || rank == kRanks - 1)) return;
      const std::size_t begin = text_.size();
      read_part(part, "text/plain", depth + 1, grow);
      const std::size_t size = text_.size() - begin;
      if (size == 0) continue;
      if (chosen == 0) {
        chosen = size;
        chosen_rank = rank;
        continue;
      }
      if (size > kMuchShorterFactor * chosen) {
        const std::size_t blank = before == 0 ? 2 : 0;  // no separator at the beginning of the text
        std::memmove(text_.data() + before, text_.data() + begin + blank, size - blank);
        text_.resize(before + size - blank);
      } else {
        text_.resize(begin);
      }
      return;
    }
  }
}

void MailText::read_text(std::string_view bytes, const MediaType& type, const Grow& grow) {
  const bool html = type.media == "text/html";
  std::string charset = charset_of_part(bytes, type.charset, html);
  if (!is_utf8(charset) && ++conversions_ > kMaxConversions) charset = "utf-8";
  std::optional<std::string_view> text = page_.read(bytes, charset, html, HtmlPart::text, grow);
  if (!text) text = page_.read(bytes, charset_of_file(bytes), html, HtmlPart::text, grow);  // unknown charset
  append(text.value_or(bytes), grow);
}

void MailText::list_attachments(const MailHalves& part, std::string_view usual_type, bool whole, unsigned depth,
                                const Grow& grow) {
  const MediaType type = type_of(part, usual_type);
  if (type.media.starts_with("multipart/")) {
    if (type.boundary.empty() || depth == kMaxDepth) return;
    const std::string_view usual = type.media == "multipart/digest" ? "message/rfc822" : "text/plain";
    std::size_t at = 0;
    while (const std::optional<std::string_view> inner = next_part(part.body, type.boundary, at))
      list_attachments(split_mail(*inner), usual, false, depth + 1, grow);
    return;
  }
  const bool is_read = is_message(type) || type.media.starts_with("text/");
  if (!whole || !is_read) list_attachment(part, type, grow);
  if (!is_message(type) || depth == kMaxDepth) return;
  Array<char> inner(budget_, kWhat);
  list_attachments(split_mail(transferred(part, grow, inner)), "text/plain", true, depth + 1, grow);
}

void MailText::list_attachment(const MailHalves& part, const MediaType& type, const Grow& grow) {
  const std::string name = name_of(part, grow);
  if (name.empty() && type.media.starts_with("text/") && type.media != "text/calendar") {
    const std::string disposition = mail_header(part.headers, "content-disposition").value_or("");
    if (!same_word(without_blanks(disposition.substr(0, disposition.find(';'))), "attachment")) return;
  }
  const std::string line = attachment_line(name, type.media, content_of(part, type, grow, decoded_)) + "\n";
  grow(text_.size() + attachments_.size() + line.size());
  attachments_.append(std::span(line.data(), line.size()));
}

// The name that the headers give to a part; empty if they give none.
std::string MailText::name_of(const MailHalves& part, const Grow& grow) {
  for (const auto& [header, parameter] :
       {std::pair("content-disposition", "filename"), std::pair("content-type", "name")}) {
    const std::optional<std::string> value = mail_header(part.headers, header);
    if (!value || value->find('=') == std::string::npos) continue;
    const bool decodes = ++conversions_ <= kMaxConversions && value->size() <= kMaxNameHeader;
    const ToUtf8 utf8 = [&](std::string_view bytes, const std::string& declared) {
      return decodes ? as_utf8(bytes, declared, grow) : std::string(bytes);
    };
    if (std::string name = mail_parameter(*value, parameter, utf8); !name.empty()) return name;
  }
  return {};
}

std::string MailText::header_of(std::string_view headers, std::string_view name, const Grow& grow) {
  const std::optional<std::string> value = mail_header(headers, name);
  if (!value) return {};
  const ToUtf8 utf8 = [&](std::string_view bytes, const std::string& declared) {
    return as_utf8(bytes, declared, grow);
  };
  const std::string text = utf8(*value, {});
  return text.size() > kMaxSubjectBytes ? text : decode_words(text, utf8);
}

std::string MailText::as_utf8(std::string_view bytes, const std::string& declared, const Grow& grow) {
  if (!page_.to_utf8(bytes, charset_of_part(bytes, declared, false), grow, converted_) &&
      !page_.to_utf8(bytes, charset_of_file(bytes), grow, converted_))
    return std::string(bytes);
  return {converted_.data(), converted_.size()};
}

void MailText::shrink() {
  page_.shrink();
  decoded_.resize(0);
  converted_.resize(0);
  text_.resize(0);
  attachments_.resize(0);
}

std::string_view leading_headers(std::string_view text) {
  const std::string_view lines = text.substr(0, text.find("\n\n"));
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const std::string_view name = line.substr(0, line.find(": "));
    const bool known = std::ranges::find(kComparedHeaders, name) != std::end(kComparedHeaders);
    if (!known || name.size() == line.size()) return {};
  }
  return lines;
}

// Appends a text after those before it and a blank line, with "\n" as line breaks.
void MailText::append(std::string_view text, const Grow& grow) {
  while (text.starts_with('\n') || text.starts_with("\r\n")) text.remove_prefix(text.front() == '\n' ? 1 : 2);
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return;
  text = text.substr(0, end + 1);
  grow(text_.size() + text.size());
  const auto put = [&](std::string_view bytes) { text_.append(std::span(bytes.data(), bytes.size())); };
  if (!text_.empty()) put("\n\n");
  while (!text.empty()) {
    const std::size_t found = std::min(text.find("\r\n"), text.size());
    put(text.substr(0, found));
    text.remove_prefix(std::min(found + 1, text.size()));
  }
}

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
