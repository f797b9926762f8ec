#include "corpus/source/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "corpus/files/raw.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/charset.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// The minimum memory of a waiting record, such as a fingerprint and its state.
constexpr std::size_t kRecordBytes = 16;

void count_files(std::vector<RecodedFiles>& all, const std::string& charset, std::uint64_t files) {
  const auto known =
      std::find_if(all.begin(), all.end(), [&](const RecodedFiles& one) { return one.charset == charset; });
  if (known == all.end())
    all.push_back({charset, files});
  else
    known->files += files;
}

void spell_options(std::string& reason, const SpellOption& spell) {
  if (spell) reason = spelled(reason, spell);
}

}  // namespace

void SkippedFiles::add(SkipTotal total, SkippedFile file) {
  spell_options(file.reason, spell_);
  file.reason = shortened_reason(std::move(file.reason));
  const std::lock_guard lock(mutex_);
  if (take_) take_(file);
  if (total != nullptr) ++(totals_.*total);
  SkippedKind& kind = kinds_[file.kind];
  ++kind.files;
  BadRecord example{.path = std::move(file.path), .reason = std::move(file.reason)};
  const auto place = std::ranges::upper_bound(kind.examples, example, [](const BadRecord& a, const BadRecord& b) {
    return std::tie(a.path, a.reason) < std::tie(b.path, b.reason);
  });
  kind.examples.insert(place, std::move(example));
  if (kind.examples.size() > SkippedKind::kMaxExamples) kind.examples.pop_back();
}

void SkippedFiles::add_binary(const std::string& path, const Recognized& recognized) {
  SkippedFile file{path, "binary file", "has a NUL in its first 8 KiB; to read it anyway, give `binary`"};
  if (!recognized.kind.empty()) {
    file.kind = recognized.kind;
    file.reason = recognized.advice.empty() ? "not text" : fmt::format("not text; {}", recognized.advice);
  }
  add(&ReadReport::binary_skipped, std::move(file));
}

void SkippedFiles::fill(ReadReport& report) const {
  report.hidden_skipped = totals_.hidden_skipped;
  report.binary_skipped = totals_.binary_skipped;
  report.special_skipped = totals_.special_skipped;
  for (const auto& [name, kind] : kinds_) {
    report.skipped.push_back(kind);
    report.skipped.back().kind = name;
  }
  std::ranges::stable_sort(report.skipped, std::ranges::greater(), &SkippedKind::files);
}

void PieceResult::note_charset(const std::string& charset) {
  if (!is_utf8(charset)) count_files(recoded, charset_name(charset), 1);
}

void PieceResult::hold(const Batch& batch, const ReadPurpose& purpose) {
  const std::size_t records = batch.texts.size();
  if (purpose.keeps_texts && records != 0)
    held_bytes += static_cast<std::uint64_t>(batch.texts.offsets.back() - batch.texts.offsets.front());
  if (batch.raw != nullptr) held_bytes += batch.raw->bytes.size();
  held_bytes += batch.ids.bytes.size() + batch.ids.ends.size() * sizeof(std::uint64_t) +
                records * (kRecordBytes + purpose.record_bytes);
}

void Ledger::book_batches(PieceResult& piece) {
  for (BatchResult& batch : piece.batches) {
    book_bad(batch);
    if (batch.in_order.turn) batch.in_order.turn(next_ordinal_);
    batch.in_order.turn = nullptr;
    if (batch.in_order.after) piece.after.push_back(std::move(batch.in_order.after));
    next_ordinal_ += batch.records;
    report_.documents += batch.records - batch.bad_records;
    report_.text_bytes += batch.text_bytes;
  }
  piece.batches.clear();
}

void Ledger::book(PieceResult& piece) {
  book_batches(piece);
  if (piece.error) std::rethrow_exception(piece.error);
  report_.files += piece.files;
  report_.bytes += piece.bytes;
  report_.pages += piece.pages;
  report_.mails += piece.mails;
  report_.manual_pages += piece.manual_pages;
  for (const RecodedFiles& files : piece.recoded) {
    report_.recoded += files.files;
    count_files(report_.recoded_from, files.charset, files.files);
  }
  report_.replaced += piece.replaced;
  report_.surrogates += piece.surrogates;
  report_.other_skipped += piece.other_skipped;
  for (BadRecord& file : piece.unreadable) {
    spell_options(file.reason, spell_);
    noted_.resize(noted_.bytes() + sizeof file + file.path.size() + file.reason.size(),
                  "the names of unreadable files");
    report_.unreadable.push_back(std::move(file));
  }
  lines_before_ = piece.last ? 0 : lines_before_ + piece.lines;
}

void Ledger::book_bad(BatchResult& batch) {
  report_.bad_records += batch.bad_records;
  for (BadRecord& bad : batch.examples) {
    if (bad.line > 0) bad.line += lines_before_;
    if (strict_)
      throw Error(Errc::bad_input, fmt::format("{}{}: {}; fix it, or drop `strict` to skip bad records", bad.path,
                                               bad.line > 0 ? fmt::format(":{}", bad.line) : "", bad.reason));
    spell_options(bad.reason, spell_);
    if (report_.examples.size() < ReadReport::kMaxExamples) report_.examples.push_back(std::move(bad));
  }
}

}  // namespace refrain::corpus
