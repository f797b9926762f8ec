// What e-mail is made of (RFC 5322, 2045, 2047): headers, media types, parts and encodings. Nothing here throws; what is
// damaged is taken as far as it goes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace refrain::corpus {

// The first line of `text`, with its line break, which is taken off.
std::string_view take_line(std::string_view& text);

// Without white space around it.
std::string_view without_blanks(std::string_view text);

// A message, or a part of one. Without a blank line the headers end where a line is none.
struct MailHalves {
  std::string_view headers;  // a line "From " of a mailbox included
  std::string_view body;
};
MailHalves split_mail(std::string_view message);

// The value of the first header of this name, whatever its case; lines that continue it are joined by a space.
// Of a very long one the first 64 KiB.
std::optional<std::string> mail_header(std::string_view headers, std::string_view name);

struct MediaType {
  std::string media;  // "text/plain", in lower case
  std::string charset;
  std::string boundary;
};
// Of the value of a Content-Type; `usual` where that says nothing.
MediaType read_media_type(std::string_view value, std::string_view usual);

// The next part of a multipart body, from `at` on, which is moved behind it; nothing where there is none. Begin with 0.
std::optional<std::string_view> next_part(std::string_view body, std::string_view boundary, std::size_t& at);

// They write to `out`, which has room for bytes.size(), and return how much. What is not encoded is copied: behind base64
// all that follows, in quoted-printable single characters.
std::size_t decode_base64(std::string_view bytes, char* out);
std::size_t decode_quoted_printable(std::string_view bytes, char* out);

// The value of a header with its encoded words (=?charset?Q?...?=) decoded. `utf8` converts from a charset.
std::string decode_words(std::string_view value,
                         const std::function<std::string(std::string_view bytes, const std::string& charset)>& utf8);

}  // namespace refrain::corpus
