#include "corpus/source/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/files/file.h"
#include "base/threads.h"
#include "corpus/formats/charset.h"
#include "corpus/markup/mail.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kProbeBytes = std::size_t{256} << 10;

// Whether a file was read but is damaged or has another format. In a folder it then is a bad record, or is skipped.
bool is_malformed(const Error& error) {
  return error.code() == Errc::bad_input || error.code() == Errc::unsupported;
}

// Whether the system failed to read a file. A file found in a folder existed when the folder was listed.
bool is_unreadable(const Error& error, const Input& input) {
  return error.code() == Errc::io || (error.code() == Errc::not_found && !input.named);
}

// The error that ends the run, with advice for the user. If unreadable files are skipped, the file was readable before.
std::exception_ptr with_remedy(const Error& error, const Input& input, const SourceOptions& options) {
  if (!is_unreadable(error, input)) return std::current_exception();
  const bool skips = options.skip_unreadable || !options.known_unreadable.empty();
  const char* remedy = error.code() == Errc::not_found ? "it was there before; run again once the input is stable"
                       : skips                         ? "it was readable before; try again"
                                                       : "make it readable, or skip such files with `skip_unreadable`";
  return std::make_exception_ptr(Error(Errc::io, fmt::format("{}; {}", error.what(), remedy)));
}

// Throws Error(invalid_argument) if fields are requested of an input that has none.
void check_has_fields(const Input& input, const SourceOptions& options) {
  const bool lines = input.format->storage == Storage::line;
  if (options.extra_fields.empty() || !input.failure.empty() || (!lines && input.format->storage != Storage::file))
    return;
  throw Error(Errc::invalid_argument,
              fmt::format("{}: {} no field '{}'; use jsonl, csv, tsv or parquet", input.path,
                          lines ? "lines have" : "plain files have", options.extra_fields.front()));
}

// Thrown to stop a worker that waits for a turn that will not come.
struct Abandoned {};

// The message without the path, which a BadRecord already contains.
std::string reason_of(const Error& error, const Input& input) {
  std::string_view message = error.what();
  for (const std::string& path : {input.path, input.source})
    if (!path.empty() && message.starts_with(path + ": ")) message.remove_prefix(path.size() + 2);
  return std::string(message);
}

}  // namespace

Worker::Worker(unsigned number, const Reading& reading)
    : number_(number),
      reading_(reading),
      turn_(reading.large, reading.tuning.share_bytes, reading.context.stop,
            reading.purpose.raw ? std::function<void()>([this] { await_turn(); }) : nullptr),
      piece_(reading.budget, reading.tuning.piece_bytes),
      builder_(reading.budget, reading.tuning.piece_bytes, reading.purpose.raw, reading.options.extra_fields.size()),
      page_(reading.budget, reading.options.main_version),
      mail_(reading.budget, reading.options.compare),
      troff_(reading.budget),
      file_(reading.budget) {}

void Worker::run() {
  try {
    while (const std::optional<Task> task = reading_.schedule.claim()) {
      PieceResult result = read(*task);
      reading_.progress.add(result.bytes);
      reading_.schedule.hand_in(*task, std::move(result));
    }
  } catch (const Abandoned&) {
    // Another worker has failed and reports the error.
  }
}

// Raw bytes are kept until they are booked. So that several long records cannot wait at the same time, each waits for
// its turn and is then booked at once.
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
  shrink_parsers();
  page_.shrink();
  mail_.shrink();
  troff_.shrink();
  return result;
}

