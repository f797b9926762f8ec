#include "corpus/rewrite/rewrite.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/array.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/threads.h"
#include "corpus/files/raw.h"
#include "corpus/files/records.h"
#include "corpus/formats/recognize.h"
#include "corpus/rewrite/held.h"
#include "corpus/rewrite/packed_file.h"
#include "corpus/rewrite/parquet.h"
#include "corpus/rewrite/placed_file.h"
#include "corpus/rewrite/records.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCopyBytes = std::size_t{256} << 10;
// The share of memory for pieces that wait to be written to plain files, and the memory that is assumed per piece.
constexpr std::uint64_t kWaitingShare = 32;
constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20;

Error cannot_cut(const std::string& path, std::string_view what) {
  return {Errc::unsupported, fmt::format("{}: cannot cut passages out of {}; convert it to jsonl first", path, what)};
}

void check_can_cut(const std::string& path, const InputFormat& format) {
  if (format.storage == Storage::decoded) throw cannot_cut(path, fmt::format("a {}", format.noun));
}

// Writes held batches, one after the other. For plain files of records it only assigns offsets, and the bytes are
// written after the turn. Not thread-safe.
class Rewriter {
 public:
  Rewriter(const SourceOptions& options, const Context& context, MemoryBudget& budget, const fs::path& folder,
           const CutDocument& cut, const Annotations& annotations)
      : options_(options),
        names_(options),
        folder_(folder),
        cut_(cut),
        added_names_(annotations.names),
        added_(annotations),
        out_(budget, thread_count(context)),
        text_(budget, [this](std::string_view bytes) { put(bytes); }),
        list_([this](std::string_view bytes) { put(bytes); }),
        context_(context),
        budget_(budget),
        annotations_(annotations),
        side_by_side_(budget.available() / (2 * thread_count(context) + 1) >= ParquetOutput::kOpenBytes),
        room_(std::max<std::uint64_t>(budget.available() / kWaitingShare / kPieceBytes, PlacedFile::kMostWaiting)) {}

  void write(Held& held, DocId first) {
    if (!held.file.empty() && held.file.front().input.format->storage == Storage::column)
      write_rows(held, first);
    else if (held.files.empty())
      write_records(held, first);
    else
      write_files(held, first);
  }

  RewriteReport report() const {
    RewriteReport report = report_;
    report.written_bytes += written_bytes_;
    return report;
  }

 private:
  enum class Decision { keep, cut, drop };

  void write_records(Held& held, DocId first);
  void write_rows(Held& held, DocId first);
  void write_text(const Held& held, const Record& record, const Input& input);
  void write_files(const Held& held, DocId first);
  Decision ask(DocId document, const DigestedText& text);
  void put(std::string_view bytes);
  void put_raw(std::string_view bytes);
  void put_archived(std::string_view bytes);
  std::string make_room(const Input& input);
  std::uint64_t copy(const Input& input, const std::string& path) const;

  const SourceOptions& options_;
  const OutputNames names_;
  const fs::path folder_;
  const CutDocument& cut_;
  const std::vector<std::string>& added_names_;
  AddedFields added_;
  PackedFile out_;
  std::shared_ptr<PlacedFile> placed_;  // used instead of out_ if the file is not compressed
  WrittenParts parts_;                  // output of the current batch to placed_,
  std::string_view raw_;                // its raw bytes,
  bool at_once_ = false;                // and whether they must be written before the batch becomes invalid
  TextRewriter text_;
  JsonList list_;  // for a file of JSON values
  const Context& context_;
  MemoryBudget& budget_;
  const Annotations& annotations_;
  const bool side_by_side_;  // memory has room for all Parquet files that may be open at once
  PlacedFile::Room room_;
  std::shared_ptr<ParquetOutput> rows_;           // the Parquet file that is being written,
  std::unique_ptr<ParquetGroup> group_;           // its row group,
  std::size_t next_group_ = 0;                    // and the number of that group
  std::atomic<std::uint64_t> written_bytes_ = 0;  // after their turn
  TextCuts cuts_;                                 // of the text that was passed to cut_ last
  std::string made_;                              // the folder that was created last
  std::string path_;                              // the file of records that is being written
  bool changed_ = false;                          // it differs from the input
  bool begun_ = false;                            // something was written to it
  const InputFormat* archived_ = nullptr;         // if the current batch consists of records that are compressed alone
  bool web_archive_ = false;
  std::size_t member_bytes_ = 0;  // of the records in the open member of gzip or frame of zstd,
  bool in_parts_ = false;         // or whether it is part of a record that is too long to be held
  RewriteReport report_;
};

