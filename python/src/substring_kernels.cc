// Kernels for repeated byte ranges.
#include "arrow/export.h"
#include "arrow/import.h"
#include "bindings.h"
#include "call.h"
#include "refrain/error.h"
#include "refrain/kernels.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

// Flattens list columns into a table: the row that each value belongs to, and fields of the value.
template <class T>
class Rows {
 public:
  void add(const ListColumn<T>& lists, std::size_t row) {
    for (std::size_t i = 0; i < lists.size(); ++i)
      for (const T& value : lists[i]) {
        rows_.push_back(static_cast<std::int64_t>(row + i));
        values_.push_back(value);
      }
  }
  template <class Number, class Of>
  Column column(const char* name, Of of) const {
    std::vector<Number> numbers(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) numbers[i] = static_cast<Number>(of(values_[i]));
    return number_column(std::move(numbers)).named(name);
  }
  Column rows() { return number_column(std::move(rows_)).named("row"); }

 private:
  std::vector<std::int64_t> rows_;
  std::vector<T> values_;
};

nb::tuple sample_tables(const nb::object& texts, std::size_t length, std::uint64_t min_count, std::uint64_t seed,
                        unsigned threads, const nb::object& memory) {
  const std::vector<Texts> chunks = import_texts(texts);
  const SubstringSampler sampler({.length = length, .min_count = min_count, .seed = seed});
  using Sample = SubstringSample;
  using Fold = SubstringFold;
  auto [samples, folds] = call({.threads = threads, .memory = memory}, [&](const Context& context) {
    Rows<Sample> all;
    Rows<Fold> folded;
    std::size_t row = 0;
    for (const Texts& chunk : chunks) {
      const SubstringSampler::Samples found = sampler.batch(chunk.column, context);
      all.add(found.samples, row);
      folded.add(found.folds, row);
      row += chunk.column.size();
    }
    using Key = std::uint64_t;
    using Place = std::int64_t;
    Column first = table({all.rows(), all.column<Key>("core_hash", [](const Sample& s) { return s.core_hash; }),
                          all.column<Key>("context_hash", [](const Sample& s) { return s.context_hash; }),
                          all.column<Place>("core", [](const Sample& s) { return s.core; }),
                          all.column<Place>("first", [](const Sample& s) { return s.first; }),
                          all.column<Place>("windows", [](const Sample& s) { return s.windows; })});
    Column second = table({folded.rows(), folded.column<Place>("first", [](const Fold& f) { return f.first; }),
                           folded.column<Place>("windows", [](const Fold& f) { return f.windows; }),
                           folded.column<Place>("period", [](const Fold& f) { return f.period; })});
    return std::pair(std::move(first), std::move(second));
  });
  return nb::make_tuple(std::move(samples), std::move(folds));
}

