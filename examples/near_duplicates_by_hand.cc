// Near duplicates, step by step, as on a cluster: MinHash signatures, bands, pairs that meet, their true similarity,
// clusters.
#include <refrain/kernels.h>
#include <refrain/pairs.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

int main() {
  const std::string page =
      "The quick brown fox jumps over the lazy dog, while the cat looks on from the window sill and the rain falls "
      "softly on the roof of the old house at the end of the long and winding road. ";
  const std::vector<std::string> given = {page + page + "Printed on Monday.",
                                          "Something else altogether, said briefly.",
                                          page + page + "Printed on Friday.", "Too short."};
  std::string bytes;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : given) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const refrain::TextColumn texts(bytes.data(), offsets.data(), given.size());

  // Map: a signature for each text, and a key for each of its bands.
  const refrain::MinHasher hasher;
  std::vector<std::uint32_t> signatures(texts.size() * hasher.lanes());
  std::vector<std::uint8_t> valid(texts.size());
  hasher.batch(texts, signatures.data(), valid.data(), {});
  const refrain::Bands bands = refrain::choose_bands(0.8, 0.95, hasher.lanes());
  std::vector<std::uint32_t> keys(texts.size() * bands.bands);
  refrain::band_keys(bands, signatures, hasher.lanes(), keys.data(), {});

  // Shuffle: each text meets the first text with the same key in the same band. All pairs of a large bucket would be
  // too many.
  std::map<std::pair<unsigned, std::uint32_t>, std::vector<std::size_t>> buckets;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (unsigned band = 0; band < bands.bands && valid[i] != 0; ++band)
      buckets[{band, keys[i * bands.bands + band]}].push_back(i);
  std::set<refrain::IndexPair> met;
  for (const auto& [key, members] : buckets)
    for (std::size_t k = 1; k < members.size(); ++k) met.insert({members[0], members[k]});

  // Verify: keys propose pairs, and the texts decide.
  const std::vector<refrain::IndexPair> pairs(met.begin(), met.end());
  const std::vector<double> similar = refrain::similarities(texts, pairs, {.threshold = 0.8}, {});
  std::vector<refrain::IndexPair> matches;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (similar[i] >= 0.8) matches.push_back(pairs[i]);

  const std::vector<std::uint64_t> clusters = refrain::components(texts.size(), matches, {});
  for (std::size_t i = 0; i < texts.size(); ++i)
    std::printf("%zu is in cluster %d\n", i, static_cast<int>(clusters[i]));
  return clusters == std::vector<std::uint64_t>{0, 1, 0, 3} ? 0 : 1;
}