// Asks cut_ what to do with `text`. For Decision::cut, the remaining parts are then in text_.
Rewriter::Decision Rewriter::ask(DocId document, const DigestedText& text) {
  ++report_.documents;
  cuts_ = cut_(document, text);
  if (cuts_.drop) {
    ++report_.dropped;
    report_.dropped_bytes += text.size();
    return Decision::drop;
  }
  if (cuts_.ranges.empty()) return Decision::keep;
  const std::uint64_t removed = text_.cut(text, cuts_);
  if (removed == 0) return Decision::keep;
  ++report_.changed;
  report_.removed_bytes += removed;
  if (removed == text.size()) ++report_.emptied;
  return Decision::cut;
}

void Rewriter::put(std::string_view bytes) {
  if (bytes.empty()) return;
  if (placed_) {
    parts_.add(bytes);
    // Limits how much of a long document is in memory.
    if (at_once_ && parts_.copied_bytes() > kCopyBytes) placed_->append(std::exchange(parts_, WrittenParts(raw_)));
  } else {
    out_.write(bytes);
  }
  begun_ = true;
}

// Creates the folder for `input` and returns the path to write it to.
std::string Rewriter::make_room(const Input& input) {
  const fs::path path = folder_ / names_.of(input);
  const fs::path parent = path.parent_path();
  if (parent.native() != made_) {
    make_folders(parent);
    made_ = parent.native();
  }
  return path.string();
}

// Copies the file unchanged and returns its size in bytes.
std::uint64_t Rewriter::copy(const Input& input, const std::string& path) const {
  InputFile from(source_of(input, options_));
  OutputFile to(path);
  std::string buffer(kCopyBytes, '\0');
  while (const std::size_t got = from.read(buffer.data(), buffer.size())) to.write({buffer.data(), got});
  to.flush();
  const std::uint64_t bytes = to.bytes();
  to.close_unsynced();
  return bytes;
}

// Writes unchanged records, each compressed separately, so that it can be read alone. Shorter parts than any record has
// are damaged, and are compressed together.
void Rewriter::put_archived(std::string_view bytes) {
  constexpr std::size_t kShortestRecord = 40;
  const auto split = [&] {
    out_.split();
    member_bytes_ = 0;
  };
  if (in_parts_) split();
  in_parts_ = false;
  while (!bytes.empty()) {
    const std::size_t size = archived_->record_size(bytes, archived_->max_record_bytes(options_.max_doc_bytes));
    if (size >= kShortestRecord) split();
    put(bytes.substr(0, size));
    member_bytes_ += size;
    if (member_bytes_ >= kShortestRecord) split();
    bytes.remove_prefix(size);
  }
}

// Writes unchanged bytes. If they begin the file only because others were removed, they must not be read as its byte
// order mark.
void Rewriter::put_raw(std::string_view bytes) {
  if (archived_ != nullptr) return put_archived(bytes);
  if (!begun_ && changed_ && !web_archive_ && bytes.starts_with(kByteOrderMark)) put(kByteOrderMark);
  put(bytes);
}

void Rewriter::write_records(Held& held, DocId first) {
  if (held.file.empty()) return;
  const WholeFile& file = held.file.front();
  if (held.first) {
    path_ = make_room(file.input);
    if (file.packing == Packing::none && !file.converted)
      placed_ = std::make_shared<PlacedFile>(path_, room_);
    else
      out_.open(path_, file.packing);
    changed_ = begun_ = false;
    member_bytes_ = 0;
    in_parts_ = false;
    list_.begin_file();
    added_.begin_file(file.input, options_);
  }
  const InputFormat& format = *file.input.format;
  web_archive_ = format.record_size != nullptr;
  // As web archives are usually packed. Thousands of streams of xz or bzip2 would take seconds.
  const bool separable = file.packing == Packing::gzip || file.packing == Packing::zstd;
  archived_ = separable && web_archive_ && !held.part_of_record ? &format : nullptr;
  if (separable && web_archive_ && held.part_of_record && !std::exchange(in_parts_, true)) out_.split();
  const std::string_view raw = held.raw();
  raw_ = raw;
  at_once_ = held.at_once;
  parts_ = WrittenParts(raw);
  std::uint64_t written = 0;
  // Writes the bytes up to an offset unchanged, and then the added ones.
  const auto insert = [&](std::size_t base, const AddedFields::Insertion& added) {
    if (added.bytes.empty()) return;
    put_raw(raw.substr(written, base + added.at - written));
    put(added.bytes);
    written = base + added.at;
    changed_ = true;
  };
  const std::size_t mark = held.first && raw.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (added_.any()) insert(mark, added_.header(raw.substr(mark)));
  // In a file of JSON values, the bytes around the records may change.
  const bool listed = format.listed;
  const auto copy_to = [&](std::uint64_t end) {
    put_raw(raw.substr(written, end - written));
    written = end;
  };
  if (listed) copy_to(mark);
  for (std::size_t i = 0; i < held.records.size(); ++i) {
    const Record& record = held.records[i];
    if (record.text_bytes == Record::kBad) continue;
    if (i == held.conflicting_record) throw field_is_there(file.input.path, added_names_[held.conflicting_field]);
    const Decision answer = ask(first + i, held.text_of(record));
    if (listed) {
      list_.between(raw.substr(written, record.record_begin - written));
      written = record.record_begin;
      if (answer == Decision::drop)
        list_.drop();
      else
        list_.keep();
    }
    if (answer == Decision::drop) {
      copy_to(record.record_begin);
      written = record.record_end;
    } else if (answer == Decision::cut) {
      copy_to(record.begin);
      check_can_cut(file.input.path, format);
      write_text(held, record, file.input);
      written = record.end;
    }
    if (answer != Decision::keep) changed_ = true;
    if (answer == Decision::drop) continue;
    if (added_.any())
      insert(record.record_begin,
             added_.record(first + i, raw.substr(record.record_begin, record.record_end - record.record_begin)));
    if (listed) copy_to(record.record_end);
  }
  if (listed)
    list_.between(raw.substr(written));
  else
    put_raw(raw.substr(written));
  if (listed && held.last) list_.end_file();
  if (placed_ && !parts_.empty()) {
    held.to = placed_;
    held.place = placed_->begin(parts_.size());
    held.parts = std::move(parts_);
  }
  if (!held.last) return;
  const std::uint64_t bytes = placed_ ? placed_->end() : out_.close();
  placed_.reset();
  ++report_.files;
  if (!changed_ && (file.packing != Packing::none || file.converted))
    report_.written_bytes += copy(file.input, path_);
  else
    report_.written_bytes += bytes;
}

