// dedup: what was decided, beside the records themselves: copies of the input with fields added.
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "corpus/rewrite.h"
#include "pipeline/column.h"
#include "pipeline/dedup_against.h"
#include "pipeline/dedup_run.h"
#include "pipeline/slice_file.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

void dedup_annotate(DedupRun& run) {
  const Array<DocId> clusters = load_column<DocId>(run.dir.work("clusters"), run.budget, "the clusters");
  Array<std::uint64_t> sizes(run.budget, "the clusters", clusters.size());
  for (const DocId cluster : clusters) ++sizes[cluster];

  const fs::path aside = run.dir.work("annotated");
  const fs::path target = run.dir.output("annotated");
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  make_folder(aside);
  AgainstView against(run);
  DedupOutcome outcome(run);
  SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  Decision decision;
  std::vector<ByteRange> spans;
  std::string match;
  DocId next = 0;
  Annotations annotations;
  annotations.names = {"dup_cluster_id", "dup_cluster_size", "dup_keep", "dup_match", "dup_similarity"};
  annotations.types = {AddedType::integer, AddedType::integer, AddedType::boolean, AddedType::text, AddedType::real};
  annotations.values = [&](DocId document, std::span<AddedValue> values) {
    bool there = true;
    for (; there && next <= document; ++next) there = outcome.next(decision, spans);
    if (!there) throw Error(Errc::bad_input, "an input changed while it was being read; run again");
    const auto reason = static_cast<Reason>(decision.reason);
    const std::uint64_t size = sizes[clusters[document]];
    if (size > 1) values[0] = static_cast<std::int64_t>(clusters[document]);
    values[1] = static_cast<std::int64_t>(size);
    values[2] = reason == Reason::none;
    if (reason == Reason::none || reason == Reason::substring) return;
    if (reason == Reason::against)
      match = against.id(decision.match);
    else
      ids.get(decision.match, match);
    values[3] = std::string_view(match);
    values[4] = decision.similarity;
  };
  const RewriteReport report = rewrite_documents(
      run.options.input, run.context, run.budget, aside,
      [](DocId /*document*/, std::string_view /*text*/) { return TextCuts{}; }, annotations);
  fs::remove_all(target, ignored);
  rename_checked(aside, target);
  sync_folder(target.parent_path());
  run.dir.facts().set("annotated_bytes", report.written_bytes);
}

}  // namespace refrain
