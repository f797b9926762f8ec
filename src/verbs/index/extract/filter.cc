#include "verbs/index/extract/filter.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"

namespace refrain::verbs::index {

namespace {

constexpr std::uint64_t kBitsABlot = 12;

// Whether the blocks, which ascend, lie in 2 to `most` documents (0: any number of two or more).
bool in_several(Snapshot::Blots& blots, const Array<std::uint64_t>& first_blocks, std::uint64_t most) {
  if (blots.most() < 2) return false;
  std::uint64_t documents = 0;
  const std::uint64_t* end = first_blocks.begin();  // of the last document that was counted
  for (auto blocks = blots.blocks(); !blocks.empty(); blocks = blots.blocks())
    for (const std::uint64_t block : blocks) {
      if (documents > 0 && (end == first_blocks.end() || block < *end)) continue;
      ++documents;
      if (most != 0 ? documents > most : documents > 1) return most == 0;
      end = std::upper_bound(end, first_blocks.end(), block);
    }
  return documents > 1;
}

}  // namespace

BlotFilter::BlotFilter(MemoryBudget& budget, std::uint64_t blots, std::uint64_t most_bytes)
    : words_(budget, "the repeated blots",
             static_cast<std::size_t>(std::clamp<std::uint64_t>(
                 blots * kBitsABlot / 64, 1024, std::clamp<std::uint64_t>(most_bytes / 8, 1024, 0xFFFFFFFF)))) {}

std::uint64_t find_repeated_blots(Snapshot& snapshot, std::uint64_t max_documents, MemoryBudget& budget,
                                  const Context& context, BlotFilter& filter) {
  Array<std::uint64_t> first_blocks(budget, "where documents begin", snapshot.documents());
  for (std::uint64_t i = 0; i < snapshot.documents(); ++i) first_blocks[i] = snapshot.first_block(i);
  constexpr std::uint64_t kPieces = 256;
  const std::uint64_t end = std::uint64_t{1} << snapshot.layout().blot_bits;
  const unsigned threads = thread_count(context);
  std::vector<std::unique_ptr<Snapshot>> clones(threads);
  for (auto& clone : clones) clone = snapshot.clone();
  std::atomic<std::uint64_t> repeated{0};
  Progress progress(context, "blots", "pieces", kPieces);
  parallel_for(threads, kPieces, [&](unsigned worker, std::size_t piece) {
    std::uint64_t found = 0;
    Snapshot::Blots blots(*clones[worker], end / kPieces * piece,
                          piece + 1 == kPieces ? end : end / kPieces * (piece + 1));
    while (blots.next()) {
      if (!in_several(blots, first_blocks, max_documents)) continue;
      filter.add(blots.blot());
      ++found;
    }
    repeated += found;
    progress.add(1);
  });
  progress.finish();
  return repeated;
}

}  // namespace refrain::verbs::index