void Worker::read_records(const Task& task, PieceResult& result) {
  Slot& slot = *task.slot;
  const InputFormat& format = *slot.inputs.front().format;
  builder_.begin(!format.own_ids && (reading_.options.id_field.empty() || format.storage == Storage::line));
  piece_.begin = piece_.end = 0;
  piece_.kind = RawPiece::Kind::records;
  const Input& input = slot.inputs.front();
  std::optional<std::uint64_t> too_long;  // the offset of a record that is too long
  try {
    if (!open(slot, result)) {
      result.last = true;
    } else if (slot.ranges) {
      too_long = slot.ranges->read(task.piece, piece_, turn_);
      raw_begin_ = task.piece == 0 ? 0 : piece_.begin;
      result.last = task.piece + 1 == slot.ranges->pieces();
      result.bytes = slot.ranges->bytes(task.piece);
    } else {
      result.last = !slot.stream->next(piece_, turn_);
      result.bytes = slot.stream->take_consumed();
      result.replaced = slot.stream->take_replaced();
    }
  } catch (const Error& error) {
    // Rethrown in its turn, so that the same error is reported for any number of workers.
    if (error.code() == Errc::interrupted) throw;
    result = {};
    result.last = true;
    // A file in a folder that is not a table of documents is skipped.
    if (format.storage == Storage::field && task.piece == 0 && !input.named && error.code() == Errc::bad_input) {
      note_unusable(input, error);
      slot.stream.reset();
    } else {
      result.error = with_remedy(error, input, reading_.options);
    }
    piece_.begin = piece_.end = 0;
  }
  if (!slot.stream && !slot.ranges && !result.error) {
    reading_.schedule.read_done(task, result);
    return finish(result);
  }
  raw_.part_of_record = piece_.kind != RawPiece::Kind::records;
  if (slot.stream || slot.ranges)
    raw_.file = {&input, slot.stream ? slot.stream->packing() : Packing::none, slot.stream && slot.stream->recoded()};
  raw_.first = task.piece == 0;
  reading_.schedule.read_done(task, result);
  if (!result.error) parse(slot, result);
  if (too_long) note_too_long(slot, *too_long, result);
  hand_over_records(result, true);
}

// Adds a bad record at the end of the piece. Its raw bytes, if requested, are passed on part by part, in its turn.
void Worker::note_too_long(const Slot& slot, std::uint64_t begin, PieceResult& result) {
  if (builder_.full() || reading_.purpose.raw) hand_over_records(result, false);
  builder_.add_bad(slot.inputs.front().path, result.lines + 1, too_long_reason(reading_.options.max_doc_bytes));
  ++result.lines;
  if (!reading_.purpose.raw) return;
  turn_.need(reading_.tuning.share_bytes + 1);
  shrink_parsers();
  raw_.first = false;
  raw_.part_of_record = true;
  for (bool more = true; more; begin += piece_.end) {
    throw_if_stopped(reading_.context);
    more = slot.ranges->read_more(begin, piece_);
    piece_.begin = piece_.end;
    raw_begin_ = 0;
    if (more) hand_over_records(result, false);
  }
}

// Reads a piece of a row group. Decoding depends on the order of pages, so it ends before the next piece may be read.
void Worker::read_rows(const Task& task, PieceResult& result) {
  Slot& slot = *task.slot;
  const Input& input = slot.inputs.front();
  builder_.begin(reading_.options.id_field.empty());
  result.last = true;
  try {
    if (open(slot, result)) result.last = !slot.rows->next(builder_, turn_);
    if (slot.rows) result.bytes = slot.rows->take_consumed();
  } catch (const Error& error) {
    // Rethrown in its turn, as for records.
    if (error.code() == Errc::interrupted) throw;
    result.error = with_remedy(error, input, reading_.options);
  }
  if (slot.rows) raw_.file = {&input, Packing::none};
  raw_.first = slot.rows && reading_.purpose.raw && task.piece == 0 && slot.group == 0;
  raw_.last_of_group = slot.rows && reading_.purpose.raw && result.last;
  raw_.last = raw_.last_of_group && slot.rows->last_group();
  reading_.schedule.read_done(task, result);
  finish(result);
}

