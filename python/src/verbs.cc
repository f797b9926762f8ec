// The verbs, over documents in memory and over files.
#include "refrain/explain.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <utility>

#include "arrow/export.h"
#include "bindings.h"
#include "documents.h"
#include "options.h"
#include "refrain/documents.h"
#include "refrain/input.h"
#include "refrain/memory.h"
#include "refrain/report_json.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

// Runs `verb` over the documents, with the options that `read` parses from `given`. Returns the options and the
// result.
template <class Options, class Result>
std::pair<Options, Result> over_documents(const char* name, Options (*read)(Arguments&, nanobind::handle),
                                          Result (*verb)(DocumentStream&, const Options&, const Context&),
                                          const Documents& documents, nanobind::dict given) {
  Arguments arguments(std::move(given));
  Options options = read(arguments, nanobind::cast(documents, nanobind::rv_policy::reference));
  const CallSettings settings = call_settings(arguments);
  arguments.finish(name);
  const std::shared_ptr<DocumentStream> stream = std::exchange(options.input.documents, nullptr);
  Result result = call(settings, [&](const Context& context) { return verb(*stream, options, context); });
  return {std::move(options), std::move(result)};
}

// The verbs over documents in memory. They return tables, and the report as JSON.

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
  if (limits.join_hyphens) throw nb::type_error("fingerprint() has no argument 'join_hyphens' for texts in memory");
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

// dedup for documents in memory.

namespace {

// Collects decisions into columns: one row per document, as in decisions.jsonl; and the cuts, a table of document,
// begin, end.
class DecisionColumns {
 public:
  // `keep_missing`: whether rows without a document are kept, for which there is no reason to remove them.
  DecisionColumns(const std::vector<DedupDecision>& decisions, bool keep_missing) {
    for (const DedupDecision& decision : decisions) add(decision, keep_missing);
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
                                   std::move(details_).column(detailed_).named("differs_in"),
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
  void add(const DedupDecision& decision, bool keep_missing) {
    const bool removed = decision.reason != Reason::none;
    const bool by_item = decision.reason == Reason::against;
    const std::int64_t match = decision.match ? static_cast<std::int64_t>(*decision.match) : -1;
    keep_.push_back(decision.keep || (keep_missing && !removed) ? 1 : 0);
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
    details_.add(decision.differs_in);
    detailed_.push_back(decision.differs_in.empty() ? 0 : 1);
    clustered_.push_back(decision.cluster ? 1 : 0);
    clusters_.push_back(static_cast<std::int64_t>(decision.cluster.value_or(0)));
    for (const ByteRange& span : decision.spans) {
      begins_.push_back(static_cast<std::int64_t>(span.begin));
      ends_.push_back(static_cast<std::int64_t>(span.end));
    }
    offsets_.push_back(static_cast<std::int64_t>(begins_.size()));
  }

  std::vector<std::uint8_t> keep_, reasoned_, matched_, near_, differ_, detailed_, clustered_;
  TextBuilder reasons_, details_;
  std::vector<std::int64_t> matches_, items_, lost_, longest_, clusters_, begins_, ends_, offsets_ = {0};
  std::vector<double> similarities_, as_written_;
};

// Warns of documents that share an id. The warning points to the line that called dedup().
void warn_of_shared_ids(const DedupReport& report) {
  if (report.shared_ids == 0) return;
  const std::string message = fmt::format(
      "{} an earlier id, e.g. '{}'; decisions with the same id cannot be told apart; they are in the order of the "
      "input",
      report.shared_ids == 1 ? "one document repeats" : fmt::format("{} documents repeat", report.shared_ids),
      report.shared_id);
  const nb::object category = nb::module_::import_("pyrefrain.errors").attr("DuplicateIds");
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()),
                                                         "replace"));  // ids may be any bytes
  if (PyErr_WarnFormat(category.ptr(), 2, "%U", text.ptr()) != 0) throw nb::python_error();
}

// Returns (decisions, cuts, report).
nb::tuple dedup_memory(const Documents& documents, nb::dict given, bool keep_missing) {
  const nb::object against = Arguments(given).take("against");
  const auto [options, result] = over_documents("dedup", dedup_options, dedup, documents, std::move(given));
  warn_of_shared_ids(result.report);
  DecisionColumns columns(result.decisions, keep_missing);
  Column cuts = columns.cuts();
  const auto* items = nb::isinstance<Documents>(against) ? &nb::cast<const Documents&>(against) : nullptr;
  return nb::make_tuple(std::move(columns).rows(documents, items), std::move(cuts), to_json(options, result.report));
}

