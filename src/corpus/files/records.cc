#include "corpus/files/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::uint64_t count_lines(std::string_view bytes) {
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

// The bytes of the first row that is not empty, without its line break.
std::size_t first_row_bytes(std::string_view bytes, char delimiter) {
  bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  const std::size_t end = CsvScanner(delimiter).first_end(bytes);
  return end == kNone ? bytes.size() : end - 1;
}

}  // namespace

RecordStream::RecordStream(const Input& input, const SourceOptions& options, const Context& context,
                           MemoryBudget& budget, std::size_t piece_bytes)
    : options_(options),
      context_(context),
      path_(input.path),
      chunk_bytes_(std::max<std::size_t>(piece_bytes / 2, 8)),
      max_raw_bytes_(max_raw_bytes(input.format, options.max_doc_bytes)),
      table_(input.format == Format::csv || input.format == Format::tsv),
      bytes_(budget),
      rest_(budget, "the rest of a piece of the input"),
      scanner_(input.delimiter) {
  if (input.format == Format::warc) {
    warc_.emplace(max_raw_bytes_);
    bytes_.skip_damage();
  }
  if (input.format == Format::mbox) mbox_.emplace(max_raw_bytes_);
  if (input.format == Format::json) json_.emplace();
  bytes_.open(source_of(input, options), context.stop);
  // Even if nothing is converted, this reads the beginning, so that a file that cannot be unpacked at all is rejected
  // when it is opened.
  bytes_.recode(input.format == Format::warc || input.format == Format::mbox ? "utf-8" : options.charset);
}

std::uint64_t RecordStream::take_replaced() {
  return bytes_.replaced() - std::exchange(replaced_, bytes_.replaced());
}

bool RecordStream::next(RawPiece& piece, LargeTurn& turn) {
  piece.offset = cut_bytes_;
  const bool more = cut(piece, turn);
  cut_bytes_ += piece.end;
  piece.trim();
  if (!table_ || columns_.count != 0) return more;
  const std::string_view bytes(piece.bytes.data() + piece.begin, piece.end - piece.begin);
  if (piece.kind != RawPiece::Kind::records || first_row_bytes(bytes, scanner_.delimiter()) > max_raw_bytes_)
    throw Error(Errc::bad_input, fmt::format("{}: the header row is {}; is this a table?", path_,
                                             too_long_reason(options_.max_doc_bytes)));
  const CsvHeaderExtent rest = read_csv_header(bytes, scanner_.delimiter(), path_, options_, columns_);
  piece.begin += rest.begin;
  piece.line = rest.lines;
  return more;
}

bool RecordStream::cut(RawPiece& piece, LargeTurn& turn) {
  piece.begin = piece.end = 0;
  piece.line = 0;
  piece.records_before = mbox_ ? mbox_->messages() : 0;
  piece.kind = RawPiece::Kind::records;
  if (skipping_) return skip_record(piece);
  turn.need(rest_.size());
  std::size_t have = take_rest(piece);
  std::size_t scanned = rest_scanned_ ? have : 0;
  while (true) {
    if (have + chunk_bytes_ + kPadding > piece.bytes.size()) {
      // A long record: the buffer grows by a quarter, which is many chunks, but not beyond the maximum size of a
      // record.
      const std::uint64_t most = std::max<std::uint64_t>(max_raw_bytes_ + 1, have) + chunk_bytes_;
      const std::size_t size = std::min<std::uint64_t>(have + have / 4 + chunk_bytes_, most);
      turn.need(size);
      piece.bytes.resize(size + kPadding);
    }
    char* data = piece.bytes.data();
    const std::size_t got = read(data + have);
    have += got;
    if (at_start_) {
      at_start_ = false;
      if (std::string_view(data, have).starts_with(kByteOrderMark)) piece.begin = scanned = kByteOrderMark.size();
    }
    if (warc_ || mbox_) scanned = piece.begin;  // these scanners look at a whole record
    const std::size_t end = last_end({data + scanned, have - scanned});
    if (got < chunk_bytes_) {
      bytes_.close();
      piece.end = have;
      return false;
    }
    if (end != kNone) {
      piece.end = scanned + end;
      keep(data + piece.end, data + have, true);
      return true;
    }
    scanned = have;
    if (const std::size_t record = begin_of_long_record({data + piece.begin, have - piece.begin}); record != 0) {
      piece.end = piece.begin + record;
      keep(data + piece.end, data + have, true);
      return true;
    }
    std::size_t held = 0;
    if (too_long({data + piece.begin, have - piece.begin}, held)) {
      piece.kind = RawPiece::Kind::too_long;
      piece.end = piece.begin + held;
      piece.line = count_lines({data + piece.begin, held});
      skipping_ = true;
      keep(data + piece.end, data + have, false);
      return true;
    }
  }
}