// Passes on the last batch of a piece. A batch that an error cut short is discarded: a caller that knows the input
// from an earlier reading would report that the input has changed, before the error is thrown.
void Worker::finish(PieceResult& result) {
  if (!result.error) return hand_over(result);
  builder_.clear(0);
  raw_files_.clear();
}

// Returns false if there is nothing to read, because the file is malformed and was found in a folder, or is
// unreadable. In both cases it is skipped.
bool Worker::open(Slot& slot, PieceResult& result) {
  if (slot.stream || slot.ranges || slot.rows) return true;
  const Input& input = slot.inputs.front();
  check_has_fields(input, reading_.options);
  if (!input.failure.empty()) {
    skip_input(input, result);
    return false;
  }
  try {
    if (slot.group == 0) probe(input);
    slot.file = {.path = input.path, .delimiter = input.delimiter};
    if (slot.is_parquet())
      slot.rows.emplace(input, reading_.options, reading_.context, reading_.budget, slot.parquet, slot.group);
    else
      slot.stream.emplace(input, slot.file, reading_.options, reading_.context, reading_.budget,
                          reading_.tuning.piece_bytes);
    if (slot.stream && slot.stream->packing() == Packing::none && input.format->splits && input.size != 0 &&
        !slot.stream->recoded()) {
      slot.stream.reset();
      slot.ranges.emplace(input, reading_.options, reading_.tuning.piece_bytes);
    }
    result.files = slot.group == 0 ? 1 : 0;
    if (slot.stream && slot.stream->recoded()) result.note_charset(slot.stream->charset());
    return true;
  } catch (const Error& error) {
    if (is_unreadable(error, input) && reading_.options.skip_unreadable && slot.group == 0)
      note_unreadable(input, reason_of(error, input), result);
    else if (!input.named && is_malformed(error))
      note_unusable(input, error);
    else
      throw;
    return false;
  }
}

void Worker::note_unreadable(const Input& input, const std::string& reason, PieceResult& result) {
  result.unreadable.push_back({input.path, 0, reason});
  reading_.skipped.add(nullptr, {input.path, SkippedKind::kUnreadable, reason});
}

// Reports a file of records of which none can be read. With `strict` it ends the run in its turn, like a bad record.
void Worker::note_unusable(const Input& input, const Error& error) {
  if (reading_.options.strict)
    builder_.add_bad(input.path, 0, reason_of(error, input));
  else
    reading_.skipped.add(nullptr, {input.path, SkippedKind::kUnusable, reason_of(error, input)});
}

// Records are passed on as they are read. So that a file that fails midway is skipped as a whole, all of it is read
// once in advance, if the user wants such files skipped.
void Worker::probe(const Input& input) {
  if (!reading_.options.skip_unreadable || input.size == 0) return;
  InputFile file(source_of(input, reading_.options));
  std::string chunk(kProbeBytes, '\0');
  while (file.read(chunk.data(), chunk.size()) == chunk.size()) throw_if_stopped(reading_.context);
}

// Reports an input whose failure is known. Unless such inputs may be skipped, it ends the run in its turn.
void Worker::skip_input(const Input& input, PieceResult& result) {
  const std::vector<std::string>& known = reading_.options.known_unreadable;
  if (reading_.options.skip_unreadable || std::binary_search(known.begin(), known.end(), input.path))
    note_unreadable(input, input.failure, result);
  else
    result.error =
        with_remedy(Error(Errc::io, fmt::format("{}: {}", input.path, input.failure)), input, reading_.options);
}

