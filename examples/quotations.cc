// Indexes documents in memory, and finds where another text quotes them, even with small edits.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <refrain/documents.h>
#include <refrain/index.h>

namespace {

class Printer final : public refrain::PassageSink {
 public:
  void begin(const refrain::PassageHead& head) override { std::printf("\"%s\"\n", head.text.c_str()); }
  void occurrence(const refrain::Occurrence& found) override {
    std::printf("  in document %s, %.0f%% similar: \"%s\"\n", found.id.c_str(), 100 * found.similarity,
                found.text.c_str());
    ++places;
  }
  void end() override {}
  int places = 0;
};

}  // namespace

int main() {
  const std::vector<std::string> books = {
      "It was the best of times, it was the worst of times, it was the age of wisdom.",
      "Call me Ishmael. Some years ago, never mind how long precisely, I went to sea."};
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "refrain-example-index";
  std::filesystem::remove_all(folder);
  refrain::create_index({.index = folder,
                         .input = {.documents = refrain::documents_of(std::span<const std::string>(books))},
                         .layout = {.window = 6}},
                        {});
  Printer printer;
  const refrain::Index index(folder);
  index.query({.documents = {{.id = "letter",
                              .text = "He said: some years ago (never mind how long exactly) I went "
                                      "to sea!"}}},
              {}, printer);
  std::filesystem::remove_all(folder);
  return printer.places == 1 ? 0 : 1;
}
