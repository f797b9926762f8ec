#include "corpus/formats/recognize.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/ascii.h"
#include "corpus/formats/charset.h"
#include "corpus/formats/piece.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUnpack = "unpack first; gzip, zstd, xz, bzip2 and lz4 are read as they are";
constexpr std::string_view kRename = "unpack first, or rename to .tar or .zip; archives inside archives are not read";
constexpr std::string_view kExport = "save as text or HTML first";
constexpr std::string_view kNoAdvice;

// The signature of a file format. With `binary` it counts only if a zero byte is among the first bytes, because a
// text might begin with it.
struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view kind;
  std::string_view advice;
  bool binary = false;
};

constexpr Magic kMagics[] = {
    {0, "%PDF-"sv, "PDF document", "convert to text first, for example with pdftotext"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "7-Zip archive", kUnpack},
    {0, "Rar!\x1a\x07"sv, "RAR archive", kUnpack},
    {257, "ustar"sv, "tar archive", kRename},
    {0, "!<arch>\n"sv, "ar archive", kUnpack},
    {0, "ARROW1"sv, "Arrow file", "convert to Parquet or JSONL first", true},
    {0, "FEA1"sv, "Feather file", "convert to Parquet or JSONL first", true},
    {0, "\xff\xff\xff\xff"sv, "Arrow stream", "convert to Parquet or JSONL first"},
    {0, "PAR1"sv, "Parquet file", "rename to .parquet, or use `format` parquet", true},
    {0, "filedesc://"sv, "ARC web archive", "rename to .arc, or use `format` warc"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "Office document", kExport},
    {0, "{\\rtf"sv, "RTF document", kExport},
    {0, "%!PS"sv, "PostScript document", "convert to text first, for example with ps2ascii"},
    {0, "SQLite format 3\0"sv, "SQLite database", "export the rows as JSONL or CSV first"},
    {0, "\x89HDF\r\n\x1a\n"sv, "HDF5 file", "export the texts as JSONL first"},
    {0, "\x93NUMPY"sv, "NumPy array", "export the texts as JSONL first"},
    {0, "\x89PNG\r\n\x1a\n"sv, "image", kNoAdvice},
    {0, "\xff\xd8\xff"sv, "image", kNoAdvice},
    {0, "GIF8"sv, "image", kNoAdvice, true},
    {0, "II*\0"sv, "image", kNoAdvice},
    {0, "MM\0*"sv, "image", kNoAdvice},
    {8, "WEBPVP8"sv, "image", kNoAdvice, true},
    {0, "\0\0\1\0"sv, "image", kNoAdvice},
    {0, "ID3"sv, "audio file", kNoAdvice, true},
    {0, "OggS"sv, "audio file", kNoAdvice, true},
    {0, "fLaC"sv, "audio file", kNoAdvice, true},
    {8, "WAVEfmt "sv, "audio file", kNoAdvice, true},
    {4, "ftyp"sv, "video file", kNoAdvice, true},
    {0, "\x1a\x45\xdf\xa3"sv, "video file", kNoAdvice},
    {0,
     "\x7f"
     "ELF"sv,
     "program", kNoAdvice},
    {0, "MZ\x90"sv, "program", kNoAdvice},
    {0, "\xca\xfe\xba\xbe"sv, "program", kNoAdvice},
    {0, "\xcf\xfa\xed\xfe"sv, "program", kNoAdvice},
    {0, "wOFF"sv, "font", kNoAdvice, true},
    {0, "wOF2"sv, "font", kNoAdvice, true},
    {0, "\0\1\0\0\0"sv, "font", kNoAdvice},
    {0, "OTTO"sv, "font", kNoAdvice, true},
};

// Formats that are ZIP archives, by the name of their first member.
struct Packed {
  std::string_view member;
  std::string_view kind;
  std::string_view advice;
};
constexpr Packed kZips[] = {
    {"[Content_Types].xml", "Office document", kExport},
    {"_rels/", "Office document", kExport},
    {"word/", "Office document", kExport},
    {"docProps/", "Office document", kExport},
    {"mimetypeapplication/epub", "EPUB book", kExport},
    {"mimetypeapplication/vnd.oasis", "Office document", kExport},
    {"META-INF/", "Java archive", kNoAdvice},
};

bool is_zip(std::string_view bytes) {
  return bytes.starts_with("PK\x03\x04"sv) || bytes.starts_with("PK\x05\x06"sv);
}

