// Exact copies in a column of text: equal digests mean equal texts.
#include <refrain/digest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main() {
  // Arrow's layout: concatenated texts, and the offset at which each begins. The third is null.
  const std::string bytes = "to be or not to bethat is the questionto be or not to be";
  const std::vector<std::int32_t> offsets = {0, 18, 38, 38, 56};
  const std::uint8_t validity = 0b1011;
  const refrain::TextColumn texts(bytes.data(), offsets.data(), 4, &validity);

  std::vector<refrain::Digest> digests(texts.size());
  refrain::digests(texts, digests.data(), {});

  // A map here; on a cluster, a GROUP BY.
  std::map<refrain::Digest, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (texts.valid(i)) groups[digests[i]].push_back(i);

  for (const auto& [digest, members] : groups) {
    std::printf("%016llx%016llx:", static_cast<unsigned long long>(digest.high),
                static_cast<unsigned long long>(digest.low));
    for (const std::size_t i : members) std::printf(" %zu", i);
    std::printf("\n");
  }
  return groups.size() == 2 && groups[digests[0]] == std::vector<std::size_t>{0, 3} ? 0 : 1;
}
