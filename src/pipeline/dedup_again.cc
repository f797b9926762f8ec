#include "pipeline/dedup_again.h"

#include <fmt/format.h>

#include <system_error>

#include "base/file.h"
#include "base/path.h"
#include "corpus/reader.h"
#include "pipeline/ownership.h"
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

const Decision& SecondReading::at(DocId document, const Digest& text) {
  for (; next_ <= document; ++next_)
    if (!outcome_.next(decision_, spans_) || !digests_.next(digest_)) refuse("the input");
  if (text == digest_) return decision_;
  SliceFile ids(run_.dir.work("ids"), run_.dir.work("id_ends"));
  std::string id;
  ids.get(document, id);
  refuse(id + ": the input");
}

InputOptions SecondReading::input() const {
  return again(run_.options.input, kept_read(run_.dir.facts()));
}

void SecondReading::make(const std::string& name, const std::function<std::uint64_t(const fs::path&)>& fill) {
  // A stage that was interrupted may have left part of it.
  const fs::path aside = run_.dir.work(name);
  const fs::path target = run_.dir.output(name);
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  // The list of its files comes before a folder of ours: one without is somebody's.
  if (is_taken(target) && !is_taken(list_of_files(run_.dir.folder(), name)))
    throw Error(Errc::invalid_argument, fmt::format("{}: was not made by this run; move it away, then run the same "
                                                    "command with --resume",
                                                    target.string()));
  check_untouched(run_.dir.folder(), name);
  make_folder(aside);
  if (fill(aside) != kept_read(run_.dir.facts()).documents) refuse("the input");
  check_untouched(run_.dir.folder(), name);
  fs::remove_all(target, ignored);
  list_files(run_.dir.folder(), name, aside);
  rename_checked(aside, target);
  sync_folder(target.parent_path());
  run_.dir.close_folder(name);
}

RewriteReport SecondReading::write(const std::string& name, const CutDocument& cut, const Annotations& annotations) {
  RewriteReport report;
  make(name, [&](const fs::path& folder) {
    report = rewrite_documents(input(), run_.context, run_.budget, folder, cut, annotations);
    return report.documents;
  });
  return report;
}

}  // namespace refrain