Recognized recognize_zip(std::string_view bytes) {
  constexpr std::size_t kNameAt = 30;
  const std::string_view name = bytes.substr(std::min(bytes.size(), kNameAt));
  for (const Packed& packed : kZips)
    if (name.starts_with(packed.member)) return {Recognized::Content::other, packed.kind, packed.advice};
  return {Recognized::Content::other, "ZIP archive", kRename};
}

bool has_wide_mark(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) || bytes.starts_with("\0\0\xfe\xff"sv);
}

bool begins_with_word(std::string_view bytes, std::string_view word) {
  return bytes.size() >= word.size() && same_word(bytes.substr(0, word.size()), word);
}

// The bytes without white space, comments and XML declaration at their beginning.
std::string_view to_first_tag(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  while (true) {
    bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n\f"), bytes.size()));
    const std::string_view end = bytes.starts_with("<!--") ? "-->" : bytes.starts_with("<?") ? "?>" : "";
    const std::size_t found = end.empty() ? std::string_view::npos : bytes.find(end);
    if (found == std::string_view::npos) return bytes;
    bytes.remove_prefix(found + end.size());
  }
}

// The extension, from the last dot on, ignoring that of the compression.
std::string_view ending_of(std::string_view path) {
  path = without_packing(path);
  return path.substr(std::min(path.rfind('.'), path.size()));
}

// Browsers ignore zero bytes in pages, but a file with zero bytes is not taken for a page by its name alone.
bool is_page(std::string_view bytes, std::string_view path, bool binary) {
  const std::string_view tag = to_first_tag(bytes);
  if (begins_with_word(tag, "<!doctype html") || begins_with_word(tag, "<html")) return true;
  return !binary && is_page_name(path) && bytes.find('<') != std::string_view::npos;
}

// An SVG file is a drawing: its markup, by which two unrelated drawings are alike, is not text.
bool is_drawing(std::string_view bytes) {
  const std::string_view tag = to_first_tag(bytes);
  return begins_with_word(tag, "<svg") || begins_with_word(tag, "<!doctype svg");
}

