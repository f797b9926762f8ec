// The public ItemSearcher: a reference set with its own budget.
#include "refrain/item_search.h"

#include <fmt/format.h>

#include "base/list_gather.h"
#include "refrain/error.h"
#include "verbs/dedup/against/reference_search.h"

namespace refrain {

namespace {

verbs::dedup::ReferenceRules checked(const ItemRules& rules) {
  if (rules.min_tokens == 0) throw Error(Errc::invalid_argument, "min_tokens: must be at least 1");
  if (!(rules.share >= verbs::dedup::kLeastShare && rules.share <= 1))
    throw Error(Errc::invalid_argument, fmt::format("share: must be from {} to 1", verbs::dedup::kLeastShare));
  if (rules.passage < 8 || rules.passage > verbs::dedup::kMostWhole)
    throw Error(Errc::invalid_argument, fmt::format("passage: must be from 8 to {}", verbs::dedup::kMostWhole));
  return {rules.min_tokens, rules.share, rules.passage};
}

}  // namespace

struct ItemSearcher::Impl {
  Impl(const TextColumn& items, const ItemRules& rules, const Context& context)
      : checked_rules(checked(rules)),
        tokenizer(rules.tokenizer),
        budget(context),
        set(items, tokenizer, budget),
        windows(set, checked_rules, budget) {}

  verbs::dedup::ReferenceRules checked_rules;
  TokenizerKind tokenizer;
  MemoryBudget budget;
  verbs::dedup::ReferenceSet set;
  verbs::dedup::ReferenceWindows windows;
};

ItemSearcher::ItemSearcher(const TextColumn& items, const ItemRules& rules, const Context& context)
    : impl_(std::make_shared<const Impl>(items, rules, context)) {}
ItemSearcher::ItemSearcher(std::span<const std::string> items, const ItemRules& rules, const Context& context) {
  MemoryBudget budget(context);
  Array<char> bytes(budget, "the items");
  Array<std::int64_t> offsets(budget, "the items");
  offsets.push_back(0);
  for (const std::string& item : items) {
    bytes.append(item);
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  impl_ = std::make_shared<const Impl>(TextColumn(bytes.data(), offsets.data(), items.size()), rules, context);
}
ItemSearcher::~ItemSearcher() = default;
ItemSearcher::ItemSearcher(const ItemSearcher&) = default;
ItemSearcher& ItemSearcher::operator=(const ItemSearcher&) = default;

ListColumn<FoundItem> ItemSearcher::find(const TextColumn& texts, const Context& context) const {
  MemoryBudget budget(context);
  ListCollector<FoundItem> found(budget, context, texts.size(), "the items that were found");
  PerWorker<verbs::dedup::ReferenceSearch> searches(context);
  for_each_piece(context, texts.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    verbs::dedup::ReferenceSearch& search = searches.get(worker, impl_->windows, impl_->tokenizer, budget);
    Array<FoundItem>& list = found.open(worker, begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (texts.valid(i))
        search.search(texts[i], [&](const verbs::dedup::ReferenceFound& item) {
          list.push_back({item.item, item.share, item.where});
        });
      found.close(worker, i);
    }
  });
  return found.take();
}

std::size_t ItemSearcher::size() const {
  return impl_->set.size();
}

std::size_t ItemSearcher::first_like(std::size_t i) const {
  return impl_->set.first_like(static_cast<std::uint32_t>(i));
}

bool ItemSearcher::skipped(std::size_t i) const {
  const auto item = static_cast<std::uint32_t>(i);
  return impl_->set.bad(item) || impl_->set.item(item).size() < impl_->windows.rules().min_tokens;
}

std::uint64_t ItemSearcher::common() const {
  return impl_->windows.common_items();
}

}  // namespace refrain
