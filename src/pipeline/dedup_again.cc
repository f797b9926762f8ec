#include "pipeline/dedup_again.h"

#include <system_error>

#include "base/file.h"
#include "pipeline/read_facts.h"
#include "pipeline/slice_file.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::bad_input, what + " changed while the run went on; begin anew with --force");
}

}  // namespace

const Decision& SecondReading::at(DocId document, std::string_view text) {
  for (; next_ <= document; ++next_)
    if (!outcome_.next(decision_, spans_) || !digests_.next(digest_)) refuse("the input");
  if (digest(text) == digest_) return decision_;
  SliceFile ids(run_.dir.work("ids"), run_.dir.work("id_ends"));
  std::string id;
  ids.get(document, id);
  refuse(id + ": the input");
}

RewriteReport SecondReading::write(const std::string& name, const CutDocument& cut, const Annotations& annotations) {
  // A stage that was interrupted may have left part of it.
  const fs::path aside = run_.dir.work(name);
  const fs::path target = run_.dir.output(name);
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  make_folder(aside);
  const RewriteReport report =
      rewrite_documents(run_.options.input, run_.context, run_.budget, aside, cut, annotations);
  if (report.documents != kept_read(run_.dir.facts()).documents) refuse("the input");
  fs::remove_all(target, ignored);
  rename_checked(aside, target);
  sync_folder(target.parent_path());
  run_.dir.close_folder(name);
  return report;
}

}  // namespace refrain
