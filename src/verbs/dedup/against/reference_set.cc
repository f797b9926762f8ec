#include "verbs/dedup/against/reference_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"

namespace refrain::verbs::dedup {

namespace {

constexpr const char* kSet = "the `against` set";

}  // namespace

// A batch of items that waits for its turn.
struct ReferenceSet::Batched {
  explicit Batched(MemoryBudget& budget) : text(budget, kSet) {}
  Array<char> text;
  std::vector<std::size_t> lengths;
  std::vector<std::uint8_t> bad;
  corpus::BatchIds ids;
  std::string file;
};

ReferenceSet::ReferenceSet(TokenizerKind tokenizer, MemoryBudget& budget)
    : hasher_(tokenizer),
      vocabulary_(budget, kSet),
      tokens_(budget, kSet),
      ends_(budget, kSet),
      bad_(budget, kSet),
      first_like_(budget, kSet),
      ids_(budget, kSet),
      id_ends_(budget, kSet),
      files_(budget, kSet) {}

ReferenceSet::ReferenceSet(const InputOptions& input, TokenizerKind tokenizer, const Context& context,
                           MemoryBudget& budget)
    : ReferenceSet(tokenizer, budget) {
  corpus::SourceOptions source = input;
  source.prefix = "against_";
  read_ = corpus::read_documents(source, context, budget,
                                 [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
                                   auto waiting = std::make_shared<Batched>(budget);
                                   for (std::size_t i = 0; i < batch.texts.size(); ++i) {
                                     waiting->text.append(batch.texts[i]);
                                     waiting->lengths.push_back(batch.texts[i].size());
                                   }
                                   waiting->bad = batch.bad;
                                   waiting->ids = std::move(batch.ids);
                                   waiting->file = batch.file;
                                   return [this, waiting](DocId /*first*/) { add(*waiting); };
                                 },
                                 {.stage = "reference", .keeps_texts = true});
  find_likes(budget);
}

ReferenceSet::ReferenceSet(const TextColumn& items, TokenizerKind tokenizer, MemoryBudget& budget)
    : ReferenceSet(tokenizer, budget) {
  file_names_.emplace_back();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool bad = !items.valid(i);
    add(bad ? std::string_view() : items[i], bad, {});
  }
  find_likes(budget);
}

void ReferenceSet::add(const Batched& batch) {
  if (batch.lengths.empty()) return;
  if (file_names_.empty() || file_names_.back() != batch.file) file_names_.push_back(batch.file);
  std::size_t at = 0;
  for (std::size_t i = 0; i < batch.lengths.size(); ++i) {
    add({batch.text.data() + at, batch.lengths[i]}, batch.bad[i] != 0,
        batch.ids.ordinals ? std::string_view() : batch.ids[i]);
    at += batch.lengths[i];
  }
}

void ReferenceSet::add(std::string_view text, bool bad, std::string_view id) {
  if (ends_.size() == std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::over_budget, fmt::format("{}: more than 4 billion items; split it", kSet));
  hasher_.read(text, [&](const text::TokenStretch& stretch) {
    tokens_.reserve_more(stretch.size());
    for (std::size_t token = 0; token < stretch.size(); ++token)
      tokens_.push_back(vocabulary_.add(stretch.normal(token), stretch.hashes()[token]) + 1);
  });
  ends_.push_back(tokens_.size());
  bad_.push_back(bad ? 1 : 0);
  ids_.append(id);
  id_ends_.push_back(ids_.size());
  files_.push_back(static_cast<std::uint32_t>(file_names_.size() - 1));
}

void ReferenceSet::find_likes(MemoryBudget& budget) {
  struct Sum {
    std::uint64_t sum;
    std::uint32_t item;
    bool operator<(const Sum& other) const { return sum != other.sum ? sum < other.sum : item < other.item; }
  };
  Array<Sum> sums(budget, kSet, size());
  for (std::uint32_t i = 0; i < size(); ++i) {
    const std::span<const std::uint32_t> tokens = item(i);
    sums[i] = {checksum({reinterpret_cast<const char*>(tokens.data()), tokens.size_bytes()}), i};
  }
  std::sort(sums.begin(), sums.end());
  first_like_.resize(size());
  std::size_t first = 0;  // the first with this checksum
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].sum != sums[first].sum) first = i;
    const std::uint32_t other = sums[first].item;
    first_like_[sums[i].item] = std::ranges::equal(item(other), item(sums[i].item)) ? other : sums[i].item;
  }
}

std::span<const std::uint32_t> ReferenceSet::item(std::uint32_t i) const {
  const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
  return {tokens_.data() + begin, ends_[i] - begin};
}

std::string ReferenceSet::id(std::uint32_t i) const {
  const std::uint64_t begin = i == 0 ? 0 : id_ends_[i - 1];
  const std::string_view given(ids_.data() + begin, id_ends_[i] - begin);
  const std::string& file = file_names_[files_[i]];
  if (given.empty()) return std::to_string(i);
  // The id of a whole file, which is not in a file of records, is its path.
  return file_names_.size() == 1 || file.empty() ? std::string(given) : fmt::format("{}:{}", file, given);
}

}  // namespace refrain::verbs::dedup
