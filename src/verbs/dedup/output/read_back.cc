// The clean corpus, read again from the disk and compared with what was decided: what a disk, a cable or a slip of ours
// did to it is found before the run says that it has ended.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "base/files/path.h"
#include "corpus/rewrite/output_names.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

// What the documents of the clean corpus must be, one after the other.
class Expected {
 public:
  explicit Expected(DedupRun& run)
      : outcome_(run),
        states_(run.dir.work("states")),
        digests_(run.dir.work("hashes")),
        texts_(run.texts(), run.dir.work("text_ends")) {}

  // The next one that is kept. False at the end.
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
  // Of the one that next() gave, in the input.
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
  throw Error(Errc::corrupt, fmt::format("{}: {}; check the disk, then rewrite it with --resume",
                                         run.dir.output("clean").string(), what));
}

// What was written a moment ago is still in memory, and would be read from there. It is on the disk already, so memory
// can let go of it.
void drop_from_memory(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const int fd = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;  // reading it will tell
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
}

// The clean corpus as an input, its parts in the order of the input.
InputOptions clean_input(const DedupRun& run) {
  InputOptions input = run.options.input;
  const corpus::OutputNames names(input);
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    const fs::path path = run.dir.output("clean") / names.of({.path = input.paths[i], .failure = {}, .operand = i});
    if (is_taken(path)) paths.push_back(path.string());
  }
  input.paths = std::move(paths);
  input.strict = input.skip_unreadable = false;
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
    ReadReport read;
    const InputOptions input = clean_input(run);
    if (!input.paths.empty())
      read =
          corpus::read_documents(input, run.context, run.budget, work, {.stage = "read-back", .all_may_be_bad = true});
    if (Digest missing; expected.next(missing))
      refuse(run, fmt::format("document {} of the input was kept but is missing", expected.document()));
    const std::uint64_t bad = run.dir.facts().get<ReadFacts>().report.bad_records;
    if (read.bad_records != bad)
      refuse(run, fmt::format("has {} bad records, but {} were copied", read.bad_records, bad));
  } catch (const Error& error) {
    // What is wrong on the disk is written again when the run is resumed.
    if (error.code() == Errc::interrupted || error.code() == Errc::over_budget) throw;
    run.dir.forget(kApplyStage);
    if (error.code() != Errc::io) throw;
    throw Error(Errc::io, fmt::format("{}: cannot read back: {}; check the disk, then rewrite it with --resume",
                                      run.dir.output("clean").string(), error.what()));
  }
  run.dir.facts().put(ReadBackFacts{documents});
}

}  // namespace refrain::verbs::dedup
