// Phrases that several texts share, found by n-gram keys, and their places.
#include <refrain/kernels.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> given = {"We hold these truths to be self-evident.",
                                          "Do we, in fact, hold these truths to be what they are?"};
  std::string bytes;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : given) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const refrain::NgramKeyer keyer(4);
  const refrain::ListColumn<refrain::NgramPlace> ngrams =
      keyer.batch(refrain::TextColumn(bytes.data(), offsets.data(), given.size()), {});

  struct Place {
    std::size_t text;
    std::size_t token;
    refrain::ByteRange where;
  };
  std::map<std::uint64_t, std::vector<Place>> by_key;
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t token = 0; token < ngrams[i].size(); ++token)
      by_key[ngrams[i][token].key].push_back({i, token, ngrams[i][token].where});

  std::size_t shared = 0;
  for (const auto& [key, places] : by_key) {
    if (places.size() < 2) continue;
    ++shared;
    for (const Place& place : places)
      std::printf("text %zu, token %zu: %s\n", place.text, place.token,
                  given[place.text].substr(place.where.begin, place.where.end - place.where.begin).c_str());
  }
  // The shared phrases are "hold these truths to" and "these truths to be".
  return shared == 2 ? 0 : 1;
}