// Copies the kept bytes to the beginning of `piece`, with room for a chunk after them. Returns their size.
std::size_t RecordStream::take_rest(RawPiece& piece) {
  const std::size_t size = rest_.size();
  if (size + chunk_bytes_ + kPadding > piece.bytes.size()) piece.bytes.resize(size + chunk_bytes_ + kPadding);
  if (size > 0) std::memcpy(piece.bytes.data(), rest_.data(), size);
  rest_.clear();
  return size;
}

// Reads the next bytes of a record that is too long, up to its end.
bool RecordStream::skip_record(RawPiece& piece) {
  std::size_t have = take_rest(piece);
  char* data = piece.bytes.data();
  const std::size_t got = read(data + have);
  have += got;
  std::size_t held = have;
  const std::size_t end = first_end({data, have}, held);
  const bool last = end == kNone && got < chunk_bytes_;
  piece.kind = RawPiece::Kind::more;
  piece.end = end != kNone ? end : last ? have : held;
  piece.line = count_lines({data, piece.end});
  skipping_ = end == kNone;
  if (last)
    bytes_.close();
  else
    keep(data + piece.end, data + have, false);
  return !last;
}

std::size_t RecordStream::read(char* buffer) {
  throw_if_stopped(context_);
  return bytes_.read(buffer, chunk_bytes_);
}

void RecordStream::keep(const char* begin, const char* end, bool scanned) {
  rest_.append(std::span(begin, end));
  rest_scanned_ = scanned;
}

// The offset of the end of the last record that ends in `bytes`, which continue the bytes scanned before.
std::size_t RecordStream::last_end(std::string_view bytes) {
  if (warc_) return warc_->last_end(bytes);
  if (mbox_) return mbox_->last_end(bytes);
  if (table_) return scanner_.last_end(bytes);
  if (json_) return json_->last_end(bytes);
  const void* found = memrchr(bytes.data(), '\n', bytes.size());
  return found == nullptr ? kNone : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
}

// Text before a JSON record does not belong to it. If `bytes` are longer than a record may be and no record ends in
// them, that text becomes a piece of its own. Returns the size of that piece, or 0.
std::size_t RecordStream::begin_of_long_record(std::string_view bytes) const {
  if (!json_ || bytes.size() <= max_raw_bytes_) return 0;
  const std::size_t begin = bytes.find('{');
  return begin <= max_raw_bytes_ ? begin : 0;
}

// Whether the record that begins with `bytes`, and does not end in them, is too long. The bytes from `held` on are
// scanned again.
bool RecordStream::too_long(std::string_view bytes, std::size_t& held) {
  if (warc_) return warc_->too_long(bytes, held);
  if (mbox_) return mbox_->too_long(bytes, held);
  held = bytes.size();
  if (bytes.size() <= max_raw_bytes_) return false;
  between_ = json_ && !bytes.starts_with('{');
  if (between_) {
    held = std::min(bytes.find('{'), held);
    json_.emplace();  // the next record is scanned again from its beginning
  }
  return true;
}

// The end of the record that is being skipped. If it does not end in `bytes`, those from `held` on are scanned again.
std::size_t RecordStream::first_end(std::string_view bytes, std::size_t& held) {
  if (warc_) return warc_->first_end(bytes, held);
  if (mbox_) return mbox_->first_end(bytes, held);
  if (table_) return scanner_.first_end(bytes);
  if (between_) return bytes.find('{');
  if (json_) return json_->first_end(bytes);
  const std::size_t at = bytes.find('\n');
  return at == kNone ? kNone : at + 1;
}

}  // namespace refrain::corpus
