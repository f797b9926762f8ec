// Puts the records of a piece side by side into a Batch.
//
// Its buffers are made once a worker, from the budget, for `piece_bytes` of text; a longer document makes them grow,
// and shrink() brings them back.
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

// Readable and writable bytes past the end of a buffer, for those who work in wide steps.
inline constexpr std::size_t kPadding = 64;

// Not thread-safe: every worker has its own.
class BatchBuilder {
 public:
  // `raw`: for those who want to know where in the input the texts stand. `fields`: how many others every record has.
  BatchBuilder(MemoryBudget& budget, std::size_t piece_bytes, bool raw = false, std::size_t fields = 0);

  // `ordinals`: the records have no ids of their own.
  void begin(bool ordinals);

  bool ordinals() const { return batch_.ids.ordinals; }
  std::size_t size() const { return batch_.bad.size(); }
  // Past this the batch has to be used and cleared before another record is added.
  bool full() const { return size() >= max_records_ || text_end() >= piece_bytes_; }

  // Room for texts of `bytes` in all, those of this batch included.
  void reserve_text(std::size_t bytes);
  // Where the next text goes, and how much may be written there.
  char* room() { return text_.data() + text_end(); }
  std::size_t room_bytes() const { return text_.size() - kPadding - text_end(); }

  // The first `text_bytes` of room() become a document. `id` is not looked at where there are only ordinals.
  void add(std::size_t text_bytes, std::string_view id);
  // A field of the record added last. In rising order; those that are left out are missing.
  void set_field(std::size_t field, FieldKind kind, std::string_view value);
  // Where the record added last stands in the bytes of its piece, and what stands for its text. Only where raw().
  bool raw() const { return raw_; }
  void locate(std::string_view record, std::string_view text) {
    raw_records_.back() = record;
    raw_texts_.back() = text;
  }
  // `path` and `line` say where the record stood; `line` counts from the beginning of its piece. Of a
  // long reason the first 200 bytes or so are kept.
  void add_bad(std::string_view path, std::uint64_t line, std::string reason);
  // Whether the reason of the next bad record will be kept.
  bool wants_reasons() const { return examples_.size() < ReadReport::kMaxExamples; }

  Batch& batch();
  std::uint64_t text_bytes() const { return text_end(); }
  std::uint64_t bad_records() const { return bad_records_; }
  // One a record, where raw().
  const std::vector<std::string_view>& raw_records() const { return raw_records_; }
  const std::vector<std::string_view>& raw_texts() const { return raw_texts_; }
  std::vector<BadRecord>& examples() { return examples_; }  // the first few of the bad records

  // Empties the batch. The first `keep` bytes of room() stay at the new room().
  void clear(std::size_t keep = 0);
  void shrink();

 private:
  std::size_t text_end() const { return static_cast<std::size_t>(offsets_[size()]); }
  void reserve_ids(std::size_t bytes);

  const std::size_t piece_bytes_;
  const std::size_t max_records_;
  const bool raw_;
  Reservation small_;  // the ids, and what is kept a record
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
