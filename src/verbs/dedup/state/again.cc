#include "verbs/dedup/state/again.h"

#include <fmt/format.h>

#include <system_error>

#include "base/files/file.h"
#include "base/files/path.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/ownership.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::bad_input, what + " changed during the run; start again with --force");
}

}  // namespace

const Decision& SecondReading::at(DocId document, const Digest& text) {
  for (; next_ <= document; ++next_)
    if (!outcome_.next(decision_, spans_) || !digests_.next(digest_)) refuse("the input");
  if (text == digest_) return decision_;
  run::SliceFile ids(run_.dir.work("ids"), run_.dir.work("id_ends"));
  std::string id;
  ids.get(document, id);
  refuse(id + ": the input");
}

corpus::SourceOptions SecondReading::input() const {
  return corpus::again(run_.options.input, run_.dir.facts().get<ReadFacts>().report);
}

void SecondReading::make(const std::string& name, const std::function<std::uint64_t(const fs::path&)>& fill) {
  // A stage that was interrupted may have left part of it.
  const fs::path aside = run_.dir.work(name);
  const fs::path target = run_.dir.output(name);
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  // The list of its files comes before a folder of ours: one without is somebody's.
  if (is_taken(target) && !is_taken(run::list_of_files(run_.dir.folder(), name)))
    throw Error(Errc::invalid_argument,
                fmt::format("{}: not written by this run; move it away, then rerun the command with --resume",
                            target.string()));
  run::check_untouched(run_.dir.folder(), name);
  make_folder(aside);
  if (fill(aside) != run_.dir.facts().get<ReadFacts>().report.documents) refuse("the input");
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
