#include "corpus/formats/batch_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace refrain::corpus {

namespace {

// Batches with many records have short ones: a limit at which offsets take half as many bytes as a piece is enough.
std::size_t records_of(std::size_t piece_bytes) {
  return std::max<std::size_t>(piece_bytes / 16, 4);
}

// The memory for ids, their ends, the flags of bad records, and the locations of records and texts.
std::uint64_t small_bytes(std::size_t id_bytes, std::size_t records, bool raw) {
  return id_bytes + records * (sizeof(std::uint64_t) + sizeof(std::uint8_t) + (raw ? 2 * sizeof(std::string_view) : 0));
}

constexpr const char* kWhat = "the text of a long document";
constexpr const char* kFields = "the fields of a piece of the input";

}  // namespace

std::string shortened_reason(std::string reason, std::size_t most_bytes) {
  constexpr std::string_view kDots = "...";
  if (reason.size() <= most_bytes) return reason;
  std::size_t end = most_bytes - kDots.size();
  // Moves back to the beginning of a character. Invalid bytes are cut anywhere.
  for (std::size_t back = 0; back < 4; ++back)
    if ((static_cast<unsigned char>(reason[end - back]) & 0xC0U) != 0x80U) {
      end -= back;
      break;
    }
  reason.resize(end);
  return reason.append(kDots);
}

BatchBuilder::BatchBuilder(MemoryBudget& budget, std::size_t piece_bytes, bool raw, std::size_t fields)
    : piece_bytes_(piece_bytes),
      max_records_(records_of(piece_bytes)),
      raw_(raw),
      small_(budget.reserve(small_bytes(piece_bytes, max_records_, raw), "the ids of a piece of the input")),
      text_(budget, kWhat, piece_bytes + kPadding),
      offsets_(budget, "the documents of a piece of the input", max_records_ + 1),
      fields_(fields),
      field_bytes_(budget, kFields),
      field_ends_(budget, kFields),
      field_kinds_(budget, kFields) {
  batch_.bad.reserve(max_records_);
  if (raw_) raw_records_.reserve(max_records_);
  if (raw_) raw_texts_.reserve(max_records_);
  offsets_[0] = 0;
}

void BatchBuilder::begin(bool ordinals) {
  clear();
  batch_.ids.ordinals = ordinals;
}

void BatchBuilder::reserve_text(std::size_t bytes) {
  if (bytes + kPadding > text_.size()) text_.resize(bytes + kPadding);
}

void BatchBuilder::reserve_ids(std::size_t bytes) {
  if (bytes <= piece_bytes_ || bytes <= batch_.ids.bytes.capacity()) return;
  small_.resize(small_bytes(bytes, max_records_, raw_), "a long id");
  batch_.ids.bytes.reserve(bytes);
}

void BatchBuilder::add(std::size_t text_bytes, std::string_view id) {
  const std::size_t end = text_end() + text_bytes;
  if (!batch_.ids.ordinals) {
    reserve_ids(batch_.ids.bytes.size() + id.size());
    batch_.ids.bytes.append(id);
    batch_.ids.ends.push_back(batch_.ids.bytes.size());
  }
  for (std::size_t i = 0; i < fields_; ++i) {
    field_ends_.push_back(field_bytes_.size());
    field_kinds_.push_back(FieldKind::missing);
  }
  if (raw_) raw_records_.emplace_back();
  if (raw_) raw_texts_.emplace_back();
  batch_.bad.push_back(0);
  offsets_[size()] = static_cast<std::int64_t>(end);
}

void BatchBuilder::set_field(std::size_t field, FieldKind kind, std::string_view value) {
  field_bytes_.append(std::span(value.data(), value.size()));
  const std::size_t begin = field_kinds_.size() - fields_;
  field_kinds_[begin + field] = kind;
  for (std::size_t i = field; i < fields_; ++i) field_ends_[begin + i] = field_bytes_.size();
}

void BatchBuilder::add_bad(std::string_view path, std::uint64_t line, std::string reason) {
  add(0, {});
  batch_.bad.back() = 1;
  ++bad_records_;
  if (wants_reasons()) examples_.push_back({std::string(path), line, shortened_reason(std::move(reason))});
}

Batch& BatchBuilder::batch() {
  batch_.texts = {.text = text_.data(), .offsets = std::span(offsets_.data(), size() + 1)};
  batch_.fields = {.width = fields_,
                   .bytes = field_bytes_.data(),
                   .ends = std::span(field_ends_.data(), field_ends_.size()),
                   .kinds = std::span(field_kinds_.data(), field_kinds_.size())};
  return batch_;
}

void BatchBuilder::clear(std::size_t keep) {
  if (keep > 0 && text_end() > 0) std::memmove(text_.data(), room(), keep);
  batch_.bad.clear();
  batch_.vague.clear();
  raw_records_.clear();
  raw_texts_.clear();
  batch_.ids.bytes.clear();
  batch_.ids.ends.clear();
  field_bytes_.clear();
  field_ends_.clear();
  field_kinds_.clear();
  bad_records_ = 0;
  examples_.clear();
}

void BatchBuilder::shrink() {
  if (text_.size() > piece_bytes_ + kPadding) text_.resize(piece_bytes_ + kPadding);
  if (field_bytes_.size() > piece_bytes_) field_bytes_.resize(0);
  const std::uint64_t usual = small_bytes(piece_bytes_, max_records_, raw_);
  if (small_.bytes() > usual) {
    batch_.ids.bytes.shrink_to_fit();
    small_.resize(usual, {});
  }
}

}  // namespace refrain::corpus
