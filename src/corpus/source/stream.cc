#include "corpus/source/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/array.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/files/raw.h"
#include "corpus/files/walk.h"
#include "corpus/formats/piece.h"
#include "corpus/source/ledger.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kMaxRecords = std::size_t{64} << 10U;  // per piece

// Consecutive documents of one batch of the stream.
struct Piece {
  std::shared_ptr<const DocumentBatch> batch;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t number = 0;  // index of the piece
};

// The indexes of the requested fields of the stream.
std::vector<std::size_t> chosen_fields(const InputOptions& options) {
  const std::vector<std::string> names = options.documents->field_names();
  std::vector<std::size_t> chosen;
  for (const std::string& wanted : options.extra_fields) {
    const auto found = std::ranges::find(names, wanted);
    if (found == names.end())
      throw Error(Errc::invalid_argument, fmt::format("no field '{}' in the documents; they have {}", wanted,
                                                      names.empty() ? std::string("none") : quoted_names(names)));
    chosen.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return chosen;
}

// Makes the batch of a piece. Each worker has one, which keeps its buffers.
class PieceBatch {
 public:
  PieceBatch(MemoryBudget& budget, const InputOptions& options, std::span<const std::size_t> fields, bool raw)
      : options_(options),
        chosen_(fields),
        wants_raw_(raw),
        small_(budget.reserve(0, kWhat)),
        text_(budget, std::string(kWhat)),
        offsets_(budget, std::string(kWhat)) {}

  Batch& make(const Piece& piece, BatchResult& result) {
    const DocumentBatch& from = *piece.batch;
    const TextColumn text = from.text.slice(piece.begin, piece.end - piece.begin);
    const std::size_t size = text.size();
    batch_ = {};
    batch_.place = {.slot = 0, .piece = piece.number, .part = 0};
    batch_.bad.assign(size, 0);
    bool left_out = false;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string_view value = text[i];
      const bool null = !text.valid(i);
      if (!null && value.size() <= options_.max_doc_bytes) {
        result.text_bytes += value.size();
        continue;
      }
      batch_.bad[i] = 1;
      left_out |= !value.empty();
      ++result.bad_records;
      if (result.examples.size() < ReadReport::kMaxExamples)
        result.examples.push_back({.path = "document",
                                   .line = i + 1,
                                   .reason = null ? "the text is null" : too_long_reason(options_.max_doc_bytes)});
    }
    result.records = size;
    take_texts(text, left_out);
    take_ids(from, piece);
    take_fields(from, piece);
    if (wants_raw_) {
      // There is no file whose bytes contain the texts.
      raw_texts_.assign(size, {});
      raw_.records = raw_.texts = raw_texts_;
      batch_.raw = &raw_;
    }
    small_.resize(size + batch_.ids.bytes.size() + batch_.ids.ends.size() * sizeof(std::uint64_t) +
                      field_bytes_.size() + field_ends_.size() * (sizeof(std::uint64_t) + 1),
                  kWhat);
    return batch_;
  }

 private:
  static constexpr std::string_view kWhat = "a piece of a stream";

  // `left_out`: the text of a bad record is not empty, and must become empty.
  void take_texts(const TextColumn& text, bool left_out) {
    const std::size_t size = text.size();
    if (!left_out && text.wide_offsets() != nullptr) {
      batch_.texts = {text.bytes(), {text.wide_offsets(), size + 1}};
      return;
    }
    offsets_.resize(size + 1);
    if (!left_out) {
      for (std::size_t i = 0; i <= size; ++i) offsets_[i] = text.offset(i);
      batch_.texts = {text.bytes(), {offsets_.data(), size + 1}};
      return;
    }
    text_.clear();
    offsets_[0] = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (batch_.bad[i] == 0) text_.append(std::span<const char>(text[i]));
      offsets_[i + 1] = static_cast<std::int64_t>(text_.size());
    }
    batch_.texts = {text_.data(), {offsets_.data(), size + 1}};
  }

  void take_ids(const DocumentBatch& from, const Piece& piece) {
    if (!from.ids) return;
    batch_.ids.ordinals = false;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      if (from.ids->valid(i) && batch_.bad[i - piece.begin] == 0) batch_.ids.bytes += (*from.ids)[i];
      batch_.ids.ends.push_back(batch_.ids.bytes.size());
    }
  }

  void take_fields(const DocumentBatch& from, const Piece& piece) {
    field_bytes_.clear();
    field_ends_.clear();
    field_kinds_.clear();
    for (std::size_t i = piece.begin; i < piece.end && !chosen_.empty(); ++i)
      for (const std::size_t field : chosen_) {
        const TextColumn& values = from.fields.at(field);
        const bool bad = batch_.bad[i - piece.begin] != 0;
        if (!bad && values.valid(i)) field_bytes_ += values[i];
        field_ends_.push_back(field_bytes_.size());
        field_kinds_.push_back(bad ? FieldKind::missing : values.valid(i) ? FieldKind::string : FieldKind::null);
      }
    batch_.fields = {.width = chosen_.size(), .bytes = field_bytes_.data(), .ends = field_ends_, .kinds = field_kinds_};
  }

  const InputOptions& options_;
  const std::span<const std::size_t> chosen_;
  const bool wants_raw_;
  Reservation small_;
  Array<char> text_;
  Array<std::int64_t> offsets_;
  std::string field_bytes_;
  std::vector<std::uint64_t> field_ends_;
  std::vector<FieldKind> field_kinds_;
  std::vector<std::string_view> raw_texts_;
  RawBatch raw_;
  Batch batch_;
};

