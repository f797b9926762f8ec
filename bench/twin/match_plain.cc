// The plain twin of `refrain match`: compares every query with every stored fingerprint, one after the other.
//
//   match_plain STORED QUERIES DISTANCE COUNT > ROWS      answers the first COUNT queries; prints the time on
//                                                         standard error, as refrain match --json does
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace {

struct Row {
  std::string id;
  std::uint64_t hash;
};

std::vector<Row> read_rows(const char* path, std::size_t most) {
  std::vector<Row> rows;
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) std::exit(3);
  char line[256];
  bool header = true;
  while (rows.size() < most && std::fgets(line, sizeof line, file) != nullptr) {
    const std::string text(line);
    const std::size_t tab = text.find('\t');
    if (!header) rows.push_back({text.substr(0, tab), std::strtoull(text.c_str() + tab + 1, nullptr, 10)});
    header = false;
  }
  std::fclose(file);
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::vector<Row> stored = read_rows(argv[1], std::numeric_limits<std::size_t>::max());
  const std::vector<Row> queries = read_rows(argv[2], static_cast<std::size_t>(std::atoll(argv[4])));
  const int distance = std::atoi(argv[3]);
  const auto begin = std::chrono::steady_clock::now();
  std::puts("id\tmatch\tdiff\tmatches");
  for (const Row& query : queries) {
    const Row* best = nullptr;
    int least = distance + 1;
    std::size_t matches = 0;
    for (const Row& row : stored) {
      const int difference = std::popcount(query.hash ^ row.hash);
      if (difference > distance) continue;
      ++matches;
      if (difference >= least) continue;
      least = difference;
      best = &row;
    }
    std::printf("%s\t%s\t%s\t%zu\n", query.id.c_str(), best == nullptr ? "" : best->id.c_str(),
                best == nullptr ? "" : std::to_string(least).c_str(), matches);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "{\"run\": {\"query_seconds\": %.9f}}\n", seconds.count());
  return 0;
}
