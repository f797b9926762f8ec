#include "verbs/dedup/state/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <numeric>
#include <vector>

#include "base/array.h"
#include "base/files/file.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kMostAlarms = 100;
constexpr std::uint64_t kHost = std::uint64_t{1} << 63U;  // set in the numbers of hosts only
constexpr DocId kSites = 16384;                           // documents per task of a worker

struct Loss {
  std::size_t source;
  std::uint64_t documents;
  std::uint64_t removed;
  double share() const { return static_cast<double>(removed) / static_cast<double>(documents); }
};

}  // namespace

std::uint64_t source_bytes(const std::string& name) {
  // A node of the map, and a line of the file.
  return 2 * name.size() + 96;
}

void for_each_source_name(const run::RunDir& dir, const std::function<void(std::size_t, std::string&&)>& each) {
  const std::string path = dir.work("source_names").string();
  std::ifstream file(path);
  if (!file) throw_read_error(path, "open", errno);
  std::string line;
  for (std::size_t number = 0; std::getline(file, line); ++number) each(number, run::unescaped(line));
  if (file.bad()) throw_read_error(path, "read", EIO);
}

std::vector<std::string> source_names(const run::RunDir& dir, std::span<const std::size_t> numbers) {
  std::vector<std::size_t> places(numbers.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::vector<std::string> names(numbers.size());
  std::size_t next = 0;
  for_each_source_name(dir, [&](std::size_t number, std::string&& name) {
    for (; next < places.size() && numbers[places[next]] == number; ++next) names[places[next]] = name;
  });
  if (next != places.size())
    throw Error(Errc::corrupt,
                fmt::format("{}: ends early; start again with `force`", dir.work("source_names").string()));
  return names;
}

void judge_sources(DedupRun& run, DedupOutcome outcome) {
  const std::uint64_t count = run.report.sources;
  const std::uint64_t all = run.documents();
  Array<std::uint64_t> documents(run.budget, "what sources lose", count);
  Array<std::uint64_t> removed(run.budget, "what sources lose", count);
  {
    run::ColumnReader<std::uint32_t> sources(run.dir.work("sources"));
    run::ColumnReader<DocState> states(run.dir.work("states"));
    std::uint32_t source = 0;
    DocState state{};
    Decision decision;
    std::vector<ByteRange> spans;
    while (sources.next(source) && states.next(state) && outcome.next(decision, spans)) {
      // An exact copy of a known document is not a loss, because its text is already known.
      if (state == DocState::bad || (decision.is(Reason::exact) && decision.match >= all)) continue;
      ++documents[source];
      removed[source] += decision.kept() ? 0 : 1;
    }
  }
  // The sources that lose most, at most kMostAlarms of them.
  const double limit = std::min(run.options.alarm, run.options.max_removed_per_source);
  std::vector<Loss> worst;
  const auto before = [](const Loss& a, const Loss& b) {
    return a.share() != b.share() ? a.share() > b.share() : a.source < b.source;
  };
  for (std::size_t source = 0; source < documents.size(); ++source) {
    const Loss loss{source, documents[source], removed[source]};
    if (loss.documents == 0 || loss.share() <= limit) continue;
    if (loss.documents < kLeastOfSource && loss.share() <= run.options.max_removed_per_source) continue;
    keep_best(worst, loss, kMostAlarms, before);
  }
  std::vector<std::size_t> numbers;
  for (const Loss& loss : worst) numbers.push_back(loss.source);
  const std::vector<std::string> names = source_names(run.dir, numbers);
  if (!worst.empty() && worst.front().share() > run.options.max_removed_per_source)
    throw Error(Errc::bad_input,
                fmt::format("{}: would lose {} of {} documents, more than `max_removed_per_source` allows; nothing was "
                            "written; inspect it with a higher limit and without `apply`",
                            names.front().empty() ? "the input" : names.front(), worst.front().removed,
                            worst.front().documents));
  run.report.alarms.clear();
  for (std::size_t i = 0; i < worst.size(); ++i)
    if (worst[i].share() > run.options.alarm && worst[i].documents >= kLeastOfSource)
      run.report.alarms.push_back({names[i], worst[i].documents, worst[i].removed});
}

std::uint64_t site_of_host(std::string_view host) {
  return digest(host).high | kHost;
}

std::uint64_t site_of_source(std::uint32_t source) {
  return std::uint64_t{source} + 1;
}

Array<std::uint64_t> site_of_each(DedupRun& run) {
  Array<std::uint64_t> sites(run.budget, "the sources of the documents", run.documents());
  const bool by_host = run.options.source_field.empty();
  struct Worker {
    explicit Worker(const run::RunDir& dir)
        : sources(dir.work("sources")), states(dir.work("states")), ids(dir.work("ids"), dir.work("id_ends")) {}
    run::ColumnReader<std::uint32_t> sources;
    run::ColumnReader<DocState> states;
    run::SliceFile ids;
    std::string scratch;
  };
  std::vector<std::unique_ptr<Worker>> workers(run.threads);
  parallel_for(run.threads, (sites.size() + kSites - 1) / kSites, [&](unsigned number, std::size_t item) {
    throw_if_stopped(run.context);
    if (!workers[number]) workers[number] = std::make_unique<Worker>(run.dir);
    Worker& worker = *workers[number];
    DocId document = item * kSites;
    const DocId end = std::min<DocId>(document + kSites, sites.size());
    worker.sources.seek(document);
    worker.states.seek(document);
    std::uint32_t source = 0;
    DocState state{};
    for (; document < end && worker.sources.next(source) && worker.states.next(state); ++document) {
      if (state != DocState::judged) continue;
      const std::string host = by_host ? host_of(worker.ids.get(document, worker.scratch)) : std::string();
      sites[document] = host.empty() ? site_of_source(source) : site_of_host(host);
    }
  });
  return sites;
}

}  // namespace refrain::verbs::dedup
