// The kernels of dedup (refrain/matches.h): sketches, the pairs that meet, and the comparison of pairs as in the
// verb.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "arrow/export.h"
#include "arrow/import.h"
#include "bindings.h"
#include "call.h"
#include "options.h"
#include "refrain/error.h"
#include "refrain/matches.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// Reads 64-bit numbers in native byte order.
std::vector<std::uint64_t> numbers_in(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(std::uint64_t) != 0)
    throw Error(Errc::invalid_argument, "templates: windows are numbers of 8 bytes");
  std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::vector<std::uint32_t> template_numbers(const nb::object& object) {
  std::vector<std::uint32_t> numbers;
  if (object.is_none()) return numbers;
  for (const std::uint64_t number : import_numbers(object, "templates"))
    numbers.push_back(static_cast<std::uint32_t>(number));
  return numbers;
}

DocumentMatcher make_matcher(const std::vector<nb::bytes>& templates, const nb::kwargs& options) {
  std::vector<std::vector<std::uint64_t>> windows;
  for (const nb::bytes& one : templates) windows.push_back(numbers_in(one));
  Arguments arguments(options);
  const DocumentMatchOptions match = read_options<DocumentMatchOptions>(arguments, {}, kSpark);
  arguments.finish("DocumentMatcher");
  return DocumentMatcher(match, windows);
}

Column sketch_table(const DocumentMatcher& matcher, const nb::object& texts, const nb::object& templates,
                    unsigned threads, const nb::object& memory) {
  const Texts given = import_one_text(texts);
  const std::vector<std::uint32_t> numbers = template_numbers(templates);
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    DocumentMatcher::Sketches made = matcher.sketches(given.column, numbers, context);
    const std::size_t rows = made.judged.size();
    Column lanes{.format = "w:" + std::to_string(matcher.lanes()), .length = static_cast<std::int64_t>(rows)};
    lanes.buffers = {nullptr, keep(lanes, std::move(made.lanes))};
    return table({flag_column(made.judged).named("judged"), std::move(lanes).named("lanes"),
                  fixed_list_column(std::move(made.keys), rows, matcher.bands().bands).named("keys")});
  });
}

Column may_match_column(const DocumentMatcher& matcher, const nb::object& left, const nb::object& right) {
  const Texts a = import_one_text(left, "lanes");
  const Texts b = import_one_text(right, "lanes");
  if (a.column.size() != b.column.size())
    throw Error(Errc::invalid_argument, "may_match: the columns have different lengths");
  std::vector<std::uint8_t> may(a.column.size());
  for (std::size_t i = 0; i < may.size(); ++i) {
    if (a.column[i].size() != matcher.lanes() || b.column[i].size() != matcher.lanes())
      throw Error(Errc::invalid_argument, "may_match: a row has another number of lanes");
    const auto row = [&](const Texts& side) { return reinterpret_cast<const std::uint8_t*>(side.column[i].data()); };
    may[i] = matcher.may_match(row(a), row(b)) ? 1 : 0;
  }
  return flag_column(may);
}

// Makes pairs of two columns of numbers.
std::vector<IndexPair> import_pairs(const nb::object& first, const char* first_name, const nb::object& second,
                                    const char* second_name) {
  const std::vector<std::uint64_t> one = import_numbers(first, first_name);
  const std::vector<std::uint64_t> other = import_numbers(second, second_name);
  if (one.size() != other.size())
    throw Error(Errc::invalid_argument,
                std::string(first_name) + ", " + second_name + ": the columns have different lengths");
  std::vector<IndexPair> pairs(one.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {one[i], other[i]};
  return pairs;
}

Column match_table(const DocumentMatcher& matcher, const nb::object& texts, const nb::object& later,
                   const nb::object& earlier, const nb::object& templates, unsigned threads, const nb::object& memory) {
  const Texts given = import_one_text(texts);
  const std::vector<std::uint32_t> numbers = template_numbers(templates);
  const std::vector<IndexPair> pairs = import_pairs(later, "later", earlier, "earlier");
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    const std::vector<TextMatch> found = matcher.compare(given.column, numbers, pairs, context);
    std::vector<double> similarity, written;
    std::vector<std::int64_t> lost, longest, covered;
    for (const TextMatch& match : found) {
      similarity.push_back(match.similarity);
      lost.push_back(match.lost);
      longest.push_back(match.longest_lost);
      written.push_back(match.as_written);
      covered.push_back(match.covered ? 1 : 0);
    }
    return table({number_column(std::move(similarity)).named("similarity"),
                  number_column(std::move(lost)).named("lost"), number_column(std::move(longest)).named("longest_lost"),
                  number_column(std::move(written)).named("as_written"),
                  number_column(std::move(covered)).named("covered")});
  });
}

Column template_column(const DocumentMatcher& matcher, const nb::object& sample, const nb::object& memory) {
  const Texts given = import_one_text(sample);
  return call({.threads = 1, .memory = memory},
              [&](const Context& context) { return number_column(matcher.find_template(given.column, context)); });
}

