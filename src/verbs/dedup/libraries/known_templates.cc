#include "verbs/dedup/libraries/known_templates.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/state/sites.h"
#include "verbs/dedup/state/sources.h"

namespace refrain::verbs::dedup {

namespace {

// Maps the names of the run's sources to their numbers.
std::unordered_map<std::string, std::uint32_t> numbers_of_sources(const run::RunDir& dir) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for_each_source_name(dir, [&](std::size_t number, std::string&& name) {
    numbers.emplace(std::move(name), static_cast<std::uint32_t>(number));
  });
  return numbers;
}

}  // namespace

KnownTemplates known_templates(DedupRun& run, const Array<std::uint64_t>& sites) {
  KnownTemplates known;
  if (!run.looks_up()) return known;
  Array<std::uint64_t> own(run.budget, "the sources of the documents");
  own.append(std::span<const std::uint64_t>(sites.data(), sites.size()));
  std::sort(own.begin(), own.end());
  own.resize(static_cast<std::size_t>(std::unique(own.begin(), own.end()) - own.begin()));
  const std::unordered_map<std::string, std::uint32_t> numbers = numbers_of_sources(run.dir);
  Libraries libraries(run.options, run.budget);
  for (std::size_t library = 0; library < libraries.size(); ++library) {
    library::Reader& reader = libraries[library];
    for (std::size_t segment = 0; segment < reader.manifest().segments.size(); ++segment)
      reader.for_each_source(segment, [&](std::uint32_t, const library::Source& source) {
        const auto take = [&](std::uint64_t site) {
          std::vector<std::uint64_t>& windows = known[site];
          if (windows.empty()) windows = source.left_out;
        };
        if (const std::uint64_t host = site_of_host(source.name); std::binary_search(own.begin(), own.end(), host))
          take(host);
        if (const auto found = numbers.find(source.name); found != numbers.end()) take(site_of_source(found->second));
      });
  }
  return known;
}

}  // namespace refrain::verbs::dedup
