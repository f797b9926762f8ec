#include "corpus/files/records.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/threads.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kNone = std::string_view::npos;

}  // namespace

RecordStream::RecordStream(const Input& input, RecordFile& file, const SourceOptions& options, const Context& context,
                           MemoryBudget& budget, std::size_t piece_bytes)
    : options_(options),
      context_(context),
      file_(file),
      chunk_bytes_(std::max<std::size_t>(piece_bytes / 2, 8)),
      max_raw_bytes_(input.format->max_record_bytes(options.max_doc_bytes)),
      scanner_(input.format->scanner(max_raw_bytes_, input.delimiter)),
      bytes_(budget),
      rest_(budget, "the rest of a piece of the input") {
  if (input.format->record_size != nullptr) bytes_.skip_damage();
  bytes_.open(source_of(input, options), context.stop);
  // Even if nothing is converted, this reads the beginning, so that a file that cannot be unpacked at all is rejected
  // when it is opened. Records that are decoded may each have another charset.
  bytes_.recode(input.format->storage == Storage::decoded ? "utf-8" : options.charset);
}

std::uint64_t RecordStream::take_replaced() {
  return bytes_.replaced() - std::exchange(replaced_, bytes_.replaced());
}

bool RecordStream::next(RawPiece& piece, LargeTurn& turn) {
  piece.offset = cut_bytes_;
  const bool more = cut(piece, turn);
  cut_bytes_ += piece.end;
  piece.trim();
  scanner_->read_header(piece, file_, options_);
  return more;
}

bool RecordStream::cut(RawPiece& piece, LargeTurn& turn) {
  piece.begin = piece.end = 0;
  piece.line = 0;
  piece.records_before = scanner_->records();
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
    if (scanner_->rescans()) scanned = piece.begin;
    const std::size_t end = scanner_->last_end({data + scanned, have - scanned});
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
    if (const std::size_t text = scanner_->text_before({data + piece.begin, have - piece.begin}); text != 0) {
      piece.end = piece.begin + text;
      keep(data + piece.end, data + have, true);
      return true;
    }
    std::size_t held = 0;
    if (scanner_->too_long({data + piece.begin, have - piece.begin}, held)) {
      piece.kind = RawPiece::Kind::too_long;
      piece.end = piece.begin + held;
      piece.line = line_breaks({data + piece.begin, held});
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
  const std::size_t end = scanner_->first_end({data, have}, held);
  const bool last = end == kNone && got < chunk_bytes_;
  piece.kind = RawPiece::Kind::more;
  piece.end = end != kNone ? end : last ? have : held;
  piece.line = line_breaks({data, piece.end});
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

}  // namespace refrain::corpus