nb::tuple add_entries(MeetingPlan& plan, const nb::object& group, const nb::object& rank) {
  std::vector<BandEntry> entries;
  for (const auto& [one, other] : import_pairs(group, "group", rank, "rank")) entries.push_back({one, other});
  std::vector<IndexPair> pairs;
  std::vector<BandEntry> crowd;
  plan.add(entries, pairs, crowd);
  std::vector<std::int64_t> later, earlier, crowds, members;
  for (const IndexPair& pair : pairs) {
    later.push_back(static_cast<std::int64_t>(pair.first));
    earlier.push_back(static_cast<std::int64_t>(pair.second));
  }
  for (const BandEntry& entry : crowd) {
    crowds.push_back(static_cast<std::int64_t>(entry.group));
    members.push_back(static_cast<std::int64_t>(entry.rank));
  }
  return nb::make_tuple(
      table({number_column(std::move(later)).named("later"), number_column(std::move(earlier)).named("earlier")}),
      table({number_column(std::move(crowds)).named("group"), number_column(std::move(members)).named("rank")}));
}

Column crowd_column(const nb::object& group, const nb::object& other) {
  std::vector<std::int64_t> crowds;
  for (const auto& [one, key] : import_pairs(group, "group", other, "other"))
    crowds.push_back(static_cast<std::int64_t>(MeetingPlan::crowd_group(one, static_cast<std::uint32_t>(key))));
  return number_column(std::move(crowds));
}

Column deciding_column(KeptSet& kept, const nb::object& later, const nb::object& earlier,
                       const nb::object& longest_lost, const nb::object& covered) {
  const std::vector<IndexPair> pairs = import_pairs(later, "later", earlier, "earlier");
  const std::vector<IndexPair> losses = import_pairs(longest_lost, "longest_lost", covered, "covered");
  if (pairs.size() != losses.size())
    throw Error(Errc::invalid_argument, "later, longest_lost: the columns have different lengths");
  std::vector<KeptSet::Match> matches;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    matches.push_back({.later = pairs[i].first,
                       .earlier = pairs[i].second,
                       .longest_lost = static_cast<std::uint32_t>(losses[i].first),
                       .covered = losses[i].second != 0});
  std::vector<std::uint64_t> deciding;
  kept.add(matches, deciding);
  return number_column(std::move(deciding));
}

Column site_column(const nb::object& ids) {
  const Texts given = import_one_text(ids, "id");
  std::vector<std::uint64_t> sites(given.column.size());
  for (std::size_t i = 0; i < sites.size(); ++i)
    sites[i] = given.column.valid(i) ? site_of_address(given.column[i]) : 0;
  return number_column(std::move(sites));
}

}  // namespace

void bind_dedup_kernels(nb::module_& module) {
  nb::class_<DocumentMatcher>(module, "DocumentMatcher", "What dedup keeps of documents, and how it compares them.")
      .def(nb::new_(&make_matcher), nb::kw_only(), "templates"_a = std::vector<nb::bytes>(), "options"_a)
      .def_prop_ro("bands", [](const DocumentMatcher& matcher) { return matcher.bands().bands; })
      .def("sketches", sketch_table, "texts"_a, "templates"_a = nb::none(), nb::kw_only(), "threads"_a = 0,
           "memory"_a = nb::none(), "A table of judged, lanes (a byte each), keys (a band each).")
      .def("may_match", may_match_column, "left"_a, "right"_a,
           "Row by row, whether documents with these lanes may be similar.")
      .def(
          "compare", match_table, "texts"_a, "later"_a, "earlier"_a, "templates"_a = nb::none(), nb::kw_only(),
          "threads"_a = 0, "memory"_a = nb::none(),
          "Pairs of rows: a table of similarity (0 below the threshold), lost, longest_lost, as_written, covered (0 or "
          "1).")
      .def("find_template", template_column, "sample"_a, nb::kw_only(), "memory"_a = nb::none(),
           "The windows that many of otherwise different texts share: uint64.");
  nb::class_<MeetingPlan>(module, "MeetingPlan", "Walks the groups of a round.")
      .def(nb::init<unsigned>(), "round"_a)
      .def("add", add_entries, "group"_a, "rank"_a, "Tables of (later, earlier) and of the crowd's (group, rank).")
      .def_static("other_band", &MeetingPlan::other_band, "band"_a, "bands"_a, "round"_a);
  nb::class_<KeptSet>(module, "KeptSet", "Who is kept.")
      .def(nb::init<>())
      .def("add", deciding_column, "later"_a, "earlier"_a, "longest_lost"_a, "covered"_a,
           "The places of the pairs that decide: uint64.");
  module.def("crowd_groups", crowd_column, "group"_a, "other"_a,
             "Where documents of a crowd meet once more, by their keys in another band: int64.");
  module.def("sites_of_addresses", site_column, "ids"_a,
             "The number of the host that each web address names: uint64, 0 where it is none.");
  nb::dict sample;
  sample["least_documents"] = TemplateSample::kLeastDocuments;
  sample["most_documents"] = TemplateSample::kMostDocuments;
  sample["document_bytes"] = TemplateSample::kDocumentBytes;
  sample["source_bytes"] = TemplateSample::kSourceBytes;
  sample["all_bytes"] = TemplateSample::kAllBytes;
  sample["share_of_text"] = TemplateSample::kShareOfText;
  sample["most_sources"] = TemplateSample::kMostSources;
  sample["most_windows"] = TemplateSample::kMostWindows;
  module.attr("template_sample") = sample;
}

}  // namespace refrain::python
