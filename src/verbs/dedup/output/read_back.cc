// Reads the clean corpus back from disk and compares it with the decisions, so that damage by a disk, a cable or a
// bug is found before the run ends.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "base/files/path.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/second_reading.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

// The documents that the clean corpus must contain, one after the other.
class Expected {
 public:
  explicit Expected(DedupRun& run)
      : outcome_(run),
        states_(run.dir.work("states")),
        digests_(run.dir.work("hashes")),
        texts_(run.texts(), run.dir.work("text_ends")) {}

  // The digest of the next kept document. Returns false at the end.
  bool next(Digest& text) {
    for (Decision decision; outcome_.next(decision, spans_); ++document_) {
      DocState state{};
      states_.next(state);
      digests_.next(text);
      if (state == DocState::bad || !decision.kept()) continue;
      if (!spans_.empty()) text = digest_of_rest();
      ++document_;
      return true;
    }
    return false;
  }
  // The number, in the input, of the document that next() returned.
  DocId document() const { return document_ - 1; }

 private:
  Digest digest_of_rest() {
    std::string whole;
    texts_.get(document_, whole);
    std::string rest;
    std::uint64_t at = 0;
    for (const ByteRange& span : spans_) {
      rest.append(whole, at, span.begin - at);
      at = span.end;
    }
    rest.append(whole, at);
    return digest(rest);
  }

  DedupOutcome outcome_;
  run::ColumnReader<DocState> states_;
  run::ColumnReader<Digest> digests_;
  run::SliceFile texts_;
  std::vector<ByteRange> spans_;
  DocId document_ = 0;
};

[[noreturn]] void refuse(const DedupRun& run, const std::string& what) {
  throw Error(Errc::corrupt, fmt::format("{}: {}; check the disk, then rewrite it with `resume`",
                                         run.dir.output("clean").string(), what));
}

// Files that were just written are still cached in memory and would be read from there. They are already on disk,
// so this drops them from the cache.
void drop_from_memory(const fs::path& folder) {
  for_each_file(folder, [&](const fs::path& below) {
    const int fd = open((folder / below).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;  // reading the file will report the error
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  });
}

// The clean corpus as an input. Its files are read in the order of the input, because those of an archive need not
// be sorted.
corpus::SourceOptions clean_input(DedupRun& run) {
  corpus::SourceOptions input = SecondReading(run).input();
  input.strict = false;
  input.copy_of = [names = corpus::OutputNames(input), clean = run.dir.output("clean")](const corpus::Input& file) {
    return (clean / names.of(file)).string();
  };
  return input;
}

}  // namespace

void dedup_read_back(DedupRun& run) {
  drop_from_memory(run.dir.output("clean"));
  Expected expected(run);
  std::uint64_t documents = 0;
  const auto compare = [&](const Digest& found) {
    Digest wanted;
    if (!expected.next(wanted)) refuse(run, "has more documents than were kept");
    if (found != wanted)
      refuse(run, fmt::format("kept document {} (document {} of the input) differs from what was kept", documents,
                              expected.document()));
    ++documents;
  };
  const corpus::BatchWork work = [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
    auto found = std::make_shared<std::vector<Digest>>();
    for (std::size_t i = 0; i < batch.texts.size(); ++i)
      if (batch.bad[i] == 0) found->push_back(digest(batch.texts[i]));
    return [&compare, found](DocId) {
      for (const Digest& one : *found) compare(one);
    };
  };
  try {
    const ReadReport read = corpus::read_documents(clean_input(run), run.context, run.budget, work,
                                                   {.stage = "read-back", .all_may_be_bad = true});
    if (Digest missing; expected.next(missing))
      refuse(run, fmt::format("document {} of the input was kept but is missing", expected.document()));
    const std::uint64_t bad = run.report.read.bad_records;
    if (read.bad_records != bad)
      refuse(run, fmt::format("has {} bad records, but {} were copied", read.bad_records, bad));
  } catch (const Error& error) {
    // Makes the stage `apply` run again when the run is resumed.
    if (error.code() == Errc::interrupted || error.code() == Errc::over_budget) throw;
    run.dir.forget(kApplyStage);
    if (error.code() != Errc::io) throw;
    throw Error(Errc::io, fmt::format("{}: cannot read back: {}; check the disk, then rewrite it with `resume`",
                                      run.dir.output("clean").string(), error.what()));
  }
  run.report.read_back = documents;
}

}  // namespace refrain::verbs::dedup
