// The plain twin of simhash-find-all: a direct implementation of the block permutation algorithm, in one thread.
//
//   find_all_plain -b BLOCKS -d DISTANCE -i FILE -o FILE [--varying]
//
// Block i of b covers bits [i 64/b, (i+1) 64/b) from the least significant. For each of the C(b, b-d) choices of b - d
// blocks there is a table: the bits of every hash are permuted so that the chosen blocks lead, the table is sorted, and
// all pairs with an equal prefix are compared. Pairs are written as [a, b] with a < b, in order, each once.
//
// --varying cuts the blocks only from bits that differ between hashes, which the algorithm itself does not do. It gives
// the right answer for skewed sets, on which the algorithm is quadratic, in reasonable time.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Hashes = std::vector<std::uint64_t>;
using Bits = std::vector<unsigned>;

Hashes read_hashes(const char* path) {
  Hashes hashes;
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) std::exit(7);
  char line[64];
  while (std::fgets(line, sizeof line, file) != nullptr) hashes.push_back(std::strtoull(line, nullptr, 10));
  std::fclose(file);
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

// A run of bits that moves as one.
struct Move {
  std::uint64_t mask;
  int rotation;
};

std::uint64_t permute(std::uint64_t hash, const std::vector<Move>& moves) {
  std::uint64_t permuted = 0;
  for (const Move& move : moves) permuted |= std::rotl(hash & move.mask, move.rotation);
  return permuted;
}

// Returns moves that bring `order` (bits, least significant first) to positions 0, 1, 2, ..., or with `back` the
// reverse.
std::vector<Move> moves_for(const Bits& order, bool back) {
  std::vector<Move> moves;
  for (unsigned to = 0; to < order.size(); ++to) {
    const unsigned from = order[to];
    const int rotation =
        back ? static_cast<int>(from) - static_cast<int>(to) : static_cast<int>(to) - static_cast<int>(from);
    const std::uint64_t bit = std::uint64_t{1} << (back ? to : from);
    if (!moves.empty() && moves.back().rotation == rotation)
      moves.back().mask |= bit;
    else
      moves.push_back({bit, rotation});
  }
  return moves;
}

void find_in_table(const Hashes& hashes, const Bits& order, std::size_t prefix_bits, int distance,
                   std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) {
  const std::vector<Move> forth = moves_for(order, false);
  const std::vector<Move> back = moves_for(order, true);
  const std::uint64_t prefix = prefix_bits == 0 ? 0 : ~std::uint64_t{0} << (64 - prefix_bits);
  Hashes table;
  table.reserve(hashes.size());
  for (const std::uint64_t hash : hashes) table.push_back(permute(hash, forth));
  std::sort(table.begin(), table.end());
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = i + 1; j < table.size() && ((table[i] ^ table[j]) & prefix) == 0; ++j) {
      if (std::popcount(table[i] ^ table[j]) > distance) continue;
      const std::uint64_t a = permute(table[i], back);
      const std::uint64_t b = permute(table[j], back);
      pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned blocks = 0;
  unsigned distance = 0;
  const char* input = "";
  const char* output = "";
  bool varying = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--varying") varying = true;
    if (i + 1 >= argc) break;
    if (flag == "-b") blocks = static_cast<unsigned>(std::atoi(argv[i + 1]));
    if (flag == "-d") distance = static_cast<unsigned>(std::atoi(argv[i + 1]));
    if (flag == "-i") input = argv[i + 1];
    if (flag == "-o") output = argv[i + 1];
  }
  if (blocks <= distance || blocks > 64) return 6;
  const Hashes hashes = read_hashes(input);

  // The bits that blocks are cut from, followed by the constant ones, which are never part of a prefix.
  std::uint64_t differ = varying ? 0 : ~std::uint64_t{0};
  for (const std::uint64_t hash : hashes) differ |= hash ^ hashes[0];
  Bits bits(64);
  std::iota(bits.begin(), bits.end(), 0U);
  const auto constant =
      std::stable_partition(bits.begin(), bits.end(), [&](unsigned b) { return (differ >> b & 1U) != 0; });
  const auto used = static_cast<unsigned>(constant - bits.begin());

  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  std::vector<char> chosen(blocks, 0);
  std::fill(chosen.begin() + distance, chosen.end(), 1);
  do {
    Bits order(constant, bits.end());
    Bits prefix;
    for (unsigned block = 0; block < blocks; ++block) {
      Bits& to = chosen[block] != 0 ? prefix : order;
      to.insert(to.end(), bits.begin() + block * used / blocks, bits.begin() + (block + 1) * used / blocks);
    }
    order.insert(order.end(), prefix.begin(), prefix.end());
    find_in_table(hashes, order, prefix.size(), static_cast<int>(distance), pairs);
  } while (std::next_permutation(chosen.begin(), chosen.end()));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  std::FILE* file = std::fopen(output, "wb");
  if (file == nullptr) return 8;
  for (const auto& [a, b] : pairs)
    std::fprintf(file, "[%llu, %llu]\n", static_cast<unsigned long long>(a), static_cast<unsigned long long>(b));
  return std::fclose(file) == 0 ? 0 : 8;
}
