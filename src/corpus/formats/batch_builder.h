// Collects the records of a piece in a Batch.
//
// Each worker creates its buffers once, from the budget, for `piece_bytes` of text. A longer document makes them
// grow, and shrink() reduces them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/batch.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Readable and writable bytes past the end of a buffer, for code that works in wide steps.
inline constexpr std::size_t kPadding = 64;

// Truncates a reason at a character boundary: a reason that quotes the input may be as long as a file.
std::string shortened_reason(std::string reason, std::size_t most_bytes = 200);

// Not thread-safe: every worker has its own.
class BatchBuilder {
 public:
  // `raw`: record where each record and its text are in the input. `fields`: the number of extra fields per record.
  BatchBuilder(MemoryBudget& budget, std::size_t piece_bytes, bool raw = false, std::size_t fields = 0);

  // `ordinals`: the records have no ids of their own.
  void begin(bool ordinals);

  bool ordinals() const { return batch_.ids.ordinals; }
  std::size_t size() const { return batch_.bad.size(); }
  // If true, the batch must be used and cleared before another record is added.
  bool full() const { return size() >= max_records_ || text_end() >= piece_bytes_; }

  // Makes room for texts of `bytes` in total, including those already in this batch.
  void reserve_text(std::size_t bytes);
  // Where to write the next text, and how many bytes may be written there.
  char* room() { return text_.data() + text_end(); }
  std::size_t room_bytes() const { return text_.size() - kPadding - text_end(); }

  // Turns the first `text_bytes` of room() into a document. `id` is ignored if ids are ordinals.
  void add(std::size_t text_bytes, std::string_view id);
  // Adds the record added last to Batch::vague.
  void mark_vague() { batch_.vague.push_back(static_cast<std::uint32_t>(size() - 1)); }
  // Sets a field of the record added last. Fields must be set in ascending order; those not set are missing.
  void set_field(std::size_t field, FieldKind kind, std::string_view value);
  // Records where the record added last and its stored text are in the bytes of its piece. Only if raw().
  bool raw() const { return raw_; }
  void locate(std::string_view record, std::string_view text) {
    raw_records_.back() = record;
    raw_texts_.back() = text;
  }
  // Adds a bad record. `path` and `line` tell where it was; `line` counts from the beginning of its piece. A long
  // reason is truncated to about 200 bytes.
  void add_bad(std::string_view path, std::uint64_t line, std::string reason);
  // Whether the reason of the next bad record will be kept.
  bool wants_reasons() const { return examples_.size() < ReadReport::kMaxExamples; }

  Batch& batch();
  std::uint64_t text_bytes() const { return text_end(); }
  std::uint64_t bad_records() const { return bad_records_; }
  // One per record, if raw().
  const std::vector<std::string_view>& raw_records() const { return raw_records_; }
  const std::vector<std::string_view>& raw_texts() const { return raw_texts_; }
  std::vector<BadRecord>& examples() { return examples_; }  // the first few bad records

  // Empties the batch. The first `keep` bytes of room() are moved to the new room().
  void clear(std::size_t keep = 0);
  void shrink();

 private:
  std::size_t text_end() const { return static_cast<std::size_t>(offsets_[size()]); }
  void reserve_ids(std::size_t bytes);

  const std::size_t piece_bytes_;
  const std::size_t max_records_;
  const bool raw_;
  Reservation small_;  // for the ids and for data kept per record
  Array<char> text_;
  Array<std::int64_t> offsets_;
  const std::size_t fields_;
  Array<char> field_bytes_;
  Array<std::uint64_t> field_ends_;
  Array<FieldKind> field_kinds_;
  Batch batch_;
  std::uint64_t bad_records_ = 0;
  std::vector<BadRecord> examples_;
  std::vector<std::string_view> raw_records_;
  std::vector<std::string_view> raw_texts_;
};

}  // namespace refrain::corpus
