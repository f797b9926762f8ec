// What a file holds, by its first bytes: text, a web page, an e-mail, a manual page, or something that is no text at all,
// by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refrain::corpus {

// As many bytes at the beginning of a file as tell what it is.
inline constexpr std::size_t kBinaryBytes = std::size_t{8} << 10;

struct Recognized {
  enum class Content { text, html, mail, troff, other };
  Content content = Content::text;
  // Of what is no text:
  std::string_view kind = {};    // "PDF document"; empty for what has zero bytes in it and no name
  std::string_view advice = {};  // what to do about it; may be empty
};

// `beginning`: as many bytes as kBinaryBytes, unpacked, or all there are. `path` decides between text and a web page or
// a manual page where the bytes leave it open.
Recognized recognize(std::string_view beginning, std::string_view path);

// Whether it ends as web pages do: .html, .htm, .xhtml.
bool is_page_name(std::string_view path);

// A path without the ending of what it is packed with, if it has one: .gz, .zst, .zstd, .xz, .bz2, .lz4, in any case.
std::string_view without_packing(std::string_view path);

// Whether a file is a mailbox: it begins with a line "From ", with a time in it, and a header.
bool begins_mailbox(std::string_view beginning);

// Whether a line can stand among the headers of a message: "Name: value", or the "From " of a mailbox, also with '>'
// before it. One that continues a header is none.
bool is_mail_header(std::string_view line);

// The charset of a file whose only witness are its bytes: that of its byte order mark; UTF-8, also where some bytes are
// wrong; what is guessed where fewer characters beyond ASCII are UTF-8 than not. As charset_of().
std::string charset_of_file(std::string_view bytes);

}  // namespace refrain::corpus
