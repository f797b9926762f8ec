// SimHash fingerprints of texts, and the pairs of them that differ in few bits.
#include <refrain/documents.h>
#include <refrain/fingerprint.h>
#include <refrain/pairs.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::string first;
  std::string other;
  for (int i = 0; i < 300; ++i) first += "word" + std::to_string(i * i % 1009) + " ";
  for (int i = 0; i < 300; ++i) other += "term" + std::to_string(i * i % 1013) + " ";
  const std::vector<std::string> given = {first, other, first + "and one more", "short"};
  std::string bytes;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : given) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const refrain::TextColumn texts(bytes.data(), offsets.data(), given.size());

  const refrain::Fingerprinter fingerprinter({.window = 3});
  std::vector<std::uint64_t> hashes(texts.size());
  std::vector<std::uint8_t> valid(texts.size());  // 0 if a text has fewer than three tokens
  fingerprinter.batch(texts, hashes.data(), valid.data(), {});

  const std::vector<refrain::HammingPair> pairs = refrain::hamming_pairs(hashes, {.distance = 6, .valid = valid}, {});
  for (const refrain::HammingPair& pair : pairs)
    std::printf("%d and %d differ in %u bits\n", static_cast<int>(pair.first), static_cast<int>(pair.second),
                pair.difference);
  return pairs.size() == 1 && pairs[0].first == 0 && pairs[0].second == 2 ? 0 : 1;
}
