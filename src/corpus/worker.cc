#include "corpus/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "refrain/error.h"

namespace refrain {

namespace {

// Whether the error is about the input alone, so that a file found in a folder can be passed over.
bool about_input(const Error& error) {
  return error.code() == Errc::not_found || error.code() == Errc::bad_input || error.code() == Errc::io ||
         error.code() == Errc::unsupported;
}

// Error(invalid_argument) where fields are asked of what has none.
void check_has_fields(const Input& input, const InputOptions& options) {
  const bool lines = input.format == Format::lines;
  if (options.extra_fields.empty() || !input.failure.empty() || (!lines && input.format != Format::files)) return;
  throw Error(Errc::invalid_argument,
              fmt::format("{}: {} no fields, and '{}' is asked for; use jsonl, csv, tsv or parquet", input.path,
                          lines ? "lines have" : "a whole file has", options.extra_fields.front()));
}

// Thrown through a worker that waits for a turn that will not come.
struct Abandoned {};

// The message without the path, which a BadRecord names already.
std::string reason_of(const Error& error, const std::string& path) {
  std::string_view message = error.what();
  if (message.starts_with(path + ": ")) message.remove_prefix(path.size() + 2);
  return std::string(message);
}

}  // namespace

Worker::Worker(unsigned number, const Reading& reading)
    : number_(number),
      reading_(reading),
      turn_(reading.large, reading.tuning.share_bytes,
            reading.raw ? std::function<void()>([this] { await_turn(); }) : nullptr),
      piece_(reading.budget, reading.tuning.piece_bytes),
      builder_(reading.budget, reading.tuning.piece_bytes, reading.raw, reading.options.extra_fields.size()),
      jsonl_(reading.budget, reading.tuning.piece_bytes, reading.options),
      warc_(reading.budget, reading.options),
      file_(reading.budget) {}

void Worker::run() {
  try {
    while (const std::optional<Task> task = reading_.schedule.claim()) {
      PieceResult result = read(*task);
      reading_.progress.add(result.bytes);
      reading_.schedule.hand_in(*task, std::move(result));
    }
  } catch (const Abandoned&) {
    // Another worker has failed, and says why.
  }
}

// Raw bytes are kept until they are booked. So that many long ones cannot wait at once, each waits until it is next,
// and is then booked at once.
void Worker::await_turn() {
  if (!reading_.schedule.await_turn(*task_)) throw Abandoned();
}

PieceResult Worker::read(const Task& task) {
  PieceResult result;
  task_ = &task;
  raw_ = {};
  raw_begin_ = 0;
  place_ = {.slot = task.slot->place, .piece = task.piece, .part = 0};
  const LargeTurn::End end(turn_);
  if (task.slot->whole_files)
    read_files(*task.slot, result);
  else if (task.slot->is_parquet())
    read_rows(task, result);
  else
    read_records(task, result);
  piece_.shrink();
  builder_.shrink();
  jsonl_.shrink();
  warc_.shrink();
  return result;
}

void Worker::read_records(const Task& task, PieceResult& result) {
  Slot& slot = *task.slot;
  const Format format = slot.inputs.front().format;
  builder_.begin(format != Format::warc && (reading_.options.id_field.empty() || format == Format::lines));
  piece_.begin = piece_.end = 0;
  piece_.kind = RawPiece::Kind::records;
  try {
    result.last = !open(slot, result) || !slot.stream->next(piece_, turn_);
    if (slot.stream) result.bytes = slot.stream->take_consumed();
  } catch (const Error& error) {
    // Thrown again when its turn comes, so that the same error is met however many workers there are.
    if (error.code() == Errc::interrupted) throw;
    result.last = true;
    // Of the files of a folder, one that is no table of documents counts as a bad record.
    const Input& input = slot.inputs.front();
    const bool table = format == Format::csv || format == Format::tsv;
    if (table && task.piece == 0 && !input.named && error.code() == Errc::bad_input) {
      builder_.add_bad(input.path, 1, reason_of(error, input.path));
      raw_.unread = true;
    } else {
      result.error = std::current_exception();
    }
    piece_.begin = piece_.end = 0;
  }
  raw_.part_of_record = piece_.kind != RawPiece::Kind::records;
  if (slot.stream) raw_.file = {&slot.inputs.front(), slot.stream->packing()};
  raw_.first = task.piece == 0;
  reading_.schedule.read_done(task, result);
  if (!result.error) parse(slot, result);
  hand_over_records(result, true);
}

// A piece of a row group. Decoding needs the order of its pages, so it is done before the next piece may be read.
void Worker::read_rows(const Task& task, PieceResult& result) {
  Slot& slot = *task.slot;
  const Input& input = slot.inputs.front();
  builder_.begin(reading_.options.id_field.empty());
  result.last = true;
  try {
    if (open(slot, result)) result.last = !slot.rows->next(builder_, turn_);
    if (slot.rows) result.bytes = slot.rows->take_consumed();
  } catch (const Error& error) {
    // As of records: thrown again when its turn comes.
    if (error.code() == Errc::interrupted) throw;
    result.error = std::current_exception();
  }
  raw_.file = {&input, Packing::none};
  raw_.unread = !slot.rows;
  if (raw_.unread && !input.failure.empty()) raw_.file.input = nullptr;
  raw_.first = reading_.raw && task.piece == 0 && slot.group == 0;
  raw_.last_of_group = reading_.raw && result.last;
  raw_.last = raw_.last_of_group && (raw_.unread || slot.rows->last_group());
  reading_.schedule.read_done(task, result);
  hand_over(result);
}

// False where the file cannot be opened and, being found in a folder, counts as a bad record.
bool Worker::open(Slot& slot, PieceResult& result) {
  if (slot.stream || slot.rows) return true;
  const Input& input = slot.inputs.front();
  check_has_fields(input, reading_.options);
  std::string failure = input.failure;
  if (failure.empty()) {
    try {
      if (slot.is_parquet())
        slot.rows.emplace(input, reading_.options, reading_.context, reading_.budget, slot.parquet, slot.group);
      else
        slot.stream.emplace(input, reading_.options, reading_.context, reading_.budget, reading_.tuning.piece_bytes);
      result.files = slot.group == 0 ? 1 : 0;
      return true;
    } catch (const Error& error) {
      if (input.named || !about_input(error)) throw;
      failure = reason_of(error, input.path);
    }
  }
  builder_.add_bad(input.path, 0, std::move(failure));
  return false;
}

void Worker::parse(const Slot& slot, PieceResult& result) {
  const InputOptions& options = reading_.options;
  const Input& input = slot.inputs.front();
  if (piece_.kind != RawPiece::Kind::records) {
    if (piece_.kind == RawPiece::Kind::too_long)
      builder_.add_bad(input.path, input.format == Format::warc ? 0 : 1, too_long_reason(options.max_doc_bytes));
    piece_.begin = piece_.end;
  } else {
    builder_.reserve_text(piece_.end - piece_.begin);
    while (piece_.begin < piece_.end) {
      if (builder_.full()) hand_over_records(result, false);
      switch (input.format) {
        case Format::jsonl:
          jsonl_.parse(piece_, input.path, builder_);
          break;
        case Format::csv:
          parse_csv(piece_, slot.stream->columns(), ',', input.path, options, builder_);
          break;
        case Format::tsv:
          parse_csv(piece_, slot.stream->columns(), '\t', input.path, options, builder_);
          break;
        case Format::warc:
          if (!warc_.parse(piece_, input.path, turn_, builder_)) hand_over_records(result, false);
          break;
        default:
          parse_lines(piece_, input.path, options, builder_);
      }
    }
  }
  result.lines = piece_.line;
  result.other_skipped = warc_.take_other();
}

void Worker::read_files(const Slot& slot, PieceResult& result) {
  builder_.begin(false);
  result.last = true;
  for (const Input& input : slot.inputs) {
    if (builder_.full()) hand_over(result);
    if (input.failure.empty())
      read_file(input, result);
    else
      builder_.add_bad(input.path, 0, input.failure);
    if (raw_files_.size() < builder_.size() && reading_.raw) raw_files_.push_back({&input, file_.packing()});
    if (result.error) break;
  }
  hand_over(result);
  result.bytes = file_.take_consumed();
}

// Calls `action`, which touches nothing but `input`. False where it failed: a named file has an error to be thrown when
// its turn comes, one found in a folder is a bad record.
bool Worker::attempt(const Input& input, PieceResult& result, const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    if (input.named || !about_input(error))
      result.error = std::current_exception();
    else
      builder_.add_bad(input.path, 0, reason_of(error, input.path));
    return false;
  }
}

