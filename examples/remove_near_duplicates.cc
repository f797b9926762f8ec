// Removes near-duplicates from strings in memory.
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <refrain/error.h>
#include <refrain/memory.h>

int main() {
  const std::string bridge =
      "The council met on Monday evening to talk about the old bridge over the river, which has been closed to cars "
      "since the spring and may open again in ";
  const std::vector<std::string> texts = {
      bridge + "June.",  // an article,
      "The choir sings on Sunday at noon in the yard of the school; bring a chair.",
      bridge + "June.",  // its exact copy
      bridge + "July.",  // and an edited one
  };

  try {
    const auto documents = refrain::documents_of(std::span<const std::string>(texts));
    const refrain::DedupResult result = refrain::dedup(*documents, {.threshold = 0.8}, {});
    std::size_t kept = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const refrain::DedupDecision& decision = result.decisions[i];
      if (decision.keep) {
        ++kept;
        std::printf("%zu kept\n", i);
      } else {
        std::printf("%zu removed: %s of %llu, similarity %.3f\n", i, std::string(reason_name(decision.reason)).c_str(),
                    static_cast<unsigned long long>(*decision.match), decision.similarity);
      }
    }
    return kept == 2 ? 0 : 1;
  } catch (const refrain::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
