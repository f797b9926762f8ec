// SPEX MULTI-PASS and SPEX LOG-PASS: an n-gram can only repeat if all shorter n-grams in it repeat. So filters for
// longer and longer n-grams are built, each with the help of the one before.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

#include "engines/ngram/counting_filter.h"
#include "engines/ngram/literature/literature.h"

namespace refrain::ngram {

namespace {

constexpr unsigned kSpexSpareBits = 5;

// The filter H[k] for n-grams of k words. For k = 1 it uses the counts of the words in the vocabulary.
class Filter {
 public:
  Filter(const RepeatTask& task, unsigned words, std::uint64_t bytes) : task_(task), words_(words) {
    if (words > 1) counters_.emplace(bytes, task.m, task.budget);
  }
  unsigned words() const { return words_; }
  void add(std::uint64_t hash) { counters_->add({&hash, 1}, 0, ~std::uint64_t{0}); }
  bool passes(std::uint64_t hash, const std::uint32_t* words) const {
    return counters_ ? counters_->passes(hash) : task_.vocabulary.count(*words) >= task_.m;
  }

 private:
  const RepeatTask& task_;
  unsigned words_;
  std::optional<CountingFilter> counters_;
};

// One pass: fills H[k] from the filter before it, by counting those k-grams whose shorter n-grams all pass that
// filter.
void fill(const RepeatTask& task, const Filter& before, Filter& filter) {
  const unsigned threads = thread_count(task.context);
  std::vector<WindowHashes> short_hashes(threads, WindowHashes(before.words()));
  std::vector<WindowHashes> long_hashes(threads, WindowHashes(filter.words()));
  const std::size_t within = filter.words() - before.words() + 1;  // shorter n-grams in a k-gram
  task.sequence.pass(task.context, task.budget, "filter", filter.words(),
                     [&](unsigned worker, std::uint64_t, std::span<const std::uint32_t> words) {
                       const std::span<const std::uint64_t> shorts = short_hashes[worker](words);
                       const std::span<const std::uint64_t> longs = long_hashes[worker](words);
                       std::size_t passing = 0;  // shorter n-grams in a row that pass, up to this one
                       for (std::size_t i = 0; i < shorts.size(); ++i) {
                         passing = before.passes(shorts[i], &words[i]) ? passing + 1 : 0;
                         if (passing >= within) filter.add(longs[i + 1 - within]);
                       }
                     });
}

// `lengths` holds the values of k, from 1 to n.
RepeatCost build(const RepeatTask& task, const std::vector<unsigned>& lengths) {
  RepeatCost cost;
  // 2^b counters of two bits each; two filters together take half of the memory.
  const auto most = static_cast<unsigned>(std::bit_width(task.budget.available() / 4 * 4) - 1);
  const unsigned wanted = static_cast<unsigned>(std::bit_width(task.grams)) + kSpexSpareBits;
  const std::uint64_t bytes = std::max<std::uint64_t>((std::uint64_t{1} << std::min(wanted, most)) / 4, 64);
  auto filter = std::make_unique<Filter>(task, 1, bytes);
  for (const unsigned k : lengths) {
    if (k == 1) continue;
    auto next = std::make_unique<Filter>(task, k, bytes);
    ++cost.passes;
    fill(task, *filter, *next);
    filter = std::move(next);
  }
  keep_and_coalesce(task, cost, task.grams / 2,
                    [&](std::uint64_t hash, const std::uint32_t* words) { return filter->passes(hash, words); });
  return cost;
}

}  // namespace

RepeatCost spex(const RepeatTask& task) {
  std::vector<unsigned> lengths;
  for (unsigned k = 1; k <= task.n; ++k) lengths.push_back(k);
  return build(task, lengths);
}

RepeatCost spex_log(const RepeatTask& task) {
  std::vector<unsigned> lengths;
  for (unsigned k = 1, next = 2; k < task.n; k = std::exchange(next, k + next)) lengths.push_back(k);
  lengths.push_back(task.n);
  return build(task, lengths);
}

}  // namespace refrain::ngram