// Assigns pieces to workers, and books them in stream order. Thread-safe.
class StreamSchedule {
 public:
  StreamSchedule(DocumentStream& stream, const InputOptions& options, const Context& context, MemoryBudget& budget,
                 const ReaderTuning& tuning)
      : stream_(stream), context_(context), tuning_(tuning), ledger_(options.strict, context.spell, budget) {}

  // Returns nullopt at the end, or if another worker has failed.
  std::optional<Piece> claim() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return failed_ || (waiting_.size() < tuning_.max_waiting && waiting_bytes_ < tuning_.max_waiting_bytes);
    });
    if (failed_) return std::nullopt;
    throw_if_stopped(context_);
    while (batch_ == nullptr || at_ == batch_->text.size()) {
      auto next = std::make_shared<DocumentBatch>();
      if (ended_ || !stream_.next(*next)) {
        ended_ = true;
        return std::nullopt;
      }
      batch_ = std::move(next);
      at_ = 0;
    }
    Piece piece{.batch = batch_, .begin = at_, .number = claimed_++};
    std::uint64_t bytes = 0;
    do {
      bytes += batch_->text[at_++].size();
    } while (at_ != batch_->text.size() && bytes < tuning_.piece_bytes && at_ - piece.begin < kMaxRecords);
    piece.end = at_;
    return piece;
  }

  // Books the piece, and the completed ones after it, when its turn has come.
  void hand_in(const Piece& piece, PieceResult result) {
    std::unique_lock lock(mutex_);
    waiting_bytes_ += result.held_bytes;
    waiting_.emplace(piece.number, std::move(result));
    while (!booking_ && !failed_ && !waiting_.empty() && waiting_.begin()->first == next_) {
      auto node = waiting_.extract(waiting_.begin());
      booking_ = true;
      lock.unlock();
      ledger_.book(node.mapped());
      lock.lock();
      booking_ = false;
      waiting_bytes_ -= node.mapped().held_bytes;
      ++next_;
      changed_.notify_all();
      lock.unlock();
      node.mapped().do_after();
      lock.lock();
    }
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

  ReadReport report() { return std::move(ledger_.report()); }

 private:
  DocumentStream& stream_;
  const Context& context_;
  const ReaderTuning& tuning_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const DocumentBatch> batch_;
  std::size_t at_ = 0;  // in batch_
  bool ended_ = false;
  bool failed_ = false;
  bool booking_ = false;       // a worker is inside the ledger
  std::uint64_t claimed_ = 0;  // number of pieces
  std::uint64_t next_ = 0;     // the next piece to be booked
  std::map<std::uint64_t, PieceResult> waiting_;
  std::uint64_t waiting_bytes_ = 0;
  Ledger ledger_;
};

