#include "corpus/rewrite/held.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "corpus/files/raw.h"
#include "refrain/digest.h"

namespace refrain::corpus {

namespace {

// The part of `raw` that is `text`, or null if the text is stored in another form.
const char* find_text(std::string_view raw, std::string_view text) {
  if (raw.size() == text.size() + 2 && raw.starts_with('"')) raw = raw.substr(1, text.size());
  return raw == text ? raw.data() : nullptr;
}

}  // namespace

std::shared_ptr<Held> hold(const Batch& batch, Pool<HeldMemory>& pool, MemoryBudget& budget) {
  const RawBatch& from = *batch.raw;
  auto held = std::make_shared<Held>();
  held->memory = pool.take([&] { return std::make_unique<HeldMemory>(budget); });
  const std::size_t count = batch.texts.size();
  const bool whole_files = !from.files.empty();
  std::string_view raw = from.bytes;
  if (whole_files) raw = {batch.texts.text, static_cast<std::size_t>(batch.texts.offsets[count])};
  const auto text_in_raw = [&](std::size_t i) {
    return whole_files ? batch.texts[i].data() : find_text(from.texts[i], batch.texts[i]);
  };

  std::size_t copied_bytes = batch.at_once ? 0 : raw.size();
  for (std::size_t i = 0; i < count && !batch.at_once; ++i)
    if (batch.bad[i] == 0 && text_in_raw(i) == nullptr) copied_bytes += batch.texts[i].size();
  const std::size_t record_bytes = count * sizeof(Record);
  Array<char>& memory = held->memory->bytes;
  if (memory.size() < record_bytes + copied_bytes) memory.resize(record_bytes + copied_bytes);
  auto* const records = reinterpret_cast<Record*>(memory.data());
  char* room = memory.data() + record_bytes;
  const auto keep = [&](std::string_view bytes) -> const char* {
    if (batch.at_once) return bytes.data();
    if (!bytes.empty()) std::memcpy(room, bytes.data(), bytes.size());
    return std::exchange(room, room + bytes.size());
  };
  const char* const bytes = keep(raw);
  for (std::size_t i = 0; i < count; ++i) {
    Record record;
    if (batch.bad[i] == 0) {
      const std::string_view text = batch.texts[i];
      const std::string_view place = whole_files ? text : from.texts[i];
      const std::string_view all = whole_files ? text : from.records[i];
      const char* const same = text_in_raw(i);
      record.record_begin = static_cast<std::uint64_t>(all.data() - raw.data());
      record.record_end = record.record_begin + all.size();
      if (place.data() != nullptr) {
        record.begin = static_cast<std::uint64_t>(place.data() - raw.data());
        record.end = record.begin + place.size();
      }
      record.text = same != nullptr ? bytes + (same - raw.data()) : keep(text);
      record.text_bytes = text.size();
      record.digest = digest(text);
    }
    records[i] = record;
  }
  held->records = std::span(records, count);
  held->bytes = bytes;
  held->raw_bytes = raw.size();
  for (const RawFile& file : from.files) held->files.push_back({*file.input, file.packing, file.converted});
  if (from.file.input != nullptr) held->file.push_back({*from.file.input, from.file.packing, from.file.converted});
  held->at_once = batch.at_once;
  held->first = from.first;
  held->last = from.last;
  held->last_of_group = from.last_of_group;
  held->part_of_record = from.part_of_record;
  const std::span<const FieldKind> kinds = batch.fields.kinds;
  const auto taken =
      std::find_if(kinds.begin(), kinds.end(), [](FieldKind kind) { return kind != FieldKind::missing; });
  if (taken != kinds.end()) {
    const auto place = static_cast<std::size_t>(taken - kinds.begin());
    held->conflicting_record = place / batch.fields.width;
    held->conflicting_field = place % batch.fields.width;
  }
  return held;
}

}  // namespace refrain::corpus
