#include "verbs/dedup/state/second_reading.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <system_error>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/input_identity.h"
#include "verbs/run/output_dir.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

// `what` is named if no changed file is found.
[[noreturn]] void refuse(const DedupRun& run, const std::string& what) {
  const std::optional<std::string> file = run::changed_since(run.options.input, run.dir.began(), true);
  throw Error(Errc::bad_input,
              fmt::format("{}: changed after the run began; start again with `force`", file ? *file : what));
}

}  // namespace

const Decision& SecondReading::at(DocId document, const Digest& text) {
  for (; next_ <= document; ++next_)
    if (!outcome_.next(decision_, spans_) || !digests_.next(digest_)) refuse(run_, "the input");
  if (text == digest_) return decision_;
  run::SliceFile ids(run_.dir.work("ids"), run_.dir.work("id_ends"));
  std::string id;
  ids.get(document, id);
  refuse(run_, id);
}

void check_unchanged(DedupRun& run) {
  if (run::changed_since(run.options.against, run.dir.began())) run.dir.forget(kAgainstStage);
  if (!run::changed_since(run.options.input, run.dir.began())) return;
  run::ColumnReader<Digest> digests(run.dir.work("hashes"));
  const ReadReport& report = run.report.read;
  const corpus::BatchWork work = [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
    auto found = std::make_shared<std::vector<Digest>>();
    for (std::size_t i = 0; i < batch.texts.size(); ++i)
      found->push_back(batch.bad[i] != 0 ? Digest{} : digest(batch.texts[i]));
    auto bad = std::make_shared<std::vector<std::uint8_t>>(batch.bad.begin(), batch.bad.end());
    return [&run, &digests, found, bad](DocId) {
      Digest wanted;
      for (std::size_t i = 0; i < found->size(); ++i)
        if (!digests.next(wanted) || ((*bad)[i] == 0 && (*found)[i] != wanted)) refuse(run, "the input");
    };
  };
  const ReadReport now =
      corpus::read_documents(corpus::reread_options(run.options.input, report), run.context, run.budget, work);
  if (now.documents != report.documents || now.bad_records != report.bad_records) refuse(run, "the input");
}

corpus::SourceOptions SecondReading::input() const {
  return corpus::reread_options(run_.options.input, run_.report.read);
}

void SecondReading::make(const std::string& name, const std::function<std::uint64_t(const fs::path&)>& fill) {
  // An interrupted stage may have left part of the folder.
  const fs::path aside = run_.dir.work(name);
  const fs::path target = run_.dir.output(name);
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  // The run writes the list of files before it makes the folder, so a folder without a list belongs to a user.
  if (is_taken(target) && !is_taken(run::list_of_files(run_.dir.folder(), name)))
    throw Error(Errc::invalid_argument,
                fmt::format("{}: not written by this run; move it away, then rerun the command with `resume`",
                            target.string()));
  run::check_untouched(run_.dir.folder(), name);
  make_folder(aside);
  if (fill(aside) != run_.report.read.documents) refuse(run_, "the input");
  run::check_untouched(run_.dir.folder(), name);
  fs::remove_all(target, ignored);
  run::list_files(run_.dir.folder(), name, aside);
  rename_checked(aside, target);
  sync_folder(target.parent_path());
  run_.dir.close_folder(name);
}

corpus::RewriteReport SecondReading::write(const std::string& name, const corpus::CutDocument& cut,
                                           const corpus::Annotations& annotations) {
  corpus::RewriteReport report;
  make(name, [&](const fs::path& folder) {
    report = corpus::rewrite_documents(input(), run_.context, run_.budget, folder, cut, annotations);
    return report.documents;
  });
  return report;
}

}  // namespace refrain::verbs::dedup
