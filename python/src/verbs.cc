// The verbs over documents in memory. They return tables, and the report as JSON.
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

using Places = std::vector<std::int64_t>;

Places all_places(std::size_t count) {
  Places places(count);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

Column fingerprint_ids(const Documents& documents, std::size_t count) {
  return documents.ids_at(all_places(count)).named("id");
}

// Returns (table, report).
nb::tuple fingerprint_memory(const Documents& documents, nb::dict given) {
  Arguments arguments(std::move(given));
  const InputOptions limits = input_options(arguments, nb::cast(documents, nb::rv_policy::reference));
  const FingerprintOptions options = read_options<FingerprintOptions>(arguments);
  const CallSettings settings = call_settings(arguments);
  arguments.finish("fingerprint");
  const FingerprintResult result =
      call(settings, [&](const Context& context) { return fingerprint(*limits.documents, options, context); });
  Column found = table({fingerprint_ids(documents, result.valid.size()),
                        number_column(result.fingerprints, result.valid).named("simhash")});
  return nb::make_tuple(std::move(found), to_json(result.report));
}

Column match_table(const Documents& documents, const std::vector<NearMatch>& matches, bool verified) {
  Places firsts(matches.size()), seconds(matches.size());
  std::vector<std::uint32_t> differences(matches.size());
  std::vector<double> similar(matches.size());
  for (std::size_t i = 0; i < matches.size(); ++i) {
    firsts[i] = static_cast<std::int64_t>(matches[i].first);
    seconds[i] = static_cast<std::int64_t>(matches[i].second);
    differences[i] = matches[i].difference;
    similar[i] = matches[i].similarity;
  }
  std::vector<Column> columns = {documents.ids_at(firsts).named("id1"), documents.ids_at(seconds).named("id2"),
                                 number_column(std::move(differences)).named("diff")};
  if (verified) columns.push_back(number_column(std::move(similar)).named("similarity"));
  return table(std::move(columns));
}

// Returns (matches, documents, report).
nb::tuple near_memory(const Documents& documents, nb::dict given) {
  const auto [options, result] = over_documents("near", near_options, near, documents, std::move(given));
  Column clusters = table({fingerprint_ids(documents, result.valid.size()),
                           number_column(result.fingerprints, result.valid).named("simhash"),
                           number_column(result.clusters).named("cluster")});
  return nb::make_tuple(match_table(documents, result.matches, options.verify), std::move(clusters),
                        to_json(options, result.report));
}

Column range_table(const Documents& documents, const std::vector<SubstringRange>& ranges, const char* name) {
  Places places(ranges.size()), begins(ranges.size()), ends(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    places[i] = static_cast<std::int64_t>(ranges[i].document);
    begins[i] = static_cast<std::int64_t>(ranges[i].bytes.begin);
    ends[i] = static_cast<std::int64_t>(ranges[i].bytes.end);
  }
  const bool ids = std::string_view(name) == "id";
  Column first = ids ? documents.ids_at(places) : number_column(std::move(places));
  return table({std::move(first).named(name), number_column(std::move(begins)).named(ids ? "x" : "begin"),
                number_column(std::move(ends)).named(ids ? "y" : "end")});
}

// Returns (ranges, ranges to cut, report).
nb::tuple substrings_memory(const Documents& documents, nb::dict given) {
  const auto [options, result] =
      over_documents("substrings", reading_options<SubstringsOptions>, substrings, documents, std::move(given));
  return nb::make_tuple(range_table(documents, result.repeated, "id"),
                        range_table(documents, result.removable, "document"), to_json(options, result.report));
}

// Returns (table, report).
nb::tuple ngrams_memory(const Documents& documents, nb::dict given) {
  const auto [options, result] =
      over_documents("ngrams", reading_options<NgramsOptions>, ngrams, documents, std::move(given));
  TextBuilder texts;
  std::vector<std::int64_t> counts, holders, places, tokens, offsets = {0};
  for (const Ngram& ngram : result.ngrams) {
    texts.add(ngram.text);
    counts.push_back(static_cast<std::int64_t>(ngram.count));
    holders.push_back(static_cast<std::int64_t>(ngram.documents));
    for (const NgramOccurrence& place : ngram.places) {
      places.push_back(static_cast<std::int64_t>(place.document));
      tokens.push_back(static_cast<std::int64_t>(place.token));
    }
    offsets.push_back(static_cast<std::int64_t>(places.size()));
  }
  Column where = table({documents.ids_at(places).named("id"), number_column(std::move(tokens)).named("token")});
  Column found = table({std::move(texts).column().named("ngram"), number_column(std::move(counts)).named("count"),
                        number_column(std::move(holders)).named("documents"),
                        list_column(std::move(offsets), std::move(where)).named("places")});
  return nb::make_tuple(std::move(found), to_json(options, result.report));
}

}  // namespace

void bind_verbs(nb::module_& module) {
  module.def("fingerprint_memory", fingerprint_memory, "documents"_a, "options"_a);
  module.def("near_memory", near_memory, "documents"_a, "options"_a);
  module.def("substrings_memory", substrings_memory, "documents"_a, "options"_a);
  module.def("ngrams_memory", ngrams_memory, "documents"_a, "options"_a);
}

}  // namespace refrain::python
