// dedup for documents in memory.
#include <numeric>

#include "arrow/export.h"
#include "bindings.h"
#include "memory_verb.h"
#include "refrain/memory.h"
#include "refrain/report_json.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// Collects decisions into columns: one row per document, as in decisions.jsonl; and the cuts, a table of document,
// begin, end.
class DecisionColumns {
 public:
  explicit DecisionColumns(const std::vector<DedupDecision>& decisions) {
    for (const DedupDecision& decision : decisions) add(decision);
  }

  // `against` is the other set, if its items are in memory; then the column `item` has their ids.
  Column rows(const Documents& documents, const Documents* against) && {
    std::vector<std::int64_t> places(keep_.size());
    std::iota(places.begin(), places.end(), 0);
    Column spans =
        table({number_column(std::vector(begins_)).named("begin"), number_column(std::vector(ends_)).named("end")});
    std::vector<Column> columns = {documents.ids_at(places).named("id"),
                                   flag_column(keep_).named("keep"),
                                   std::move(reasons_).column(reasoned_).named("reason"),
                                   documents.ids_at(matches_).named("match"),
                                   number_column(std::move(similarities_), matched_).named("similarity"),
                                   number_column(std::move(lost_), near_).named("lost"),
                                   number_column(std::move(longest_), near_).named("longest_lost"),
                                   number_column(std::move(as_written_), differ_).named("as_written"),
                                   list_column(std::vector(offsets_), std::move(spans)).named("spans"),
                                   number_column(std::move(clusters_), clustered_).named("cluster")};
    if (against != nullptr) columns.push_back(against->ids_at(items_).named("item"));
    return table(std::move(columns));
  }
  Column cuts() const {
    std::vector<std::int64_t> documents, begins, ends;
    for (std::size_t i = 0; i < keep_.size(); ++i)
      for (auto j = static_cast<std::size_t>(offsets_[i]);
           keep_[i] != 0 && j < static_cast<std::size_t>(offsets_[i + 1]); ++j) {
        documents.push_back(static_cast<std::int64_t>(i));
        begins.push_back(begins_[j]);
        ends.push_back(ends_[j]);
      }
    return table({number_column(std::move(documents)).named("document"),
                  number_column(std::move(begins)).named("begin"), number_column(std::move(ends)).named("end")});
  }

 private:
  void add(const DedupDecision& decision) {
    const bool removed = decision.reason != Reason::none;
    const bool by_item = decision.reason == Reason::against;
    const std::int64_t match = decision.match ? static_cast<std::int64_t>(*decision.match) : -1;
    keep_.push_back(decision.keep ? 1 : 0);
    reasons_.add(removed ? reason_name(decision.reason) : decision.own_text ? "own_text" : "");
    reasoned_.push_back(removed || decision.own_text ? 1 : 0);
    matches_.push_back(by_item ? -1 : match);
    items_.push_back(by_item ? match : -1);
    matched_.push_back(decision.match ? 1 : 0);
    similarities_.push_back(decision.similarity);
    near_.push_back(decision.reason == Reason::near || decision.own_text ? 1 : 0);
    lost_.push_back(static_cast<std::int64_t>(decision.lost));
    longest_.push_back(static_cast<std::int64_t>(decision.longest_lost));
    differ_.push_back(decision.own_text && decision.as_written < 1 ? 1 : 0);
    as_written_.push_back(decision.as_written);
    clustered_.push_back(decision.cluster ? 1 : 0);
    clusters_.push_back(static_cast<std::int64_t>(decision.cluster.value_or(0)));
    for (const ByteRange& span : decision.spans) {
      begins_.push_back(static_cast<std::int64_t>(span.begin));
      ends_.push_back(static_cast<std::int64_t>(span.end));
    }
    offsets_.push_back(static_cast<std::int64_t>(begins_.size()));
  }

  std::vector<std::uint8_t> keep_, reasoned_, matched_, near_, differ_, clustered_;
  TextBuilder reasons_;
  std::vector<std::int64_t> matches_, items_, lost_, longest_, clusters_, begins_, ends_, offsets_ = {0};
  std::vector<double> similarities_, as_written_;
};

// Returns (decisions, cuts, report).
nb::tuple dedup_memory(const Documents& documents, nb::dict given) {
  const nb::object against = Arguments(given).take("against");
  const auto [options, result] = over_documents("dedup", dedup_options, dedup, documents, std::move(given));
  DecisionColumns columns(result.decisions);
  Column cuts = columns.cuts();
  const auto* items = nb::isinstance<Documents>(against) ? &nb::cast<const Documents&>(against) : nullptr;
  return nb::make_tuple(std::move(columns).rows(documents, items), std::move(cuts), to_json(options, result.report));
}

}  // namespace

void bind_dedup(nb::module_& module) {
  module.def("dedup_memory", dedup_memory, "documents"_a, "options"_a);
}

}  // namespace refrain::python
