// Recognizes by its first bytes what a file contains: text, a web page, an e-mail, a manual page, or something that
// is not text, with its name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refrain::corpus {

// The number of bytes at the beginning of a file that are examined.
inline constexpr std::size_t kBinaryBytes = std::size_t{8} << 10;

struct Recognized {
  enum class Content { text, html, mail, troff, other };
  Content content = Content::text;
  // If the file is not text:
  std::string_view kind = {};    // "PDF document"; empty for unrecognized content with zero bytes
  std::string_view advice = {};  // what the user can do about it; may be empty
};

// `beginning`: the first kBinaryBytes of the file, unpacked, or the whole file if it is shorter. `path` decides
// between text and a web page or a manual page if the bytes do not.
Recognized recognize(std::string_view beginning, std::string_view path);

// Whether the path has an extension of web pages: .html, .htm, .xhtml.
bool is_page_name(std::string_view path);

// The path without an extension of compression: .gz, .zst, .zstd, .xz, .bz2, .lz4, in any case.
std::string_view without_packing(std::string_view path);

// Whether the path ends in this extension, in upper or lower case.
bool has_ending(std::string_view path, std::string_view ending);

// Whether mailboxes have such names. Only files with such names are opened to check their content.
bool is_mailbox_name(std::string_view path);

// Whether a file is a mailbox: it begins with a "From " line, which contains a time, followed by a header.
bool begins_mailbox(std::string_view beginning);

// Whether a line can be among the headers of a message: "Name: value", or the "From " line of a mailbox, also after
// '>'. False for a line that continues a header.
bool is_mail_header(std::string_view line);

// The charset of a file for which only its bytes are known: that of its byte order mark; UTF-8, even if some bytes
// are invalid; a guess if fewer characters beyond ASCII are valid UTF-8 than not. Returns names like charset_of().
std::string charset_of_file(std::string_view bytes);

}  // namespace refrain::corpus