void Worker::read_file(const Input& input, PieceResult& result) {
  const std::uint64_t max_bytes = reading_.options.max_doc_bytes;
  if (!attempt(input, result, [&] { file_.open(source_of(input, reading_.options)); })) return;
  std::size_t have = 0;
  std::size_t wanted = kBinaryBytes;  // first only as much as tells whether the file is wanted at all
  while (true) {
    if (builder_.room_bytes() < have + wanted && builder_.size() > 0) hand_over(result, have);
    std::size_t got = 0;
    const bool read = attempt(input, result, [&] {
      if (builder_.room_bytes() < have + wanted) {
        turn_.need(have + wanted);
        builder_.reserve_text(have + wanted);
      }
      got = file_.read(builder_.room() + have, wanted);
    });
    if (!read) return;
    if (have == 0 && !input.named && !reading_.options.binary && is_binary({builder_.room(), got})) {
      ++result.binary_skipped;
      return;
    }
    if (have == 0 && !attempt(input, result, [&] { check_has_fields(input, reading_.options); })) return;
    have += got;
    if (have > max_bytes) {
      builder_.add_bad(input.path, 0, too_long_reason(max_bytes));
      break;
    }
    if (got < wanted) {
      builder_.add(have, input.path);
      break;
    }
    // What there is room for, or all of it and one byte, where its size tells, else a quarter more. One byte past the
    // limit shows that there is more than may be.
    const bool known = file_.packing() == Packing::none && input.size >= have;
    wanted = std::max(builder_.room_bytes() - have, known ? input.size - have + 1 : std::max(have / 4, kBinaryBytes));
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, max_bytes - have + 1));
  }
  ++result.files;
}