// Returns a report of nothing, whose `options` are those that are given.
std::string dedup_settings(nb::dict given) {
  Arguments arguments(std::move(given));
  const DedupOptions options = dedup_options(arguments, nb::list());
  call_settings(arguments);
  arguments.finish("dedup");
  return to_json(options, DedupReport{});
}

}  // namespace

void bind_dedup(nb::module_& module) {
  module.def("dedup_settings", dedup_settings, "options"_a);
  module.def("dedup_memory", dedup_memory, "documents"_a, "options"_a, "keep_missing"_a = true);
}

// The verbs over files. They return the report as JSON; the results are in the output folder.

namespace {

// Defines `VERB_files`, which runs a verb over paths and returns the report.
template <class Options, class Report>
void define(nb::module_& module, const std::string& verb, Options (*read)(Arguments&, nb::handle),
            Report (*run)(const Options&, const Context&)) {
  const auto over_files = [=](nb::handle paths, nb::dict given) {
    Arguments arguments(std::move(given));
    Options options = read(arguments, paths);
    const CallSettings settings = call_settings(arguments);
    arguments.finish(verb.c_str());
    const Report report = call(settings, [&](const Context& context) {
      options.input.listing = list_input(options.input, context);
      find_ids(options.input, context);
      return run(options, context);
    });
    if constexpr (std::is_same_v<Report, DedupReport>) warn_of_shared_ids(report);
    return to_json(options, report);
  };
  module.def((verb + "_files").c_str(), over_files, "paths"_a, "options"_a);
}

using Paths = std::vector<std::string>;

// Returns the rows that fingerprint() prints.
std::string fingerprint_files(const Paths& paths, nb::dict given) {
  Arguments arguments(std::move(given));
  InputOptions input = input_options(arguments, nb::cast(paths));
  const FingerprintOptions options = read_options<FingerprintOptions>(arguments);
  const CallSettings settings = call_settings(arguments);
  arguments.finish("fingerprint");
  return call(settings, [&](const Context& context) {
    find_ids(input, context);
    std::string rows;
    fingerprint(input, options, context, [&](std::string_view part) { rows += part; });
    return rows;
  });
}

}  // namespace

void bind_file_verbs(nb::module_& module) {
  define(module, "near", near_options, near);
  define(module, "dedup", dedup_options, dedup);
  define(module, "substrings", reading_options<SubstringsOptions>, substrings);
  define(module, "ngrams", reading_options<NgramsOptions>, build_ngrams);
  module.def(
      "ngrams_rows",
      [](const std::filesystem::path& index, const nb::object& memory) {
        return call({.memory = memory}, [&](const Context& context) {
          std::string rows;
          show_ngrams({.index = index, .sort = NgramSort::ngram}, context,
                      [&](std::string_view part) { rows += part; });
          return rows;
        });
      },
      "index"_a, "memory"_a = nb::none());
  module.def("fingerprint_files", fingerprint_files, "paths"_a, "options"_a);
}

// Why two texts match, and what a run decided about a document, as JSON.

namespace {

// `input` contains the documents `a` and `b`.
std::string explain_pair(const std::string& a, const std::string& b, nb::handle input, nb::dict given) {
  Arguments arguments(std::move(given));
  auto options = reading_options<ExplainOptions>(arguments, input);
  options.a = a;
  options.b = b;
  const CallSettings settings = call_settings(arguments);
  arguments.finish("explain");
  return call(settings, [&](const Context& context) {
    find_ids(options.input, context);
    return to_json(options, explain(options, context));
  });
}

std::string explain_run(const std::filesystem::path& run, const std::string& id, const nb::object& memory) {
  return call({.memory = memory},
              [&](const Context& context) { return to_json(tell_story({.run = run, .id = id}, context)); });
}

}  // namespace

void bind_explain(nb::module_& module) {
  module.def("explain_pair", explain_pair, "a"_a, "b"_a, "input"_a, "options"_a);
  module.def("explain_run", explain_run, "run"_a, "id"_a, "memory"_a = nb::none());
}

}  // namespace refrain::python
