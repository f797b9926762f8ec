// Exact substrings that texts share, found as on a cluster: samples are grouped by the hash of their cores, and then
// bytes are compared.
#include <refrain/kernels.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main() {
  constexpr std::size_t kLength = 20;
  const std::string shared = "these forty bytes stand in both of them.";
  const std::vector<std::string> given = {"Only here: " + shared, "And " + shared + " So it ends.", "Nothing of that."};
  std::string bytes;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : given) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const refrain::SubstringSampler sampler({.length = kLength});
  const refrain::SubstringSampler::Samples found =
      sampler.batch(refrain::TextColumn(bytes.data(), offsets.data(), given.size()), {});

  struct Place {
    std::size_t text;
    refrain::SubstringSample sample;
  };
  std::map<std::uint64_t, std::vector<Place>> by_core;  // the shuffle
  for (std::size_t i = 0; i < given.size(); ++i)
    for (const refrain::SubstringSample& sample : found.samples[i]) by_core[sample.core_hash].push_back({i, sample});

  std::vector<refrain::ByteRange> repeated(given.size());  // here, one range per text is enough
  for (const auto& [core, places] : by_core)
    for (const Place& a : places)
      for (const Place& b : places) {
        const refrain::ByteRange windows = sampler.shared_windows(given[a.text], a.sample, given[b.text], b.sample);
        if (&a == &b || windows.begin == windows.end) continue;
        refrain::ByteRange& range = repeated[a.text];
        if (range.end == 0) range = {windows.begin, windows.begin};
        range.begin = std::min(range.begin, windows.begin);
        range.end = std::max(range.end, windows.end - 1 + kLength);
      }
  const auto text = [&](std::size_t i) {
    return given[i].substr(repeated[i].begin, repeated[i].end - repeated[i].begin);
  };
  for (std::size_t i = 0; i < given.size(); ++i) std::printf("%zu: '%s'\n", i, text(i).c_str());
  return text(0) == " " + shared && text(1) == text(0) && text(2).empty() ? 0 : 1;
}