// Lets the caller work on the batch. The first `keep` bytes of room stay.
void Worker::hand_over(PieceResult& result, std::size_t keep) {
  if (builder_.size() == 0 && raw_.bytes.empty() && !raw_.first && !raw_.last && !raw_.last_of_group) return;
  BatchResult batch{.in_order = nullptr,
                    .records = builder_.size(),
                    .bad_records = builder_.bad_records(),
                    .text_bytes = builder_.text_bytes(),
                    .examples = std::move(builder_.examples())};
  raw_.files = raw_files_;
  raw_.records = builder_.raw_records();
  raw_.texts = builder_.raw_texts();
  Batch& made = builder_.batch();
  made.raw = reading_.raw ? &raw_ : nullptr;
  made.place = place_;
  made.file = task_->slot->whole_files ? std::string_view() : task_->slot->inputs.front().path;
  made.at_once = reading_.raw && turn_.taken();
  ++place_.part;
  batch.in_order = reading_.work(number_, made);
  result.batches.push_back(std::move(batch));
  if (made.at_once) reading_.schedule.book_now(result);
  builder_.clear(keep);
  raw_files_.clear();
}

// The same for records, with the raw bytes since the last batch where they are wanted.
void Worker::hand_over_records(PieceResult& result, bool end_of_piece) {
  raw_.first = raw_.first && reading_.raw && raw_begin_ == 0;
  raw_.last = end_of_piece && result.last && reading_.raw;
  if (reading_.raw) raw_.bytes = {piece_.bytes.data() + raw_begin_, piece_.begin - raw_begin_};
  raw_begin_ = piece_.begin;
  if (turn_.taken()) jsonl_.shrink();  // it has done its part, and whoever works on a long document needs memory too
  hand_over(result);
}

}  // namespace refrain
