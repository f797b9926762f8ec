#include "verbs/dedup/state/sites.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/threads.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kHost = std::uint64_t{1} << 63U;  // set in the numbers of hosts only
constexpr DocId kSites = 16384;                           // documents per task of a worker

}  // namespace

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