void Worker::parse(const Slot& slot, PieceResult& result) {
  const Input& input = slot.inputs.front();
  if (piece_.kind != RawPiece::Kind::records) {
    if (piece_.kind == RawPiece::Kind::too_long)
      builder_.add_bad(input.path, input.format->record_size != nullptr ? 0 : 1,
                       too_long_reason(reading_.options.max_doc_bytes));
    piece_.begin = piece_.end;
  } else {
    RecordParser& parser = parser_of(*input.format);
    builder_.reserve_text(piece_.end - piece_.begin);
    while (piece_.begin < piece_.end) {
      if (builder_.full()) hand_over_records(result, false);
      if (!parser.parse(piece_, slot.file, turn_, builder_)) hand_over_records(result, false);
    }
    const ParseCounts counts = parser.take_counts();
    result.mails = counts.mails;
    result.surrogates = counts.surrogates;
    result.other_skipped = counts.other_skipped;
    result.replaced += counts.replaced;
  }
  result.lines = piece_.line;
}

RecordParser& Worker::parser_of(const InputFormat& format) {
  std::unique_ptr<RecordParser>& parser = parsers_[&format];
  if (!parser) parser = format.parser(reading_.budget, reading_.tuning.piece_bytes, reading_.options);
  return *parser;
}

void Worker::shrink_parsers() {
  for (const auto& [format, parser] : parsers_) parser->shrink();
}

void Worker::read_files(const Slot& slot, PieceResult& result) {
  builder_.begin(false);
  result.last = true;
  for (const Input& input : slot.inputs) {
    if (builder_.full()) hand_over(result);
    if (input.failure.empty())
      read_file(input, result);
    else
      skip_input(input, result);
    if (raw_files_.size() < builder_.size() && reading_.purpose.raw)
      raw_files_.push_back({&input, file_.packing(), converted_});
    if (result.error) break;
  }
  finish(result);
  result.bytes = file_.take_consumed();
}

// Calls `action`, which must only access `input`. Returns false if it fails: the file then is skipped, or is a bad
// record, or has an error to be thrown in its turn.
bool Worker::attempt(const Input& input, PieceResult& result, const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    if (is_unreadable(error, input) && reading_.options.skip_unreadable)
      note_unreadable(input, reason_of(error, input), result);
    else if (!input.named && is_malformed(error))
      builder_.add_bad(input.path, 0, reason_of(error, input));
    else
      result.error = with_remedy(error, input, reading_.options);
    return false;
  }
}

void Worker::read_file(const Input& input, PieceResult& result) {
  const std::uint64_t max_bytes = reading_.options.max_doc_bytes;
  const auto open = [&] {
    if (!input.damage.empty()) throw Error(Errc::bad_input, fmt::format("{}: {}", input.path, input.damage));
    file_.open(source_of(input, reading_.options));
  };
  if (!attempt(input, result, open)) return;
  std::size_t have = 0;
  std::size_t wanted = kBinaryBytes;  // at first only enough to recognize the content
  Recognized recognized;
  converted_ = false;
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
    if (have == 0) {
      recognized = recognize({builder_.room(), got}, input.path);
      // Content without a known kind may be a text with zero bytes, and is read if the user names the file.
      const bool wanted_so = reading_.options.binary || (input.named && recognized.kind.empty());
      if (recognized.content == Recognized::Content::other && !wanted_so) {
        reading_.skipped.add_binary(input.path, recognized);
        return;
      }
    }
    if (have == 0 && !attempt(input, result, [&] { check_has_fields(input, reading_.options); })) return;
    have += got;
    if (have > max_bytes) {
      builder_.add_bad(input.path, 0, too_long_reason(max_bytes));
      ++result.files;
      return;
    }
    if (got < wanted) return add_file(input, have, recognized, result);
    // The next read fills the room, or takes all of the file or a quarter more; plus one byte, to detect more content.
    const bool known = file_.packing() == Packing::none && input.size >= have;
    wanted = std::max(builder_.room_bytes() - have, known ? input.size - have + 1 : std::max(have / 4, kBinaryBytes));
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, max_bytes - have + 1));
  }
}

