// Contamination: finds the items of a set that texts contain.
#include "refrain/item_search.h"

#include <nanobind/stl/string.h>

#include "arrow/export.h"
#include "arrow/import.h"
#include "bindings.h"
#include "call.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

ItemSearcher make_searcher(const nb::object& items, std::uint64_t min_tokens, double share, std::uint64_t passage,
                           const std::string& tokenizer, unsigned threads, const nb::object& memory) {
  const Texts given = import_one_text(items);
  const ItemRules rules{
      .min_tokens = min_tokens, .share = share, .passage = passage, .tokenizer = tokenizer_named(tokenizer)};
  return call({.threads = threads, .memory = memory},
              [&](const Context& context) { return ItemSearcher(given.column, rules, context); });
}

Column found_table(const ItemSearcher& self, const nb::object& texts, unsigned threads, const nb::object& memory) {
  const std::vector<Texts> chunks = import_texts(texts);
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    std::vector<std::int64_t> rows, items, begins, ends;
    std::vector<double> shares;
    std::size_t row = 0;
    for (const Texts& chunk : chunks) {
      const ListColumn<FoundItem> found = self.find(chunk.column, context);
      for (std::size_t i = 0; i < found.size(); ++i)
        for (const FoundItem& item : found[i]) {
          rows.push_back(static_cast<std::int64_t>(row + i));
          items.push_back(static_cast<std::int64_t>(item.item));
          shares.push_back(item.share);
          begins.push_back(static_cast<std::int64_t>(item.where.begin));
          ends.push_back(static_cast<std::int64_t>(item.where.end));
        }
      row += chunk.column.size();
    }
    return table({number_column(std::move(rows)).named("row"), number_column(std::move(items)).named("item"),
                  number_column(std::move(shares)).named("share"), number_column(std::move(begins)).named("begin"),
                  number_column(std::move(ends)).named("end")});
  });
}

std::size_t checked(const ItemSearcher& self, std::size_t i) {
  if (i >= self.size()) throw nb::index_error("there is no such item");
  return i;
}

}  // namespace

void bind_item_search(nb::module_& module) {
  nb::class_<ItemSearcher>(module, "ItemSearcher",
                           "Finds which items of a set, such as a benchmark, a text contains, whole or in part.")
      .def(
          "__init__",
          [](ItemSearcher* self, const nb::object& items, std::uint64_t min_tokens, double share, std::uint64_t passage,
             const std::string& tokenizer, unsigned threads, const nb::object& memory) {
            new (self) ItemSearcher(make_searcher(items, min_tokens, share, passage, tokenizer, threads, memory));
          },
          "items"_a, nb::kw_only(), "min_tokens"_a = 8, "share"_a = 0.8, "passage"_a = 50, "tokenizer"_a = "words-nfkc",
          "threads"_a = 0, "memory"_a = nb::none())
      .def("find", found_table, "texts"_a, nb::kw_only(), "threads"_a = 0, "memory"_a = nb::none(),
           "A table of row and item (int64, places), share (float64), begin and end (int64, bytes of the text).")
      .def("__len__", &ItemSearcher::size)
      .def(
          "first_like", [](const ItemSearcher& self, std::size_t i) { return self.first_like(checked(self, i)); },
          "item"_a, "The first item with the same tokens.")
      .def(
          "skipped", [](const ItemSearcher& self, std::size_t i) { return self.skipped(checked(self, i)); }, "item"_a,
          "Whether the item is null or too short to be searched for.")
      .def_prop_ro("common", &ItemSearcher::common, "How many items may be missed where they were edited.");
}

}  // namespace refrain::python