void Rewriter::write_rows(Held& held, DocId first) {
  const Input& input = held.file.front().input;
  if (held.first) {
    path_ = make_room(input);
    ++report_.files;
    next_group_ = 0;
    const auto done = [this, input, path = path_](std::optional<std::uint64_t> bytes) {
      written_bytes_ += bytes ? *bytes : copy(input, path);
    };
    rows_ = std::make_shared<ParquetOutput>(options_, context_, budget_, annotations_, source_of(input, options_),
                                            path_, done);
  }
  if (!group_) group_ = std::make_unique<ParquetGroup>(context_, budget_, annotations_);
  for (std::size_t i = 0; i < held.records.size(); ++i) {
    const Record& record = held.records[i];
    if (record.text_bytes == Record::kBad) {
      group_->add(RowFate::keep);
      continue;
    }
    if (i == held.conflicting_record) throw field_is_there(input.path, added_names_[held.conflicting_field]);
    const Decision answer = ask(first + i, held.text_of(record));
    if (answer == Decision::cut)
      group_->add(RowFate::cut, cuts_.ranges, cuts_.offset);
    else
      group_->add(answer == Decision::drop ? RowFate::drop : RowFate::keep);
    if (answer != Decision::drop) group_->annotate(first + i);
  }
  if (!held.last_of_group) return;
  group_->end();
  held.rows = {rows_, next_group_++, std::move(group_), held.last};
  if (!side_by_side_) held.rows.write();
}

void Rewriter::write_text(const Held& held, const Record& record, const Input& input) {
  const std::string_view raw = held.raw().substr(record.begin, record.end - record.begin);
  const std::string_view behind = held.raw().substr(record.end);
  if (input.format->storage == Storage::line) return text_.write_line(behind, !begun_);
  if (input.format->storage == Storage::json) return text_.write_json(raw);
  // A field that is at the end of neither its record nor the file is followed by a delimiter.
  const bool last = !behind.starts_with(input.delimiter);
  const bool at_start = record.begin == 0 || held.raw()[record.begin - 1] == '\n';
  text_.write_field(raw, last, last && at_start);
}

void Rewriter::write_files(const Held& held, DocId first) {
  for (std::size_t i = 0; i < held.records.size(); ++i) {
    const Record& record = held.records[i];
    const WholeFile& file = held.files[i];
    // The readable files of a damaged archive are documents, so a copy of the archive would restore dropped ones.
    if (!file.input.damage.empty()) continue;
    if (record.text_bytes == Record::kBad) {
      ++report_.files;
      report_.written_bytes += copy(file.input, make_room(file.input));
      continue;
    }
    const DigestedText text = held.text_of(record);
    const Decision answer = ask(first + i, text);
    if (answer == Decision::drop) continue;
    const bool changed = answer == Decision::cut;
    if (changed && file.converted)
      throw cannot_cut(file.input.path, "a file whose text is not its bytes (HTML, e-mail, UTF-16)");
    const std::string path = make_room(file.input);
    ++report_.files;
    if (!changed && (file.packing != Packing::none || file.converted)) {
      report_.written_bytes += copy(file.input, path);
      continue;
    }
    out_.open(path, file.packing);
    if (changed)
      text_.write_plain();
    else
      out_.write(text);
    report_.written_bytes += out_.close();
  }
}

