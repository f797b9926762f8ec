// Makes files of 64-bit hashes to measure with. The same arguments give the same bytes.
//
//   make_hashes --count N --output FILE [--seed S] [--planted PERCENT] [--share MASK] [--rows] [--like SEED,COUNT]
//
//   --planted   this percentage of hashes is an earlier one (with --like: one of that list) with one to three bits
//               flipped
//   --share     the bits of this mask (hexadecimal) are the same in all hashes
//   --rows      a table "id<TAB>hash" with a header, as `refrain fingerprint` writes it, instead of bare hashes
//   --like      planted hashes are near those of another list, given by its seed and its count
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "twin/machine_text.h"

namespace {

struct Arguments {
  std::uint64_t count = 0;
  std::string output;
  std::uint64_t seed = 1;
  double planted = 0;
  std::uint64_t share = 0;
  bool rows = false;
  std::uint64_t like_seed = 0;
  std::uint64_t like_count = 0;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--rows") {
      arguments.rows = true;
      continue;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (flag == "--count") arguments.count = std::strtoull(value, nullptr, 10);
    if (flag == "--output") arguments.output = value;
    if (flag == "--seed") arguments.seed = std::strtoull(value, nullptr, 10);
    if (flag == "--planted") arguments.planted = std::strtod(value, nullptr);
    if (flag == "--share") arguments.share = std::strtoull(value, nullptr, 16);
    if (flag == "--like") {
      char* comma = nullptr;
      arguments.like_seed = std::strtoull(value, &comma, 10);
      arguments.like_count = *comma == ',' ? std::strtoull(comma + 1, nullptr, 10) : 0;
    }
  }
  return arguments;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  std::FILE* file = std::fopen(a.output.c_str(), "wb");
  if (a.count == 0 || file == nullptr) {
    std::fprintf(stderr, "make_hashes: --count and a --output that can be written are needed\n");
    return 2;
  }
  if (a.rows) std::fputs("id\thash\n", file);
  std::vector<std::uint64_t> hashes;
  hashes.reserve(a.count);
  const std::uint64_t constant = bench::random_number(99, 0) & a.share;
  for (std::uint64_t i = 0; i < a.count; ++i) {
    std::uint64_t hash = bench::random_number(a.seed, i);
    const std::uint64_t dice = bench::random_number(a.seed + 1000, i);
    const std::uint64_t neighbours = a.like_count != 0 ? a.like_count : i;
    if (neighbours != 0 && static_cast<double>(dice % 10000) < a.planted * 100) {
      const std::uint64_t which = bench::random_number(a.seed + 2000, i) % neighbours;
      hash = a.like_count != 0 ? bench::random_number(a.like_seed, which) : hashes[which];
      for (std::uint64_t flip = 0; flip < 1 + dice / 10000 % 3; ++flip)
        hash ^= std::uint64_t{1} << bench::random_number(a.seed + 3000 + flip, i) % 64;
    }
    hashes.push_back((hash & ~a.share) | constant);
    if (a.rows) std::fprintf(file, "%llu\t", static_cast<unsigned long long>(i));
    std::fprintf(file, "%llu\n", static_cast<unsigned long long>(hashes.back()));
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
