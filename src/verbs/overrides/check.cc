// Says what the lines of a file of overrides would do to the documents of a finished run.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "refrain/overrides.h"
#include "refrain/report_json.h"
#include "verbs/overrides/targets.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

// Calls each(number, id, digest) for the rows of clusters.tsv, which has the high halves of digests.
void for_each_row(const std::filesystem::path& path, const Context& context,
                  const std::function<void(DocId, const std::string&, std::uint64_t)>& each) {
  constexpr DocId kRows = 65536;  // between two checks of the stop token
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_read_error(path.string(), "open", errno);
  std::string line;
  std::getline(file, line);
  if (!verbs::run::is_digest_header(line))
    throw Error(Errc::corrupt, fmt::format("{}: not the clusters of a dedup run; run dedup again", path.string()));
  for (DocId number = 0; std::getline(file, line); ++number) {
    if (number % kRows == 0) throw_if_stopped(context);
    const auto row = verbs::run::parse_hash_row(line);
    if (!row || !row->hash)
      throw Error(Errc::corrupt, fmt::format("{}: row {}: damaged; run dedup again", path.string(), number + 1));
    each(number, verbs::run::unescaped(row->id), *row->hash);
  }
  if (file.bad()) throw_read_error(path.string(), "read", EIO);
}

constexpr std::string_view kStatusNames[] = {"applies", "stale", "not_found"};

}  // namespace

std::string_view override_status_name(OverrideStatus status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}

std::uint64_t OverridesCheckReport::of(OverrideStatus status) const {
  return static_cast<std::uint64_t>(std::ranges::count(decisions, status, &OverrideEffect::status));
}

OverridesCheckReport check_overrides(const std::filesystem::path& file, const std::filesystem::path& run,
                                     const Context& context) {
  if (!verbs::run::holds_run_of(run, "dedup"))
    throw Error(Errc::not_found, fmt::format("{}: no finished dedup run here; name its output folder", run.string()));
  MemoryBudget budget(context);
  const std::vector<Override> live = live_overrides(read_overrides(file));
  verbs::overrides::TargetFinder finder(live, budget, /*halves=*/true);
  const std::filesystem::path clusters = run / "clusters.tsv";
  for_each_row(clusters, context, [&](DocId document, const std::string& id, std::uint64_t high) {
    if (finder.names({high, 0})) finder.add(document, {high, 0}, id, document);
  });
  if (finder.wants_ids())
    for_each_row(clusters, context, [&](DocId, const std::string& id, std::uint64_t) { finder.see(id); });
  OverridesCheckReport report;
  finder.find(report.decisions);
  return report;
}

std::string to_json(const OverridesCheckReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "overrides check");
  for (const OverrideStatus status : {OverrideStatus::applies, OverrideStatus::stale, OverrideStatus::not_found})
    json.field(override_status_name(status), report.of(status));
  json.key("decisions").begin_array();
  for (const OverrideEffect& effect : report.decisions) {
    json.begin_object().field("seq", effect.seq);
    json.field("op", override_op_name(effect.op));
    json.field("status", override_status_name(effect.status)).field("found", effect.found);
    json.key("documents").begin_array();
    for (const OverrideDocument& document : effect.documents) {
      json.begin_object().field("digest", to_hex(document.digest));
      if (document.id) json.field("id", *document.id);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

}  // namespace refrain
