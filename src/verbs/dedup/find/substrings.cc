// dedup: finds byte ranges that the kept documents repeat, and cuts all but a first copy of each.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/progress.h"
#include "engines/substring/repeats.h"
#include "refrain/text.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/evidence/cuts.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace {

// The texts of the kept documents, end to end.
class KeptTexts : public TextSource {
 public:
  explicit KeptTexts(DedupRun& run)
      : file_(run.texts()),
        documents_(run.budget, "the kept documents"),
        begins_(run.budget, "the kept documents"),
        ends_(run.budget, "the kept documents") {
    run::ColumnReader<Decision> decisions(run.dir.work("decided"));
    run::ColumnReader<std::uint64_t> text_ends(run.dir.work("text_ends"));
    Decision decision;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    for (DocId document = 0; decisions.next(decision) && text_ends.next(end); ++document, begin = end) {
      if (!decision.kept() || begin == end) continue;
      documents_.push_back(document);
      begins_.push_back(begin);
      size_ += end - begin;
      ends_.push_back(size_);
    }
  }

  std::uint64_t size() const override { return size_; }
  const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const override {
    scratch.resize(size + kPadding);
    std::size_t i = at(begin);
    for (std::size_t done = 0; done < size; ++i) {
      const ByteRange bytes = range(i);
      const std::uint64_t from = begin + done - bytes.begin;
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, bytes.end - bytes.begin - from));
      file_->read(begins_[i] + from, {scratch.data() + done, some});
      done += some;
    }
    return scratch.data();
  }

  std::span<const std::uint64_t> ends() const { return {ends_.data(), ends_.size()}; }
  // The index among the kept documents of the one that holds this byte. range() returns its place, document() its
  // number in the input.
  std::size_t at(std::uint64_t position) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), position) - ends_.begin());
  }
  ByteRange range(std::size_t i) const { return {i == 0 ? 0 : ends_[i - 1], ends_[i]}; }
  DocId document(std::size_t i) const { return documents_[i]; }

 private:
  const std::shared_ptr<const run::StripedFile> file_;
  Array<DocId> documents_;
  Array<std::uint64_t> begins_;  // offsets in the file
  Array<std::uint64_t> ends_;
  std::uint64_t size_ = 0;
};

// Marks with 1 the documents that a decision names; they must stay.
Array<std::uint8_t> named_matches(DedupRun& run) {
  Array<std::uint8_t> named(run.budget, "the documents that others match", run.documents());
  run::ColumnReader<Decision> decisions(run.dir.work("decided"));
  for (Decision decision; decisions.next(decision);) {
    if (!decision.is(Reason::exact) && !decision.is(Reason::near) && decision.own_text == 0) continue;
    if (decision.match < named.size()) named[decision.match] = 1;  // a greater number is a known document
  }
  return named;
}

}  // namespace

void dedup_substrings(DedupRun& run) {
  const KeptTexts texts(run);
  const Array<std::uint8_t> named = named_matches(run);
  const RunOverrides& overrides = run.overrides();
  run::RunFile spans = run.dir.create_work("spans");
  run::RunFile rows = run.dir.create_output("substring_bytes.tsv");
  rows.write("id\tx\ty\n");
  DedupReport& report = run.report;
  Array<DocId> emptied(run.budget, "documents with nothing left");
  if (texts.size() != 0) {
    const substring::Repeats found = substring::find_repeats({.length = run.options.substrings}, texts, texts.ends(),
                                                             run.context, run.budget, run.temp);
    run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
    evidence::Snapper snapper(Snap::utf8, texts);
    evidence::CutGuard guard(texts);
    Progress progress(run.context, "substrings", "ranges", found.repeated.size());
    const ByteRange* first = found.first.begin();
    std::string id;
    std::string row;
    std::optional<std::size_t> last;
    // State of the document `last`:
    std::uint64_t cut_bytes = 0;
    Array<CutSpan> cuts(run.budget, "the cuts of a document");
    const auto remove = [&](ByteRange cut) {
      const std::uint64_t begin = texts.range(*last).begin;
      cuts.push_back({texts.document(*last), {cut.begin - begin, cut.end - begin}});
      cut_bytes += cut.end - cut.begin;
    };
    const auto end_document = [&] {
      guard.finish(remove);
      if (!last || cut_bytes == 0) return;
      const ByteRange whole = texts.range(*last);
      const DocId document = texts.document(*last);
      if (overrides.pins(document)) return;  // people keep it as it is
      const bool nothing_left = cut_bytes == whole.end - whole.begin;
      // A document that another one was removed in favor of is left whole instead.
      if (nothing_left && named[document] != 0) return;
      spans.write_values(std::span<const CutSpan>(cuts.data(), cuts.size()));
      report.cut_bytes += cut_bytes;
      if (nothing_left)
        emptied.push_back(document);
      else
        ++report.cut_documents;
    };
    for (const ByteRange& range : found.repeated) {
      progress.add(1);
      const std::size_t i = texts.at(range.begin);
      const ByteRange document = texts.range(i);
      if (last != i) {
        end_document();
        last = i;
        cut_bytes = 0;
        cuts.clear();
      }
      if (const auto shown = snapper.shrink(range, document)) {
        row.clear();
        run::append_escaped(row, ids.get(texts.document(i), id));
        row += '\t';
        run::append_decimal(row, shown->begin - document.begin);
        row += '\t';
        run::append_decimal(row, shown->end - document.begin);
        row += '\n';
        rows.write(row);
        ++report.ranges;
        report.repeated_bytes += shown->end - shown->begin;
      }
      evidence::without_first_copies(range, first, found.first.end(), [&](ByteRange cut) {
        if (const auto snapped = snapper.shrink(cut, document)) guard.cut(*snapped, document, remove);
      });
    }
    end_document();
    progress.finish();
  }
  run.dir.close(spans);
  run.dir.close(rows);
  // Documents of which nothing is left are removed.
  run::RunFile gone = run.dir.create_work("emptied");
  gone.write_values(std::span<const DocId>(emptied.data(), emptied.size()));
  run.dir.close(gone);
  report.removed_substring = emptied.size();
  run::ColumnReader<Decision> decisions(run.dir.work("decided"));
  for (const DocId document : emptied) {
    Decision decision;
    decisions.seek(document);
    if (decisions.next(decision)) report.own_text -= decision.own_text;
  }
  judge_sources(run, DedupOutcome(run));
}

}  // namespace refrain::verbs::dedup