std::vector<std::uint64_t> numbers_in(const std::vector<Chunk>& chunks, const char* name) {
  std::vector<std::uint64_t> all;
  for (const Chunk& chunk : chunks) {
    const std::vector<std::uint64_t> some = numbers_of(column_of(chunk, name), name);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

// Reads the fields that locate samples, and checks that each sample lies in its text.
std::vector<SubstringSample> import_samples(nb::handle object, const TextColumn& texts, std::size_t length) {
  const std::vector<Chunk> chunks = import_arrow(object);
  const std::vector<std::uint64_t> cores = numbers_in(chunks, "core");
  const std::vector<std::uint64_t> firsts = numbers_in(chunks, "first");
  const std::vector<std::uint64_t> windows = numbers_in(chunks, "windows");
  if (cores.size() != texts.size()) throw Error(Errc::invalid_argument, "samples: as many as texts are expected");
  std::vector<SubstringSample> samples(cores.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::uint64_t size = texts.valid(i) ? texts[i].size() : 0;
    if (windows[i] > size || firsts[i] > size - windows[i] || firsts[i] + windows[i] + length > size + 1 ||
        cores[i] < firsts[i] || cores[i] >= size)
      throw Error(Errc::invalid_argument, "samples: one does not lie in its text");
    samples[i].core = cores[i];
    samples[i].first = firsts[i];
    samples[i].windows = windows[i];
  }
  return samples;
}

Column shared_table(const nb::object& left, const nb::object& left_samples, const nb::object& right,
                    const nb::object& right_samples, std::size_t length, std::uint64_t min_count, std::uint64_t seed) {
  const Texts a = import_one_text(left);
  const Texts b = import_one_text(right);
  const std::vector<SubstringSample> as = import_samples(left_samples, a.column, length);
  const std::vector<SubstringSample> bs = import_samples(right_samples, b.column, length);
  if (as.size() != bs.size()) throw Error(Errc::invalid_argument, "left, right: the columns have different lengths");
  const SubstringSampler sampler({.length = length, .min_count = min_count, .seed = seed});
  return call({}, [&](const Context&) {
    std::vector<std::int64_t> begins(as.size()), ends(as.size());
    for (std::size_t i = 0; i < as.size(); ++i) {
      const ByteRange shared = sampler.shared_windows(a.column[i], as[i], b.column[i], bs[i]);
      begins[i] = static_cast<std::int64_t>(shared.begin);
      ends[i] = static_cast<std::int64_t>(shared.end);
    }
    return table({number_column(std::move(begins)).named("begin"), number_column(std::move(ends)).named("end")});
  });
}

Column window_hash_table(const nb::object& texts, const nb::object& first, const nb::object& windows,
                         std::size_t length, std::uint64_t min_count, std::uint64_t seed) {
  const Texts given = import_one_text(texts);
  const std::vector<std::uint64_t> firsts = import_numbers(first, "first");
  const std::vector<std::uint64_t> counts = import_numbers(windows, "windows");
  if (firsts.size() != given.column.size() || counts.size() != firsts.size())
    throw Error(Errc::invalid_argument, "texts, first, windows: the columns have different lengths");
  const SubstringSampler sampler({.length = length, .min_count = min_count, .seed = seed});
  return call({}, [&](const Context&) {
    std::vector<std::int64_t> rows, begins;
    std::vector<std::uint64_t> hashes;
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::uint64_t size = given.column.valid(i) ? given.column[i].size() : 0;
      if (counts[i] > size || firsts[i] > size || firsts[i] + counts[i] + length > size + 1)
        throw Error(Errc::invalid_argument, "windows: one does not lie in its text");
      const std::size_t before = hashes.size();
      hashes.resize(before + counts[i]);
      sampler.window_hashes(given.column[i], firsts[i], counts[i], hashes.data() + before);
      for (std::uint64_t j = 0; j < counts[i]; ++j) {
        rows.push_back(static_cast<std::int64_t>(i));
        begins.push_back(static_cast<std::int64_t>(firsts[i] + j));
      }
    }
    return table({number_column(std::move(rows)).named("row"), number_column(std::move(begins)).named("begin"),
                  number_column(std::move(hashes)).named("hash")});
  });
}

}  // namespace

void bind_substring_kernels(nb::module_& module) {
  module.def("substring_samples", sample_tables, "texts"_a, nb::kw_only(), "length"_a = 100, "min_count"_a = 2,
             "seed"_a = 0, "threads"_a = 0, "memory"_a = nb::none(),
             "(samples, folds), two tables: row, core_hash, context_hash (uint64), core, first, windows (int64);\n"
             "and row, first, windows, period. docs/kernels.md says how windows that occur twice are found by them.");
  module.def(
      "shared_windows", shared_table, "left"_a, "left_samples"_a, "right"_a, "right_samples"_a, nb::kw_only(),
      "length"_a = 100, "min_count"_a = 2, "seed"_a = 0,
      "The windows of left_samples[i] that equal those of right_samples[i]: a table of begin and end, the range in\n"
      "left[i] in which they begin. Samples are tables with core, first and windows; compares bytes.");
  module.def(
      "window_hashes", window_hash_table, "texts"_a, "first"_a, "windows"_a, nb::kw_only(), "length"_a = 100,
      "min_count"_a = 2, "seed"_a = 0,
      "A hash of every window of texts[i] that begins in [first[i], first[i] + windows[i]): a table of row, begin,\n"
      "hash (uint64).");
}

}  // namespace refrain::python
