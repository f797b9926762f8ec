// Contamination: finds which texts of a corpus contain which questions of a test set.
#include <refrain/item_search.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> questions = {
      "A train leaves the station at noon and travels east at sixty miles an hour. When does it arrive?",
      "Which of these four planets is the largest one in our solar system today?"};
  // Created once; all tasks of a cluster may share it.
  const refrain::ItemSearcher searcher(questions, {.share = 0.8}, {});

  const std::vector<std::string> given = {
      "Homework: a train leaves THE STATION at noon, and travels west at sixty miles an hour; when does it arrive?",
      "The planets of our solar system are eight."};
  std::string bytes;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : given) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  const refrain::ListColumn<refrain::FoundItem> found =
      searcher.find(refrain::TextColumn(bytes.data(), offsets.data(), given.size()), {});

  for (std::size_t i = 0; i < given.size(); ++i)
    for (const refrain::FoundItem& item : found[i])
      std::printf("text %zu holds %.0f %% of question %d: %s\n", i, 100 * item.share, static_cast<int>(item.item),
                  given[i].substr(item.where.begin, item.where.end - item.where.begin).c_str());
  // One word of 19 differs.
  return found[0].size() == 1 && found[0][0].item == 0 && found[0][0].share > 0.9 && found[1].empty() ? 0 : 1;
}