// Stores each column of the stream (texts, ids, fields) in a temporary file, and only the location of batches in
// memory.
class SpooledStream final : public DocumentStream {
 public:
  SpooledStream(DocumentStream& stream, const Context& context, TempSpace& temp)
      : texts_(temp), names_(stream.field_names()) {
    ids_.emplace(temp);
    fields_.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) fields_.emplace_back(temp);
    for (DocumentBatch batch; stream.next(batch);) {
      throw_if_stopped(context);
      copy(batch);
    }
  }

  bool next(DocumentBatch& batch) override {
    if (at_ == batches_.size()) return false;
    const Place& place = batches_[at_++];
    auto held = std::make_shared<Held>();
    batch = {};
    batch.text = place.text.load(texts_, held->columns.emplace_back());
    if (place.ids) batch.ids = place.ids->load(*ids_, held->columns.emplace_back());
    for (std::size_t i = 0; i < place.fields.size(); ++i)
      batch.fields.push_back(place.fields[i].load(fields_[i], held->columns.emplace_back()));
    batch.owner = std::move(held);
    return true;
  }
  bool rewindable() const override { return true; }
  void rewind() override { at_ = 0; }
  std::vector<std::string> field_names() const override { return names_; }

 private:
  struct Column {
    std::string bytes;
    std::vector<std::int64_t> offsets;
    std::vector<std::uint8_t> validity;
  };
  struct Held {
    std::deque<Column> columns;  // a deque, so that views of them stay valid
  };
  // A column of a batch in its file: offsets, validity, bytes.
  struct Stretch {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;  // number of values
    std::uint64_t bytes = 0;

    TextColumn load(const TempFile& file, Column& column) const {
      column.offsets.resize(size + 1);
      column.validity.resize((size + 7) / 8);
      column.bytes.resize(bytes);
      std::uint64_t at = begin;
      const auto read = [&](auto* data, std::size_t count) {
        file.read(at, {reinterpret_cast<char*>(data), count});
        at += count;
      };
      read(column.offsets.data(), column.offsets.size() * sizeof(std::int64_t));
      read(column.validity.data(), column.validity.size());
      read(column.bytes.data(), column.bytes.size());
      return {column.bytes.data(), column.offsets.data(), size, column.validity.data()};
    }
  };
  struct Place {
    Stretch text;
    std::optional<Stretch> ids;
    std::vector<Stretch> fields;
  };

  static Stretch write(const TextColumn& values, TempFile& file) {
    Column column;
    column.offsets.push_back(0);
    column.validity.resize((values.size() + 7) / 8);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values.valid(i)) {
        column.bytes += values[i];
        column.validity[i / 8] |= static_cast<std::uint8_t>(1U << i % 8);
      }
      column.offsets.push_back(static_cast<std::int64_t>(column.bytes.size()));
    }
    Stretch stretch{.begin = file.size(), .size = values.size(), .bytes = column.bytes.size()};
    file.append({reinterpret_cast<const char*>(column.offsets.data()), column.offsets.size() * sizeof(std::int64_t)});
    file.append({reinterpret_cast<const char*>(column.validity.data()), column.validity.size()});
    file.append(column.bytes);
    return stretch;
  }

  // Splits a large batch into several.
  void copy(const DocumentBatch& batch) {
    constexpr std::uint64_t kBytes = std::uint64_t{1} << 20U;
    for (std::size_t begin = 0; begin < batch.text.size();) {
      std::uint64_t bytes = 0;
      std::size_t end = begin;
      do {
        bytes += batch.text[end++].size();
      } while (end != batch.text.size() && bytes < kBytes && end - begin < kMaxRecords);
      Place place;
      place.text = write(batch.text.slice(begin, end - begin), texts_);
      if (batch.ids) place.ids = write(batch.ids->slice(begin, end - begin), *ids_);
      for (std::size_t i = 0; i < names_.size(); ++i)
        place.fields.push_back(write(batch.fields.at(i).slice(begin, end - begin), fields_[i]));
      batches_.push_back(std::move(place));
      begin = end;
    }
  }

  TempFile texts_;
  std::optional<TempFile> ids_;
  const std::vector<std::string> names_;
  std::vector<TempFile> fields_;
  std::vector<Place> batches_;
  std::size_t at_ = 0;
};

}  // namespace

InputOptions over_stream(const InputOptions& options, DocumentStream& documents, const std::filesystem::path& output) {
  if (!output.empty())
    throw Error(Errc::invalid_argument,
                fmt::format("`output` {}: nothing is written of documents in memory; leave it out", output.string()));
  InputOptions input = options;
  input.documents = std::shared_ptr<DocumentStream>(std::shared_ptr<void>(), &documents);
  check_named(input);
  return input;
}

ReadReport read_stream(const InputOptions& options, const Context& context, MemoryBudget& budget, const BatchWork& work,
                       const ReaderTuning& tuning, const ReadPurpose& purpose) {
  DocumentStream& stream = *options.documents;
  const std::vector<std::size_t> fields = chosen_fields(options);
  if (stream.rewindable()) stream.rewind();
  const unsigned threads = thread_count(context);
  Progress progress(context, purpose.stage, "documents", 0);
  StreamSchedule schedule(stream, options, context, budget, tuning);
  run_workers(threads, [&](unsigned worker) {
    try {
      PieceBatch made(budget, options, fields, purpose.raw);
      while (const std::optional<Piece> piece = schedule.claim()) {
        PieceResult result;
        BatchResult& part = result.batches.emplace_back();
        Batch& batch = made.make(*piece, part);
        result.lines = part.records;  // bad records are reported by their index
        result.hold(batch, purpose);
        part.in_order = work(worker, batch);
        progress.add(part.records);
        schedule.hand_in(*piece, std::move(result));
      }
    } catch (...) {
      schedule.fail();
      throw;
    }
  });
  progress.finish();
  return schedule.report();
}

std::shared_ptr<DocumentStream> spooled(DocumentStream& stream, const Context& context, TempSpace& temp) {
  return std::make_shared<SpooledStream>(stream, context, temp);
}

}  // namespace refrain::corpus
