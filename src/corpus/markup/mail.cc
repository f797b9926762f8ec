#include "corpus/markup/mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>

#include "base/ascii.h"
#include "corpus/formats/charset.h"
#include "corpus/formats/recognize.h"

namespace refrain::corpus {

namespace {

constexpr unsigned kMaxDepth = 16;
constexpr std::size_t kMaxSubjectBytes = std::size_t{16} << 10;  // a longer one is taken as it stands
constexpr std::size_t kMaxConversions = 1000;  // in a message; what comes then is read as its bytes look
constexpr const char* kWhat = "the text of a long message";

// Whether `charset` is what programs say that do not know.
bool says_nothing(std::string_view charset) {
  static constexpr std::string_view kVague[] = {"", "us-ascii", "ascii", "utf-8", "utf8", "unknown-8bit", "x-unknown"};
  return std::any_of(std::begin(kVague), std::end(kVague),
                     [&](std::string_view vague) { return same_word(charset, vague); });
}

// The charset of a part. Its bytes are believed rather than a program that says what it says of everything.
std::string charset_of_part(std::string_view bytes, const std::string& declared, bool html) {
  if (html && declared.empty()) return charset_of(bytes, {}, true);
  return says_nothing(declared) ? charset_of_file(bytes) : charset_of(bytes, declared, html);
}

// The body of a part as it was before it was sent, in `memory` where it was encoded.
std::string_view transferred(const MailHalves& part, const std::function<void(std::size_t)>& grow,
                             Array<char>& memory) {
  const std::string coding = mail_header(part.headers, "content-transfer-encoding").value_or("");
  const bool base64 = same_word(coding, "base64");
  if (!base64 && !same_word(coding, "quoted-printable")) return part.body;
  grow(part.body.size());
  memory.resize(part.body.size());
  return {memory.data(),
          base64 ? decode_base64(part.body, memory.data()) : decode_quoted_printable(part.body, memory.data())};
}

MediaType type_of(const MailHalves& part, std::string_view usual) {
  return read_media_type(mail_header(part.headers, "content-type").value_or(""), usual);
}

// Which of several alternatives is read: the lowest that says something.
unsigned rank_of(const std::string& media) {
  if (media == "text/plain") return 0;
  if (media.starts_with("multipart/")) return 1;
  return media == "text/html" ? 2 : 3;
}
constexpr unsigned kRanks = 4;

}  // namespace

MailText::MailText(MemoryBudget& budget)
    : budget_(budget), page_(budget), decoded_(budget, kWhat), converted_(budget, kWhat), text_(budget, kWhat) {}

std::string_view MailText::read(std::string_view message, const Grow& grow) {
  text_.clear();
  conversions_ = 0;
  read_message(message, 0, grow);
  return {text_.data(), text_.size()};
}

void MailText::read_message(std::string_view message, unsigned depth, const Grow& grow) {
  const MailHalves halves = split_mail(message);
  append(subject_of(halves.headers, grow), grow);
  read_part(halves, "text/plain", depth, grow);
}

void MailText::read_part(const MailHalves& part, std::string_view usual_type, unsigned depth, const Grow& grow) {
  const MediaType type = type_of(part, usual_type);
  const bool multipart = type.media.starts_with("multipart/");
  if (multipart && read_parts(part.body, type, depth, grow)) return;
  if (multipart || type.media.starts_with("text/")) return read_text(transferred(part, grow, decoded_), type, grow);
  if (type.media != "message/rfc822" && type.media != "message/global") return name_attachment(part, type, grow);
  if (depth == kMaxDepth) return read_text(part.body, type, grow);
  Array<char> inner(budget_, kWhat);
  read_message(transferred(part, grow, inner), depth + 1, grow);
}

// Of what is no text its kind, size and checksum: messages with other attachments are no copies.
void MailText::name_attachment(const MailHalves& part, const MediaType& type, const Grow& grow) {
  std::uint32_t sum = 2166136261;
  for (const char c : part.body) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619;
  append(fmt::format("[{} {} {:08x}]", type.media, part.body.size(), sum), grow);
}

// False where there are none, or they are nested too deep.
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

// The first that says something, in order of rank; but a plain text that says much less than the page beside it only
// excuses itself.
void MailText::read_alternatives(std::string_view body, const std::string& boundary, unsigned depth, const Grow& grow) {
  constexpr std::size_t kExcuse = 4;  // times shorter
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
      if (size > kExcuse * chosen) {
        const std::size_t blank = before == 0 ? 2 : 0;  // that parts it from what is before
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
  if (!text) text = page_.read(bytes, charset_of_file(bytes), html, HtmlPart::text, grow);  // a charset nobody knows
  append(text.value_or(bytes), grow);
}

std::string MailText::subject_of(std::string_view headers, const Grow& grow) {
  const std::optional<std::string> value = mail_header(headers, "subject");
  if (!value) return {};
  const auto utf8 = [&](std::string_view bytes, const std::string& declared) {
    if (!to_utf8(bytes, charset_of_part(bytes, declared, false), grow, converted_) &&
        !to_utf8(bytes, charset_of_file(bytes), grow, converted_))
      return std::string(bytes);
    return std::string(converted_.data(), converted_.size());
  };
  const std::string subject = utf8(*value, {});
  return subject.size() > kMaxSubjectBytes ? subject : decode_words(subject, utf8);
}

void MailText::shrink() {
  page_.shrink();
  decoded_.resize(0);
  converted_.resize(0);
  text_.resize(0);
}

// Puts a text behind those before it and a blank line, with plain line breaks.
void MailText::append(std::string_view text, const Grow& grow) {
  while (text.starts_with('\n') || text.starts_with("\r\n")) text.remove_prefix(text.front() == '\n' ? 1 : 2);
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return;
  text = text.substr(0, end + 1);
  grow(text_.size() + text.size());
  const auto put = [&](std::string_view bytes) { text_.append(std::span(bytes.data(), bytes.size())); };
  if (text_.size() > 0) put("\n\n");
  while (!text.empty()) {
    const std::size_t found = std::min(text.find("\r\n"), text.size());
    put(text.substr(0, found));
    text.remove_prefix(std::min(found + 1, text.size()));
  }
}

}  // namespace refrain::corpus
