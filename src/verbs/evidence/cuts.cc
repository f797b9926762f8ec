#include "verbs/evidence/cuts.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "corpus/formats/recognize.h"
#include "refrain/utf8.h"

namespace refrain::verbs::evidence {

namespace {
constexpr std::uint64_t kChunk = 4096;
constexpr std::string_view kWhiteSpace = " \t\n\r\f\v";
}  // namespace

Snapper::Snapper(Snap snap, const TextSource& text) : snap_(snap), text_(text) {
  if (snap_ == Snap::word) words_ = text::make_tokenizer(TokenizerKind::words);
}

std::string_view Snapper::read(std::uint64_t begin, std::uint64_t end) {
  const auto size = static_cast<std::size_t>(end - begin);
  return {text_.read(begin, size, scratch_), size};
}

std::optional<ByteRange> Snapper::shrink(ByteRange range, ByteRange document) {
  if (snap_ == Snap::line) {
    range.begin = line_after(range, document);
    if (range.begin < range.end) range.end = line_before(range, document);
  } else if (snap_ != Snap::none) {
    if (const auto unit = character(range.begin, document)) range.begin = unit->end;
    if (const auto unit = character(range.end, document)) range.end = unit->begin;
    if (snap_ == Snap::word && range.begin < range.end) {
      if (const auto unit = word(range.begin, document)) range.begin = unit->end;
      if (const auto unit = word(range.end, document)) range.end = unit->begin;
    }
  }
  if (range.begin >= range.end) return std::nullopt;
  return range;
}

std::optional<ByteRange> Snapper::character(std::uint64_t at, ByteRange document) {
  const std::uint64_t from = std::max(document.begin, at - std::min<std::uint64_t>(at, 3));
  const std::string_view text = read(from, std::min(document.end, at + 3));
  for (std::uint64_t lead = from; lead < at; ++lead) {
    const CodePoint point = decode_utf8(text, static_cast<std::size_t>(lead - from));
    if (point.valid() && lead + point.size > at) return ByteRange{lead, lead + point.size};
  }
  return std::nullopt;
}

// Searches for tokens from the white space before `at`, or from so far before `at` that no token can extend across
// it.
std::optional<ByteRange> Snapper::word(std::uint64_t at, ByteRange document) {
  if (at == document.begin || at == document.end) return std::nullopt;
  const std::uint64_t from = std::max(document.begin, at - std::min<std::uint64_t>(at, text::kMaxTokenBytes));
  const std::string_view text = read(from, std::min<std::uint64_t>(document.end, at + text::kMaxTokenBytes));
  const auto here = static_cast<std::size_t>(at - from);
  const std::size_t space = text.substr(0, here).find_last_of(kWhiteSpace);
  std::size_t position = space == std::string_view::npos ? 0 : space + 1;
  while (position < here && (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U) ++position;
  while (position < here) {
    const std::size_t next = words_->next(text, position, block_);
    for (std::size_t token = 0; token < block_.size(); ++token) {
      const ByteRange range = block_.range(token);
      if (range.begin >= here) return std::nullopt;
      if (range.end > here) return ByteRange{from + range.begin, from + range.end};
    }
    position = next;
  }
  return std::nullopt;
}

// The beginning of the first line that begins within the range.
std::uint64_t Snapper::line_after(ByteRange range, ByteRange document) {
  if (range.begin == document.begin) return range.begin;
  for (std::uint64_t at = range.begin - 1; at < range.end; at += kChunk) {
    const std::size_t found = read(at, std::min(at + kChunk, range.end)).find('\n');
    if (found != std::string_view::npos) return at + found + 1;
  }
  return range.end;
}

// The end of the last line that ends within the range.
std::uint64_t Snapper::line_before(ByteRange range, ByteRange document) {
  if (range.end == document.end) return range.end;
  for (std::uint64_t end = range.end; end > range.begin;) {
    const std::uint64_t at = std::max(range.begin, end - std::min(end, kChunk));
    const std::size_t found = read(at, end).rfind('\n');
    if (found != std::string_view::npos) return at + found + 1;
    end = at;
  }
  return range.begin;
}

bool CutGuard::is_enough() const {
  return kept_ >= corpus::kBinaryBytes;
}

std::uint64_t CutGuard::first_to_cut() const {
  std::vector<char> scratch;
  std::string left;
  const auto take = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t missing = corpus::kBinaryBytes - left.size();
    const auto size = static_cast<std::size_t>(std::min(end - begin, missing));
    if (size != 0) left.append(text_.read(begin, size, scratch), size);
  };
  std::uint64_t at = document_->begin;
  for (const ByteRange& range : held_) {
    take(at, range.begin);
    at = range.end;
  }
  take(at, document_->end);
  const corpus::Recognized after = corpus::recognize(left, {});
  if (after.content != corpus::Recognized::Content::other) return document_->begin;
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(document_->end - document_->begin, corpus::kBinaryBytes + 3));
  const std::string_view whole(text_.read(document_->begin, size, scratch), size);
  const corpus::Recognized before = corpus::recognize(whole.substr(0, corpus::kBinaryBytes), {});
  if (before.content == after.content && before.kind == after.kind) return document_->begin;
  return document_->begin + boundary_after(whole, std::min(corpus::kBinaryBytes, whole.size()));
}

}  // namespace refrain::verbs::evidence
