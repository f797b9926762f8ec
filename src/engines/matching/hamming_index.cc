#include "engines/matching/hamming.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::matching {

namespace {

constexpr std::size_t kMaxPending = 4096;

using Entry = HammingIndex::Entry;

// The fingerprints ordered by one block.
struct Table {
  Table(MemoryBudget& budget, Block block, std::size_t nodes)
      : mask(block.mask),
        key(block.mask, std::min(24U, static_cast<unsigned>(std::bit_width(nodes)))),
        begins(budget, "the tables", (std::size_t{1} << key.bits()) + 1),
        hashes(budget, "the tables", nodes),
        node(budget, "the tables", nodes) {}

  std::uint64_t mask;
  BlockKey key;
  Array<std::uint32_t> begins;
  Array<std::uint64_t> hashes;
  Array<std::uint32_t> node;
};

}  // namespace

// An immutable set of fingerprints in tables.
class HammingIndex::TableSet {
 public:
  TableSet(MemoryBudget& budget, Array<Entry> entries, unsigned distance, unsigned threads)
      : distance_(distance), entries_(std::move(entries)), begins_(budget, "the stored fingerprints") {
    if (entries_.size() >= UINT32_MAX)
      throw Error(Errc::unsupported, "more than 4 billion stored fingerprints; split them into several files");
    std::sort(entries_.begin(), entries_.end());
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (i == 0 || entries_[i].hash != entries_[i - 1].hash) begins_.push_back(static_cast<std::uint32_t>(i));
    const std::size_t nodes = begins_.size();
    begins_.push_back(static_cast<std::uint32_t>(entries_.size()));
    Array<std::uint64_t> sample(budget, "a sample", std::min<std::size_t>(nodes, 4096));
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = hash_of(i * nodes / sample.size());
    const std::vector<Block> blocks = balanced_blocks(sample, distance + 1);
    // Too few bits vary for the blocks to discriminate, so the only table is one list of all fingerprints.
    if (blocks.size() <= distance)
      tables_.emplace_back(budget, Block{}, nodes);
    else
      for (const Block& block : blocks) tables_.emplace_back(budget, block, nodes);
    parallel_for(threads, tables_.size(), [&](unsigned /*worker*/, std::size_t t) { fill(tables_[t], nodes); });
  }

  std::size_t size() const { return entries_.size(); }
  Array<Entry>& entries() { return entries_; }

  // Calls hit(difference, entries of the node) once for every node within the distance, in no particular order.
  template <class Hit>
  void find(std::uint64_t query, Hit hit) const {
    struct Scan {
      const TableSet* set;
      const Table* table;
      std::size_t at;
      std::size_t first_begin;
      std::uint64_t query;
      Hit* hit;
    };
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const Table& table = tables_[t];
      const std::uint64_t key = table.mask == 0 ? 0 : table.key(query);
      const std::size_t begin = table.begins[key];
      const std::size_t end = table.begins[key + 1];
      Scan scan{this, &table, t, begin, query, &hit};
      find_within(
          query, {table.hashes.data() + begin, end - begin}, distance_,
          [](void* context, std::size_t /*i*/, std::size_t j) {
            const Scan& s = *static_cast<const Scan*>(context);
            const std::uint64_t hash = s.table->hashes[s.first_begin + j];
            const std::uint64_t difference = s.query ^ hash;
            // Several blocks may agree; the pair counts only in the first of them.
            if ((difference & s.table->mask) != 0) return;
            for (std::size_t earlier = 0; earlier < s.at; ++earlier)
              if ((difference & s.set->tables_[earlier].mask) == 0) return;
            const std::size_t node = s.table->node[s.first_begin + j];
            const std::size_t first = s.set->begins_[node];
            (*s.hit)(static_cast<unsigned>(std::popcount(difference)),
                     std::span<const Entry>(s.set->entries_.data() + first, s.set->begins_[node + 1] - first));
          },
          &scan);
    }
  }

  void prefetch(std::uint64_t query) const {
    for (const Table& table : tables_)
      __builtin_prefetch(table.hashes.data() + table.begins[table.mask == 0 ? 0 : table.key(query)]);
  }

 private:
  std::uint64_t hash_of(std::size_t node) const { return entries_[begins_[node]].hash; }

  void fill(Table& table, std::size_t nodes) const {
    const auto key = [&](std::size_t n) { return table.mask == 0 ? 0 : table.key(hash_of(n)); };
    for (std::size_t n = 0; n < nodes; ++n) ++table.begins[key(n) + 1];
    for (std::size_t b = 1; b < table.begins.size(); ++b) table.begins[b] += table.begins[b - 1];
    // Fills from the back, so that each begin ends up where it belongs.
    Array<std::uint32_t>& begins = table.begins;
    for (std::size_t n = nodes; n-- > 0;) {
      const std::uint32_t at = --begins[key(n) + 1];
      table.hashes[at] = hash_of(n);
      table.node[at] = static_cast<std::uint32_t>(n);
    }
    // begins[k + 1] is now where key k begins.
    for (std::size_t b = 0; b + 1 < begins.size(); ++b) begins[b] = begins[b + 1];
    begins[begins.size() - 1] = static_cast<std::uint32_t>(nodes);
  }

  unsigned distance_;
  Array<Entry> entries_;         // by hash, then index
  Array<std::uint32_t> begins_;  // node n is entries_[begins_[n], begins_[n + 1])
  std::vector<Table> tables_;
};