// The text of a file with the given bytes; nullopt if the text is the bytes themselves.
std::optional<std::string_view> Worker::convert(std::string_view bytes, const Recognized& recognized,
                                                PieceResult& result) {
  if (recognized.content == Recognized::Content::other || reading_.options.as_is) return std::nullopt;
  const auto grow = [&](std::size_t need) { turn_.need(need); };
  if (recognized.content == Recognized::Content::troff) {
    const std::string charset = charset_of_file(bytes);  // the page does not declare it
    result.note_charset(charset);
    const std::string_view page = page_.read(bytes, charset, false, HtmlPart::raw, grow).value_or(bytes);
    const std::string_view text = troff_.read(page, grow);
    // If almost nothing is left, the page mostly defines macros or uses unknown ones: compare its source.
    constexpr std::size_t kLittle = 24;
    if (text.size() < kLittle || text.size() < bytes.size() / 50) return std::nullopt;
    ++result.manual_pages;
    return text;
  }
  // Bytes with several messages are a mailbox that is read as one document.
  if (recognized.content == Recognized::Content::mail && find_message(bytes) == std::string_view::npos) {
    ++result.mails;
    return mail_.read(bytes, grow);
  }
  const HtmlPart part = reading_.options.html;
  const bool html = recognized.content == Recognized::Content::html && part != HtmlPart::raw;
  const std::string& named = reading_.options.charset;
  std::string charset = !named.empty() ? named : html ? charset_of(bytes, {}, true) : charset_of_file(bytes);
  if (!html && is_utf8(charset)) return std::nullopt;
  std::optional<std::string_view> text = page_.read(bytes, charset, html, part, grow);
  if (!text)
    text = page_.read(bytes, charset = charset_of_file(bytes), html, part, grow);  // the page names an unknown charset
  result.pages += html ? 1 : 0;
  result.note_charset(charset);
  return text;
}

// Adds the text of a file as a document. The first `size` bytes of the room are the whole file.
void Worker::add_file(const Input& input, std::size_t size, const Recognized& recognized, PieceResult& result) {
  std::optional<std::string_view> text;
  if (!attempt(input, result, [&] { text = convert({builder_.room(), size}, recognized, result); })) return;
  ++result.files;
  const bool vague = page_.take_navigation();
  result.replaced += page_.take_replaced() + mail_.take_replaced();
  if (!text) return builder_.add(size, input.path);
  if (text->size() > reading_.options.max_doc_bytes)
    return builder_.add_bad(input.path, 0, too_long_reason(reading_.options.max_doc_bytes));
  if (builder_.room_bytes() < text->size()) {
    if (builder_.size() > 0) hand_over(result);
    turn_.need(text->size());
    builder_.reserve_text(text->size());
  }
  if (!text->empty()) std::memcpy(builder_.room(), text->data(), text->size());
  builder_.add(text->size(), input.path);
  if (vague) builder_.mark_vague();
  converted_ = true;
}

// Passes the batch to the caller's work. The first `keep` bytes of the room are kept.
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
  made.raw = reading_.purpose.raw ? &raw_ : nullptr;
  made.place = place_;
  made.file = task_->slot->whole_files ? std::string_view() : task_->slot->inputs.front().path;
  made.at_once = reading_.purpose.raw && turn_.taken();
  ++place_.part;
  result.hold(made, reading_.purpose);
  batch.in_order = reading_.work(number_, made);
  result.batches.push_back(std::move(batch));
  if (made.at_once) reading_.schedule.book_now(result);
  builder_.clear(keep);
  raw_files_.clear();
}

// The same for records, with the raw bytes since the last batch if they are requested.
void Worker::hand_over_records(PieceResult& result, bool end_of_piece) {
  raw_.first = raw_.first && reading_.purpose.raw && raw_begin_ == 0;
  raw_.last = end_of_piece && result.last && reading_.purpose.raw;
  if (reading_.purpose.raw) raw_.bytes = {piece_.bytes.data() + raw_begin_, piece_.begin - raw_begin_};
  raw_begin_ = piece_.begin;
  hand_over(result);
}

}  // namespace refrain::corpus
