#include "corpus/formats/recognize.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "corpus/formats/piece.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUnpack = "unpack first; gzip, zstd, xz, bzip2 and lz4 are read as they are";
constexpr std::string_view kExport = "save as text or HTML first";
constexpr std::string_view kNoAdvice;

// Those that a text might begin with count only where there is a zero byte among the first bytes.
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
    {257, "ustar"sv, "tar archive", kUnpack},
    {0, "!<arch>\n"sv, "ar archive", kUnpack},
    {0, "ARROW1"sv, "Arrow file", "convert to Parquet or JSONL first", true},
    {0, "FEA1"sv, "Feather file", "convert to Parquet or JSONL first", true},
    {0, "\xff\xff\xff\xff"sv, "Arrow stream", "convert to Parquet or JSONL first"},
    {0, "PAR1"sv, "Parquet file", "rename to .parquet, or use --format parquet", true},
    {0, "filedesc://"sv, "ARC web archive", "convert to WARC first"},
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
  return {Recognized::Content::other, "ZIP archive", kUnpack};
}

bool has_wide_mark(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) || bytes.starts_with("\0\0\xfe\xff"sv);
}

bool begins_with_word(std::string_view bytes, std::string_view word) {
  return bytes.size() >= word.size() && same_word(bytes.substr(0, word.size()), word);
}

// Without white space, comments and the declaration of XML at its beginning.
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

bool is_page(std::string_view bytes, std::string_view path) {
  const std::string_view tag = to_first_tag(bytes);
  if (begins_with_word(tag, "<!doctype html") || begins_with_word(tag, "<html")) return true;
  return is_page_name(path) && bytes.find('<') != std::string_view::npos;
}

// Where the first character beyond ASCII stands, from `at` on.
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
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view ending = path.substr(dot);
  return same_word(ending, ".html") || same_word(ending, ".htm") || same_word(ending, ".xhtml");
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
  if (binary) return {Recognized::Content::other};
  return {is_page(beginning, path) ? Recognized::Content::html : Recognized::Content::text};
}

std::string charset_of_file(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv) || bytes.starts_with("\0\0\xfe\xff"sv)) return "utf-32";
  if (has_wide_mark(bytes)) return "utf-16";
  bool wrong = false;
  for (std::size_t at = skip_ascii(bytes, 0); at < bytes.size(); at = skip_ascii(bytes, at)) {
    const CodePoint character = decode_utf8(bytes, at);
    if (character.valid()) return "utf-8";
    wrong = true;
    at += character.size;
  }
  return wrong ? "windows-1252" : "utf-8";
}

}  // namespace refrain::corpus
