// ngrams show: the rows of an index, sorted for people.
//
// The index is in key order, which is meaningless to people, so all rows are sorted: in memory as far as the budget
// allows, beyond it on disk.
#include <algorithm>

#include "base/budget.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "store/byte_sort.h"
#include "store/varint.h"
#include "verbs/ngrams/index.h"

namespace refrain {

namespace {

// Reserve for the pages of the index and the pieces of output.
constexpr std::uint64_t kSlack = std::uint64_t{24} << 20U;

// Encodes a number so that greater ones sort first.
void append_falling(std::string& out, std::uint64_t number) {
  for (unsigned shift = 64; shift != 0; shift -= 8) out += static_cast<char>(~number >> (shift - 8));
}

// Makes the sort key of an n-gram. Keys are unique, because texts are.
void make_key(std::string& key, NgramSort sort, const ngram::GramEntry& entry) {
  key.clear();
  if (sort == NgramSort::count) append_falling(key, entry.count);
  if (sort == NgramSort::length) append_falling(key, entry.text.size());
  key += entry.text;
}

std::string_view text_of(std::string_view key, NgramSort sort) {
  return key.substr(sort == NgramSort::ngram ? 0 : 8);
}

}  // namespace

std::vector<std::string_view> ngram_sort_names() {
  return {"count", "ngram", "length"};
}

NgramsShowReport show_ngrams(const NgramsShowOptions& options, const Context& context, const NgramRows& out) {
  const Stopwatch watch;
  const std::unique_ptr<ngram::IndexReader> index = verbs::ngrams::open_ngrams(options.index, context);
  Context one = context;
  one.threads = 1;
  MemoryBudget budget(one);
  TempSpace temp(one);
  const std::uint64_t available = budget.available();
  store::ByteSortOptions sorting{.what = "the n-grams in order",
                                 .memory_bytes = available - std::min(kSlack, available / 2)};
  if (options.limit) sorting.limit = *options.limit;
  store::ByteSort sorted(sorting, budget, temp);

  NgramsShowReport report;
  report.entries = index->sizes().entries;
  Progress progress(context, "sort", "n-grams", report.entries);
  std::string key;
  std::string value;
  std::uint64_t done = 0;
  index->rewind();
  for (ngram::GramEntry entry; index->next(entry);) {
    if (++done % 4096 == 0) progress.add(4096);
    make_key(key, options.sort, entry);
    if (!sorted.wants(key)) continue;
    value.clear();
    for (const std::uint64_t number : {entry.count, entry.documents, entry.list, entry.list_bytes})
      store::append_varint(value, number);
    sorted.add(key, value);
  }
  progress.add(done % 4096);
  progress.finish();

  Progress writing(context, "show", "n-grams", std::min(sorting.limit, report.entries));
  verbs::ngrams::NgramRowWriter rows(*index, out);
  rows.header();
  sorted.drain(context, [&](std::string_view found, std::string_view numbers) {
    ngram::GramEntry entry{
        .text = text_of(found, options.sort), .count = 0, .documents = 0, .list = 0, .list_bytes = 0};
    const char* at = numbers.data();
    for (std::uint64_t* number : {&entry.count, &entry.documents, &entry.list, &entry.list_bytes})
      store::get_varint(at, numbers.data() + numbers.size(), *number);
    rows.row(entry);
    if (++report.rows % 4096 == 0) writing.add(4096);
  });
  rows.flush();
  writing.finish();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace refrain
