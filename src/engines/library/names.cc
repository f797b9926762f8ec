#include "engines/library/names.h"

#include <limits>

#include "engines/library/format.h"
#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::library {

namespace {

void append_text(std::string& row, std::string_view text) {
  store::append_varint(row, text.size());
  row += text;
}

}  // namespace

NamesWriter::NamesWriter(const std::filesystem::path& folder, TempSpace& temp)
    : out_((folder / kNamesName).string(), kNamesMagic, kLibraryFormatVersion),
      places_{store::NumbersWriter(temp), store::NumbersWriter(temp), store::NumbersWriter(temp)} {}

std::uint32_t NamesWriter::add_row(NameKind kind) {
  const std::uint64_t number = places_[kind].size();
  if (number >= kNoFile) throw Error(Errc::unsupported, "a segment of a library holds at most 4,294,967,295 names");
  places_[kind].add(out_.position());
  out_.write(row_);
  row_.clear();
  return static_cast<std::uint32_t>(number);
}

std::uint32_t NamesWriter::add(const Origin& origin) {
  append_text(row_, origin.name);
  append_text(row_, origin.input);
  return add_row(kOrigins);
}

std::uint32_t NamesWriter::add(const TextFile& file) {
  append_text(row_, file.path);
  store::append_varint(row_, file.origin);
  store::append_varint(row_, file.format);
  return add_row(kFiles);
}

std::uint32_t NamesWriter::add(const Source& source) {
  append_text(row_, source.name);
  store::append_varint(row_, source.left_out.size());
  std::uint64_t before = 0;
  for (const std::uint64_t window : source.left_out) {
    store::append_varint(row_, window - before);
    before = window;
  }
  return add_row(kSources);
}

store::PageFileId NamesWriter::finish() {
  const std::uint64_t tail[] = {places_[kOrigins].size(), places_[kFiles].size(), places_[kSources].size(),
                                out_.position()};
  for (store::NumbersWriter& places : places_) places.write_to(out_);
  return out_.finish({reinterpret_cast<const char*>(tail), sizeof tail});
}

NamesReader::NamesReader(const std::filesystem::path& folder, const store::PageFileId& id)
    : file_((folder / kNamesName).string(), kNamesMagic, kLibraryFormatVersion),
      counts_{store::tail_number(file_, kOrigins), store::tail_number(file_, kFiles),
              store::tail_number(file_, kSources)},
      table_(store::tail_number(file_, kNameKinds)),
      places_(file_, table_, counts_[kOrigins] + counts_[kFiles] + counts_[kSources]) {
  store::check_file_id(file_, id);
}

std::uint64_t NamesReader::find(NameKind kind, std::uint32_t number) {
  if (number >= counts_[kind]) file_.corrupt("names something that does not exist");
  std::uint64_t before = 0;
  for (std::size_t earlier = 0; earlier < kind; ++earlier) before += counts_[earlier];
  return places_[before + number];
}

std::uint64_t NamesReader::read_number(std::uint64_t& at) {
  std::string bytes;
  std::uint64_t value = 0;
  while (bytes.size() < store::kMaxVarintBytes) {
    if (at >= table_) file_.corrupt("row runs past the end");
    bytes += file_.rest_of_page(at++).front();
    if ((static_cast<std::uint8_t>(bytes.back()) & 0x80U) == 0) break;
  }
  const char* from = bytes.data();
  if (!store::get_varint(from, bytes.data() + bytes.size(), value)) file_.corrupt("invalid number");
  return value;
}

void NamesReader::read_text(std::uint64_t& at, std::string& out) {
  const std::uint64_t size = read_number(at);
  if (size > table_ - at) file_.corrupt("row runs past the end");
  out.clear();
  file_.read(at, size, out);
  at += size;
}

void NamesReader::get(std::uint32_t number, Origin& out) {
  std::uint64_t at = find(kOrigins, number);
  read_text(at, out.name);
  read_text(at, out.input);
}

void NamesReader::get(std::uint32_t number, TextFile& out) {
  std::uint64_t at = find(kFiles, number);
  read_text(at, out.path);
  const std::uint64_t origin = read_number(at);
  const std::uint64_t format = read_number(at);
  if (origin >= counts_[kOrigins] || format > std::numeric_limits<std::uint8_t>::max())
    file_.corrupt("names something that does not exist");
  out.origin = static_cast<std::uint32_t>(origin);
  out.format = static_cast<std::uint8_t>(format);
}

void NamesReader::get(std::uint32_t number, Source& out) {
  std::uint64_t at = find(kSources, number);
  read_text(at, out.name);
  out.left_out.clear();
  std::uint64_t window = 0;
  for (std::uint64_t left = read_number(at); left > 0; --left) out.left_out.push_back(window += read_number(at));
}

void NamesReader::get_name(std::uint32_t number, std::string& out) {
  std::uint64_t at = find(kSources, number);
  read_text(at, out);
}

}  // namespace refrain::library
