// dedup: computes the sketches of documents without the windows that are left out.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/progress.h"
#include "base/threads.h"
#include "text/windows.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/columns/template_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kBlockDocuments = 1024;       // documents per task of a worker
constexpr std::uint64_t kTextInPassing = 1 << 20U;  // texts up to this size need no reservation

class LeftSketches {
 public:
  explicit LeftSketches(DedupRun& run)
      : run_(run),
        plan_(run.options.windows),
        columns_(run.near->columns()),
        templates_(run.dir.work("templates"), run.budget),
        workers_(run.threads) {
    for (const SketchColumn& column : columns_) {
      from_.push_back(std::make_unique<const RandomFile>(run.dir.work(column.name)));
      to_.push_back(run.dir.create_work(column.name + kLeft));
    }
  }

  void run(TemplateReport& report) {
    const std::uint64_t count = run_.documents();
    Progress progress(run_.context, "templates", "documents", count);
    parallel_for(run_.threads, static_cast<std::size_t>((count + kBlockDocuments - 1) / kBlockDocuments),
                 [&](unsigned number, std::size_t block) {
                   throw_if_stopped(run_.context);
                   if (!workers_[number]) workers_[number] = std::make_unique<Worker>(run_, plan_);
                   const DocId first = block * kBlockDocuments;
                   const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockDocuments, count - first));
                   copy(*workers_[number], first, size);
                   progress.add(size);
                 });
    progress.finish();
    std::uint64_t all = 0;
    std::uint64_t out = 0;
    for (const std::unique_ptr<Worker>& worker : workers_) {
      if (!worker) continue;
      report.documents += worker->documents;
      all += worker->all;
      out += worker->out;
    }
    report.share = all == 0 ? 0 : static_cast<double>(out) / static_cast<double>(all);
    for (run::RunFile& file : to_) run_.dir.close(file);
  }

 private:
  struct Worker {
    Worker(DedupRun& run, const text::FeaturePlan& plan)
        : texts(run.texts(), run.dir.work("text_ends")),
          stream(plan),
          sketcher(run.near->sketcher()),
          sketch(run.near->width()),
          room(run.budget.reserve(0, "")) {}
    run::SliceFile texts;
    text::FeatureStream stream;
    std::unique_ptr<Sketcher> sketcher;
    std::vector<std::uint8_t> sketch;               // of one document, all columns
    std::vector<std::vector<std::uint8_t>> values;  // of one block, per column
    std::string scratch;
    Reservation room;             // memory for a long text
    std::uint64_t documents = 0;  // with windows left out
    std::uint64_t all = 0;        // windows of the documents in these sources
    std::uint64_t out = 0;        // of these: left out
  };

  void copy(Worker& worker, DocId first, std::size_t size) {
    worker.values.resize(columns_.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::vector<std::uint8_t>& values = worker.values[c];
      values.resize(size * columns_[c].width);
      from_[c]->read(first * columns_[c].width, {reinterpret_cast<char*>(values.data()), values.size()});
    }
    for (std::size_t i = 0; i < size; ++i) {
      if (!sketch_again(worker, first + i)) continue;
      const std::uint8_t* from = worker.sketch.data();
      for (std::size_t c = 0; c < columns_.size(); from += columns_[c++].width)
        std::memcpy(worker.values[c].data() + i * columns_[c].width, from, columns_[c].width);
    }
    for (std::size_t c = 0; c < columns_.size(); ++c)
      to_[c].write_at(first * columns_[c].width,
                      {reinterpret_cast<const char*>(worker.values[c].data()), worker.values[c].size()});
  }

  // Returns false if nothing is left out.
  bool sketch_again(Worker& worker, DocId document) const {
    const text::LeftOut* left_out = templates_.of(document);
    if (left_out == nullptr) return false;
    const ByteRange range = worker.texts.range(document);
    const std::uint64_t bytes = range.end - range.begin;
    if (bytes > kTextInPassing) worker.room.resize(bytes, "a long document");
    std::uint64_t left = 0;
    text::compared_windows(
        worker.texts.get(document, worker.scratch), left_out, worker.stream,
        [&] {
          worker.sketcher->start();
          left = 0;
        },
        [&](std::span<const std::uint64_t> features) {
          worker.sketcher->add(features);
          left += features.size();
        });
    if (bytes > kTextInPassing) {
      std::string().swap(worker.scratch);
      worker.room.resize(0, "");
    }
    const std::uint64_t all = worker.stream.tokens() + 1 - plan_.window;  // at least 1: it is judged
    worker.all += all;
    worker.out += all - left;
    if (left == all) return false;
    ++worker.documents;
    worker.sketcher->finish(worker.sketch.data());
    return true;
  }

  DedupRun& run_;
  const text::FeaturePlan plan_;
  const std::vector<SketchColumn> columns_;
  const run::TemplateFile templates_;
  std::vector<std::unique_ptr<const RandomFile>> from_;
  std::vector<run::RunFile> to_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

void recompute_sketches(DedupRun& run, TemplateReport& report) {
  LeftSketches(run).run(report);
}

}  // namespace refrain::verbs::dedup
