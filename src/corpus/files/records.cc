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
    bytes_.pass_over_damage();
  }
  if (input.format == Format::mbox) mbox_.emplace(max_raw_bytes_);
  if (input.format == Format::json) json_.emplace();
  bytes_.open(source_of(input, options), context.stop);
  if (input.format != Format::warc && input.format != Format::mbox) bytes_.recode(options.charset);
}

std::uint64_t RecordStream::take_replaced() {
  return bytes_.replaced() - std::exchange(replaced_, bytes_.replaced());
}

bool RecordStream::next(RawPiece& piece, LargeTurn& turn) {
  piece.offset = cut_bytes_;
  const bool more = cut(piece, turn);
  cut_bytes_ += piece.end;
  piece.trim();
  if (!table_ || !columns_.names.empty()) return more;
  if (piece.kind != RawPiece::Kind::records)
    throw Error(Errc::bad_input, fmt::format("{}: the header row is {}; is this a table?", path_,
                                             too_long_reason(options_.max_doc_bytes)));
  const CsvRest rest = read_csv_header({piece.bytes.data() + piece.begin, piece.end - piece.begin},
                                       scanner_.delimiter(), path_, options_, columns_);
  piece.begin += rest.begin;
  piece.line = rest.lines;
  return more;
}

bool RecordStream::cut(RawPiece& piece, LargeTurn& turn) {
  piece.begin = piece.end = 0;
  piece.line = 0;
  piece.records_before = mbox_ ? mbox_->messages() : 0;
  piece.kind = RawPiece::Kind::records;
  if (passing_over_) return pass_over(piece);
  std::size_t have = take_rest(piece);
  std::size_t scanned = rest_scanned_ ? have : 0;
  while (true) {
    if (have + chunk_bytes_ + kPadding > piece.bytes.size()) {
      // A long record: grow by a quarter, which is many chunks, yet not past what a record may have.
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
    if (warc_ || mbox_) scanned = piece.begin;  // they look at a record as a whole
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
    std::size_t held = 0;
    if (too_long({data + piece.begin, have - piece.begin}, held)) {
      piece.kind = RawPiece::Kind::too_long;
      piece.end = piece.begin + held;
      piece.line = count_lines({data + piece.begin, held});
      passing_over_ = true;
      keep(data + piece.end, data + have, false);
      return true;
    }
  }
}

// Puts what was kept at the beginning of `piece`, with room for a chunk behind it. Returns its size.
std::size_t RecordStream::take_rest(RawPiece& piece) {
  const std::size_t size = rest_.size();
  if (size + chunk_bytes_ + kPadding > piece.bytes.size()) piece.bytes.resize(size + chunk_bytes_ + kPadding);
  if (size > 0) std::memcpy(piece.bytes.data(), rest_.data(), size);
  rest_.clear();
  return size;
}

// The next bytes of a record that is too long, up to its end.
bool RecordStream::pass_over(RawPiece& piece) {
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
  passing_over_ = end == kNone;
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

// The offset behind the last record that ends in `bytes`, which continue what was scanned before.
std::size_t RecordStream::last_end(std::string_view bytes) {
  if (warc_) return warc_->last_end(bytes);
  if (mbox_) return mbox_->last_end(bytes);
  if (table_) return scanner_.last_end(bytes);
  if (json_) return json_->last_end(bytes);
  const void* found = memrchr(bytes.data(), '\n', bytes.size());
  return found == nullptr ? kNone : static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
}

// Whether the record that begins with `bytes`, and has no end in them, is too long. From `held` on they are looked at
// again.
bool RecordStream::too_long(std::string_view bytes, std::size_t& held) {
  if (warc_) return warc_->too_long(bytes, held);
  if (mbox_) return mbox_->too_long(bytes, held);
  held = bytes.size();
  return bytes.size() > max_raw_bytes_;
}

// The end of the record that is passed over; where there is none, `bytes` from `held` on are looked at again.
std::size_t RecordStream::first_end(std::string_view bytes, std::size_t& held) {
  if (warc_) return warc_->first_end(bytes, held);
  if (mbox_) return mbox_->first_end(bytes, held);
  if (table_) return scanner_.first_end(bytes);
  if (json_) return json_->first_end(bytes);
  const std::size_t at = bytes.find('\n');
  return at == kNone ? kNone : at + 1;
}

}  // namespace refrain::corpus