// Removes the first line, with its line break, and returns it.
std::string_view next_line(std::string_view& bytes) {
  const std::string_view line = bytes.substr(0, std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  bytes.remove_prefix(line.size());
  return line;
}

// Whether the bytes begin with the headers of an e-mail: at least three, one that only e-mail has, and one of
// subject, date and to; followed by a blank line, unless the headers extend past the examined bytes.
bool begins_mail(std::string_view bytes) {
  constexpr std::string_view kMailHeaders[] = {"from",       "received",     "return-path",
                                               "message-id", "delivered-to", "mime-version"};
  constexpr std::string_view kSubjectHeaders[] = {"subject", "date", "to"};
  constexpr std::size_t kSeveral = 3;
  const bool all = bytes.size() < kBinaryBytes;
  std::size_t headers = 0;
  bool of_mail = false;
  bool about = false;
  bool ended = !all;
  while (!bytes.empty()) {
    const std::string_view line = next_line(bytes);
    if (line == "\n" || line == "\r\n") {
      ended = true;
      break;
    }
    if (headers > 0 && (line.front() == ' ' || line.front() == '\t')) continue;
    if (bytes.empty() && !all) break;  // the last line may be cut off
    if (!is_mail_header(line)) return false;
    const std::string_view name = line.substr(0, line.find(':'));
    const auto is_name = [&](std::string_view known) { return same_word(name, known); };
    of_mail = of_mail || std::any_of(std::begin(kMailHeaders), std::end(kMailHeaders), is_name);
    about = about || std::any_of(std::begin(kSubjectHeaders), std::end(kSubjectHeaders), is_name);
    ++headers;
  }
  return ended && of_mail && about && headers >= kSeveral;
}

// Beginnings of the sources of manual pages; and requests that occur in one, which count if its name is that of a
// manual page.
constexpr std::string_view kFirstRequests[] = {".\\\"", "'\\\"", ".TH ", ".Dd ", ".so ",
                                               ".TL\n", ".de ",  ".ds ", ".nr "};
constexpr std::string_view kSomeRequests[] = {"\n.TH ",  "\n.Dd ",  "\n.SH", "\n.Sh ", "\n.NH", "\n.LP\n",
                                              "\n.PP\n", "\n.TL\n", "\n.TP", "\n.so ", "\n.B ", "\n.IP"};

bool is_manual_name(std::string_view path) {
  const std::string_view ending = ending_of(path);
  if (ending.size() >= 2 && '1' <= ending[1] && ending[1] <= '9')
    return std::all_of(ending.begin() + 2, ending.end(), is_letter);  // .3, .3posix
  return same_word(ending, ".man") || same_word(ending, ".mdoc") || same_word(ending, ".ms");
}

bool is_manual_page(std::string_view bytes, std::string_view path) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::string_view first = bytes.substr(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  if (std::any_of(std::begin(kFirstRequests), std::end(kFirstRequests),
                  [&](std::string_view request) { return first.starts_with(request); }))
    return true;
  return is_manual_name(path) &&
         std::any_of(std::begin(kSomeRequests), std::end(kSomeRequests), [&](std::string_view request) {
           return first.starts_with(request.substr(1)) || bytes.find(request) != std::string_view::npos;
         });
}

// The offset of the first byte beyond ASCII from `at` on.
std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  for (std::uint64_t word = 0; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if ((word & kHigh) != 0) break;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

bool is_page_name(std::string_view path) {
  path = without_packing(path);
  return has_ending(path, ".html") || has_ending(path, ".htm") || has_ending(path, ".xhtml");
}

std::string_view without_packing(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return path;
  for (const std::string_view packed : {".gz", ".zst", ".zstd", ".xz", ".bz2", ".lz4"})
    if (same_word(path.substr(dot), packed)) return path.substr(0, dot);
  return path;
}

Recognized recognize(std::string_view beginning, std::string_view path) {
  if (is_zip(beginning)) return recognize_zip(beginning);
  const bool binary = !has_wide_mark(beginning) && beginning.find('\0') != std::string_view::npos;
  for (const Magic& magic : kMagics)
    if (binary >= magic.binary && beginning.size() >= magic.at + magic.bytes.size() &&
        beginning.substr(magic.at).starts_with(magic.bytes))
      return {Recognized::Content::other, magic.kind, magic.advice};
  if (is_drawing(beginning)) return {Recognized::Content::other, "image", kNoAdvice};
  if (is_page(beginning, path, binary)) return {Recognized::Content::html};
  if (binary) return {Recognized::Content::other};
  if (begins_mail(beginning)) return {Recognized::Content::mail};
  return {is_manual_page(beginning, path) ? Recognized::Content::troff : Recognized::Content::text};
}

bool has_ending(std::string_view path, std::string_view ending) {
  return path.size() >= ending.size() && same_word(path.substr(path.size() - ending.size()), ending);
}

bool is_mailbox_name(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  path = without_packing(path);
  if (path.find('.') == std::string_view::npos) return true;  // for example Inbox
  if (has_ending(path, ".mbox") || has_ending(path, ".mbx")) return true;
  // Archives of Mailman are named like this: 2010-March.txt.
  return has_ending(path, ".txt") && path.size() > 5 && path[4] == '-' &&
         std::all_of(path.begin(), path.begin() + 4, is_digit);
}

bool begins_mailbox(std::string_view beginning) {
  if (!beginning.starts_with("From ")) return false;
  const std::string_view line = next_line(beginning);
  for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1))
    if (at + 2 < line.size() && is_digit(line[at - 1]) && is_digit(line[at + 1]) && is_digit(line[at + 2]))
      return is_mail_header(beginning.substr(0, beginning.find('\n')));
  return false;
}

bool is_mail_header(std::string_view line) {
  if (line.starts_with("From ") || line.starts_with(">From ")) return true;
  const std::size_t end = std::min(line.find(':'), line.size());
  return end > 0 && end < line.size() &&
         std::all_of(line.begin(), line.begin() + end, [](char c) { return ' ' < c && c < '\x7f'; });
}

std::string charset_of_file(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv)) return "utf-32";
  if (has_wide_mark(bytes)) return "utf-16";
  constexpr std::size_t kEnough = 32;  // with this many more valid than invalid characters, UTF-8 is certain
  std::size_t right = 0;
  std::size_t wrong = 0;
  for (std::size_t at = skip_ascii(bytes, 0); at < bytes.size(); at = skip_ascii(bytes, at)) {
    const CodePoint character = decode_utf8(bytes, at);
    ++(character.valid() ? right : wrong);
    if (right >= 2 * wrong + kEnough) return "utf-8";
    at += character.size;
  }
  return wrong > right ? guessed_charset(bytes) : "utf-8";
}

}  // namespace refrain::corpus