// Calls hit(difference, entries) for everything within the distance.
template <class Hit>
void HammingIndex::find_nodes(std::uint64_t query, Hit hit) const {
  for (const auto& set : sets_) set->prefetch(query);
  for (const auto& set : sets_) set->find(query, hit);
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const auto difference = static_cast<unsigned>(std::popcount(query ^ pending_[i]));
    if (difference > distance_) continue;
    const Entry entry{pending_[i], in_sets_ + i};
    hit(difference, std::span<const Entry>(&entry, 1));
  }
}

HammingIndex::HammingIndex(std::span<const std::uint64_t> stored, unsigned distance, unsigned threads,
                           MemoryBudget& budget)
    : budget_(budget), distance_(distance), threads_(threads), in_sets_(stored.size()) {
  check_blocks(0, distance);
  Array<Entry> entries(budget_, "the stored fingerprints", stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) entries[i] = {stored[i], i};
  build(std::move(entries));
}

HammingIndex::~HammingIndex() = default;

void HammingIndex::build(Array<Entry> entries) {
  sets_.push_back(std::make_unique<TableSet>(budget_, std::move(entries), distance_, threads_));
}

void HammingIndex::find(std::uint64_t query, std::vector<Match>& out) const {
  out.clear();
  find_nodes(query, [&](unsigned difference, std::span<const Entry> entries) {
    for (const Entry& entry : entries) out.push_back({entry.index, difference});
  });
  std::sort(out.begin(), out.end(), [](const Match& a, const Match& b) {
    return a.difference != b.difference ? a.difference < b.difference : a.index < b.index;
  });
}

HammingIndex::Best HammingIndex::best(std::uint64_t query) const {
  Best best;
  find_nodes(query, [&](unsigned difference, std::span<const Entry> entries) {
    const Match match{entries.front().index, difference};
    if (best.count == 0 || match.difference < best.match.difference ||
        (match.difference == best.match.difference && match.index < best.match.index))
      best.match = match;
    best.count += entries.size();
  });
  return best;
}

void HammingIndex::add(std::uint64_t fingerprint) {
  pending_.push_back(fingerprint);
  if (pending_.size() < kMaxPending) return;
  // Builds the new set before changing anything, so that nothing is lost if the memory does not suffice.
  Array<Entry> entries(budget_, "the stored fingerprints", pending_.size());
  for (std::size_t i = 0; i < pending_.size(); ++i) entries[i] = {pending_[i], in_sets_ + i};
  std::size_t kept = sets_.size();
  while (kept > 0 && sets_[kept - 1]->size() <= 2 * entries.size()) entries.append(sets_[--kept]->entries());
  build(std::move(entries));
  sets_.erase(sets_.begin() + static_cast<std::ptrdiff_t>(kept), sets_.end() - 1);
  in_sets_ += pending_.size();
  pending_.clear();
}

}  // namespace refrain::matching