// Whether a file of a folder is not read because it is binary, or cannot be opened, which is reported when it is read.
bool is_passed_over(const Input& input, const SourceOptions& options, ByteStream& file) {
  if (input.named || input.format->storage != Storage::file || options.binary) return false;
  std::string beginning(kBinaryBytes, '\0');
  try {
    file.open(source_of(input, options));
    beginning.resize(file.read(beginning.data(), beginning.size()));
  } catch (const Error&) {
    return true;
  }
  return recognize(beginning, input.path).content == Recognized::Content::other;
}

}  // namespace

void check_rewritable(const SourceOptions& options, bool cuts) {
  if (options.documents)
    throw Error(Errc::invalid_argument, "documents in memory: there is no file to write again; take the rows instead");
  for (const std::string& path : options.paths) {
    if (const InputFormat* const format = format_of(options, path); cuts && format != nullptr)
      check_can_cut(path, *format);
    struct stat info {};
    if (path == "-" || (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
      throw Error(Errc::invalid_argument, fmt::format("{}: must be read twice; write it to a file first", path));
  }
}

void check_rewritable(const SourceOptions& options, const Context& context, bool cuts, bool adds) {
  check_rewritable(options, cuts);
  MemoryBudget budget(context);
  Walk walk(options, budget);
  ByteStream file(budget);
  for (Input input; walk.next(input);) {
    throw_if_stopped(context);
    if (!input.failure.empty()) continue;
    if (cuts) check_can_cut(input.path, *input.format);
    if (is_archive_name(input.path)) continue;  // its members are checked when they are read
    if (adds && !input.format->has_fields() && !is_passed_over(input, options, file))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: fields cannot be added to plain text; use jsonl, csv, tsv or parquet", input.path));
  }
}

RewriteReport rewrite_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                const fs::path& folder, const CutDocument& cut, const ReaderTuning& tuning,
                                const Annotations& annotations) {
  check_rewritable(options, false);
  SourceOptions reading = options;
  reading.extra_fields = annotations.names;  // to detect those that already exist
  Rewriter rewriter(reading, context, budget, folder, cut, annotations);
  Pool<HeldMemory> pool;
  const BatchWork work = [&](unsigned, Batch& batch) -> InOrder {
    auto held = hold(batch, pool, budget);
    return {[&rewriter, held](DocId first) { rewriter.write(*held, first); },
            [held] {
              if (held->to) held->to->write({held->place, std::move(held->parts), held}, held->at_once);
              held->rows.write();
            }};
  };
  read_documents(reading, context, budget, work, tuning, {.stage = "write", .raw = true});
  sync_filesystem(folder);
  return rewriter.report();
}

RewriteReport rewrite_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                const fs::path& folder, const CutDocument& cut, const Annotations& annotations) {
  return rewrite_documents(options, context, budget, folder, cut, ReaderTuning{}, annotations);
}

namespace {

bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name != "/";
}

// The last component of the path. If it is not a name, such as "..", that of the folder that the path leads to.
std::string base_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  std::string name = fs::path(path).filename().string();
  if (is_name(name)) return name;
  std::error_code ignored;
  name = fs::canonical(path, ignored).filename().string();
  return is_name(name) ? name : "input";
}

// Where to insert a number: before the extensions of a file, which tell its format, or after the name of a folder.
std::size_t end_of_stem(const std::string& name, bool folder) {
  if (folder) return name.size();
  const std::size_t end = without_packing(name).size();
  if (end == 0) return name.size();
  const std::size_t dot = name.rfind('.', end - 1);
  return dot == std::string::npos || dot == 0 ? end : dot;
}

}  // namespace

OutputNames::OutputNames(const InputOptions& options) : paths_(options.paths) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, std::size_t> numbers;  // the last number by base name
  for (const std::string& path : paths_) {
    const std::string base = base_name(path);
    const std::size_t stem = end_of_stem(base, path_kind(path) == PathKind::folder);
    std::string name = base;
    for (std::size_t& number = numbers.try_emplace(base, 1).first->second; !taken.insert(name).second;)
      name = fmt::format("{}-{}{}", base.substr(0, stem), ++number, base.substr(stem));
    names_.push_back(std::move(name));
  }
}

std::string OutputNames::of(const Input& input) const {
  std::string_view below = std::string_view(input.path).substr(paths_[input.operand].size());
  below.remove_prefix(std::min(below.find_first_not_of('/'), below.size()));
  return below.empty() ? names_[input.operand] : fmt::format("{}/{}", names_[input.operand], below);
}

}  // namespace refrain::corpus
