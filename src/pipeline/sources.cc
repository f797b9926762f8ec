#include "pipeline/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "pipeline/column.h"
#include "pipeline/tsv.h"
#include "refrain/error.h"

namespace refrain {

namespace {

constexpr std::size_t kMostAlarms = 100;

double share(const SourceLoss& loss) {
  return loss.documents == 0 ? 0 : static_cast<double>(loss.removed) / static_cast<double>(loss.documents);
}

}  // namespace

std::vector<std::string> source_names(const RunDir& dir) {
  const std::string text = read_file(dir.work("source_names").string());
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    names.push_back(unescaped(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return names;
}

std::vector<SourceLoss> source_losses(const RunDir& dir, const Array<Decision>& decisions) {
  std::vector<SourceLoss> losses;
  for (std::string& name : source_names(dir)) losses.push_back({std::move(name), 0, 0});
  ColumnReader<std::uint32_t> sources(dir.work("sources"));
  ColumnReader<DocState> states(dir.work("states"));
  std::uint32_t source = 0;
  DocState state{};
  for (DocId document = 0; sources.next(source) && states.next(state); ++document) {
    if (state == DocState::bad) continue;
    ++losses[source].documents;
    losses[source].removed += decisions[document].reason == static_cast<std::uint64_t>(Reason::none) ? 0 : 1;
  }
  return losses;
}

void judge_sources(DedupRun& run, const Array<Decision>& decisions) {
  std::vector<SourceLoss> losses = source_losses(run.dir, decisions);
  std::erase_if(losses, [](const SourceLoss& loss) { return loss.documents < kLeastOfSource; });
  std::stable_sort(losses.begin(), losses.end(),
                   [](const SourceLoss& a, const SourceLoss& b) { return share(a) > share(b); });
  if (!losses.empty() && share(losses.front()) > run.options.max_removed_per_source) {
    const SourceLoss& worst = losses.front();
    throw Error(Errc::bad_input,
                fmt::format("{}: would lose {} of {} documents, more than --max-removed-per-source allows; nothing was "
                            "written; look at it with a higher limit and without --apply",
                            worst.source.empty() ? "the input" : worst.source, worst.removed, worst.documents));
  }
  std::erase_if(losses, [&](const SourceLoss& loss) { return share(loss) <= run.options.alarm; });
  Facts& facts = run.dir.facts();
  losses.resize(std::min(losses.size(), kMostAlarms));
  facts.set("alarms", std::uint64_t{losses.size()});
  for (std::size_t i = 0; i < losses.size(); ++i) {
    facts.set(fmt::format("alarm.{}.source", i), losses[i].source);
    facts.set(fmt::format("alarm.{}.documents", i), losses[i].documents);
    facts.set(fmt::format("alarm.{}.removed", i), losses[i].removed);
  }
}

std::vector<SourceLoss> noted_alarms(const Facts& facts) {
  std::vector<SourceLoss> alarms;
  for (std::uint64_t i = 0; i < facts.number("alarms"); ++i)
    alarms.push_back({facts.text(fmt::format("alarm.{}.source", i)), facts.number(fmt::format("alarm.{}.documents", i)),
                      facts.number(fmt::format("alarm.{}.removed", i))});
  return alarms;
}

}  // namespace refrain
