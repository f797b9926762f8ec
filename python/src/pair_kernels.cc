// Kernels over pairs of rows.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "arrow/export.h"
#include "arrow/import.h"
#include "bindings.h"
#include "call.h"
#include "refrain/error.h"
#include "refrain/pairs.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

std::vector<IndexPair> import_pairs(nb::handle first, nb::handle second) {
  const std::vector<std::uint64_t> a = import_numbers(first, "first");
  const std::vector<std::uint64_t> b = import_numbers(second, "second");
  if (a.size() != b.size()) throw Error(Errc::invalid_argument, "first, second: the columns have different lengths");
  std::vector<IndexPair> pairs(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) pairs[i] = {a[i], b[i]};
  return pairs;
}

std::vector<IndexPair> row_by_row(std::size_t left, std::size_t right) {
  if (left != right) throw Error(Errc::invalid_argument, "left, right: the columns have different lengths");
  std::vector<IndexPair> pairs(left);
  for (std::size_t i = 0; i < left; ++i) pairs[i] = {i, i};
  return pairs;
}

Column similarity_column(const nb::object& left, const nb::object& right, const nb::object& first,
                         const nb::object& second, double threshold, const std::string& tokenizer,
                         const std::string& hash, unsigned window, std::uint64_t seed, unsigned threads,
                         const nb::object& memory) {
  if (first.is_none() != second.is_none()) throw Error(Errc::invalid_argument, "first, second: give both or neither");
  const Texts lefts = import_one_text(left), rights = import_one_text(right);
  const std::vector<IndexPair> pairs =
      first.is_none() ? row_by_row(lefts.column.size(), rights.column.size()) : import_pairs(first, second);
  const SimilarityOptions options{
      .windows = {.tokenizer = tokenizer_named(tokenizer), .hash = hash_named(hash), .window = window, .seed = seed},
      .threshold = threshold};
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    std::vector<double> found = similarities(lefts.column, rights.column, pairs, options, context);
    std::vector<std::uint8_t> valid(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) valid[i] = std::isnan(found[i]) ? 0 : 1;
    return number_column(std::move(found), valid);
  });
}

Column hamming_table(const nb::object& fingerprints, unsigned distance, bool all_pairs, unsigned threads,
                     const nb::object& memory, const nb::object& progress) {
  std::vector<std::uint8_t> valid;
  const std::vector<std::uint64_t> given = import_numbers(fingerprints, "fingerprints", &valid);
  const HammingOptions options{.distance = distance, .all_pairs = all_pairs, .valid = valid};
  return call({.threads = threads, .memory = memory, .progress = progress}, [&](const Context& context) {
    const std::vector<HammingPair> found = hamming_pairs(given, options, context);
    std::vector<std::int64_t> firsts(found.size()), seconds(found.size());
    std::vector<std::uint32_t> differences(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      firsts[i] = static_cast<std::int64_t>(found[i].first);
      seconds[i] = static_cast<std::int64_t>(found[i].second);
      differences[i] = found[i].difference;
    }
    return table({number_column(std::move(firsts)).named("first"), number_column(std::move(seconds)).named("second"),
                  number_column(std::move(differences)).named("difference")});
  });
}

Column component_column(std::uint64_t nodes, const nb::object& first, const nb::object& second,
                        const nb::object& memory) {
  const std::vector<IndexPair> edges = import_pairs(first, second);
  return call({.memory = memory}, [&](const Context& context) {
    const std::vector<std::uint64_t> found = components(nodes, edges, context);
    return number_column(std::vector<std::int64_t>(found.begin(), found.end()));
  });
}

}  // namespace

void bind_pair_kernels(nb::module_& module) {
  module.def(
      "similarities", similarity_column, "left"_a, "right"_a, nb::kw_only(), "first"_a = nb::none(),
      "second"_a = nb::none(), "threshold"_a = 0.0, "tokenizer"_a = "words-nfkc", "hash"_a = "xxh3", "window"_a = 5,
      "seed"_a = 0, "threads"_a = 0, "memory"_a = nb::none(),
      "The Jaccard similarity of left[first[i]] and right[second[i]], or of left[i] and right[i] where no places\n"
      "are given: float64, null where one of the two is null or too short. Below the threshold it is 0.");
  module.def(
      "hamming_pairs", hamming_table, "fingerprints"_a, nb::kw_only(), "distance"_a = 3, "all_pairs"_a = false,
      "threads"_a = 0, "memory"_a = nb::none(), "progress"_a = nb::none(),
      "Every pair of fingerprints within the distance: a table of first and second (int64, places), difference.");
  module.def("components", component_column, "nodes"_a, "first"_a, "second"_a, nb::kw_only(), "memory"_a = nb::none(),
             "The least node of each node's component: int64.");
}

}  // namespace refrain::python
