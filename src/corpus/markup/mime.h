// The syntax of e-mail (RFC 5322, 2045, 2047): headers, media types, parts and encodings. Nothing here throws:
// damaged input is read as far as possible.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace refrain::corpus {

// Removes the first line of `text`, with its line break, and returns it.
std::string_view take_line(std::string_view& text);

// The text without white space around it.
std::string_view without_blanks(std::string_view text);

// A message, or a part of one. If there is no blank line, the headers end before the first line that is not a header.
struct MailHalves {
  std::string_view headers;  // includes the "From " line of a mailbox
  std::string_view body;
};
MailHalves split_mail(std::string_view message);

// The value of the first header with this name in any case. Continuation lines are joined by a space. Longer values
// are truncated to about 64 KiB.
std::optional<std::string> mail_header(std::string_view headers, std::string_view name);

struct MediaType {
  std::string media;  // "text/plain", in lower case
  std::string charset;
  std::string boundary;
};
// Parses the value of a Content-Type; the media type is `usual` if the value has none.
MediaType read_media_type(std::string_view value, std::string_view usual);

// Converts bytes to UTF-8. `charset` is empty if it is unknown.
using ToUtf8 = std::function<std::string(std::string_view bytes, const std::string& charset)>;

// The value of a parameter of a header such as Content-Disposition, as UTF-8; empty if there is none. Its
// continuations are joined, and percent signs and encoded words decoded (RFC 2231, RFC 2047).
std::string mail_parameter(std::string_view value, std::string_view name, const ToUtf8& utf8);

// The next part of a multipart body from `at` on, which is updated; nullopt if there is none. `at` must be 0 at first.
std::optional<std::string_view> next_part(std::string_view body, std::string_view boundary, std::size_t& at);

// These decode to `out`, which must have room for bytes.size() bytes, and return the size of the result. Bytes that
// are not encoded are copied: everything after the base64 data, or single characters in quoted-printable data.
std::size_t decode_base64(std::string_view bytes, char* out);
std::size_t decode_quoted_printable(std::string_view bytes, char* out);

// The value of a header with its encoded words (=?charset?Q?...?=) decoded. `utf8` converts from a charset.
std::string decode_words(std::string_view value, const ToUtf8& utf8);

}  // namespace refrain::corpus
