#include "verbs/dedup/state/sites.h"

#include "base/ascii.h"
#include "base/threads.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kHost = std::uint64_t{1} << 63U;  // set in the number of a host, and of nothing else
constexpr DocId kSites = 65536;                           // documents between two looks at whether to stop

}  // namespace

std::string host_of(std::string_view id) {
  const std::size_t scheme = id.find("://");
  if (scheme == id.npos) return {};
  if (!same_word(id.substr(0, scheme), "http") && !same_word(id.substr(0, scheme), "https")) return {};
  id.remove_prefix(scheme + 3);
  id = id.substr(0, id.find_first_of("/?#\\"));
  if (const std::size_t at = id.rfind('@'); at != id.npos) id.remove_prefix(at + 1);
  // The colons inside of [::1] are no port's.
  if (const std::size_t colon = id.rfind(':'); colon != id.npos && id.find(']', colon) == id.npos)
    id = id.substr(0, colon);
  std::string host(id);
  for (char& c : host) c = lower(c);
  return host.starts_with("www.") ? host.substr(4) : host;
}

std::uint64_t site_of_host(std::string_view host) {
  return digest(host).high | kHost;
}

std::uint64_t site_of_source(std::uint32_t source) {
  return std::uint64_t{source} + 1;
}

Array<std::uint64_t> site_of_each(DedupRun& run) {
  Array<std::uint64_t> sites(run.budget, "the sources of the documents", run.documents());
  run::ColumnReader<std::uint32_t> sources(run.dir.work("sources"));
  run::ColumnReader<DocState> states(run.dir.work("states"));
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  const bool by_host = run.options.source_field.empty();
  std::string scratch;
  std::uint32_t source = 0;
  DocState state{};
  for (DocId document = 0; sources.next(source) && states.next(state); ++document) {
    if (document % kSites == 0) throw_if_stopped(run.context);
    if (state != DocState::judged) continue;
    const std::string host = by_host ? host_of(ids.get(document, scratch)) : std::string();
    sites[document] = host.empty() ? site_of_source(source) : site_of_host(host);
  }
  return sites;
}

}  // namespace refrain::verbs::dedup
