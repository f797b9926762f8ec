#include "verbs/substrings/substrings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engines/substring/repeats.h"

namespace refrain::verbs::substrings {

namespace {

// Appends the text between the cuts to `left`. A separator after a document stays.
void append_uncut(const run::TextStore& text, const Array<ByteRange>& cuts, bool one_string, run::TextStore& left) {
  auto copy = [&, scratch = std::vector<char>()](std::uint64_t begin, std::uint64_t end) mutable {
    constexpr std::uint64_t kChunk = std::uint64_t{1} << 20U;
    for (; begin < end; begin += kChunk) {
      const auto size = static_cast<std::size_t>(std::min(kChunk, end - begin));
      left.append({text.read(begin, size, scratch), size});
    }
  };
  const ByteRange* next = cuts.begin();
  for (std::size_t d = 0; d < text.documents(); ++d) {
    const ByteRange document = text.document(d);
    std::uint64_t at = document.begin;
    for (; next != cuts.end() && next->begin < document.end; ++next) {
      copy(at, next->begin);
      at = next->end;
    }
    copy(at, document.end);
    left.end_document();
    if (one_string) copy(document.end, std::min(document.end + 1, text.size()));
  }
  left.finish();
}

// Merges `cuts` of the text with `more` cuts of what they leave; both are in order. Returns all of them, in order,
// as ranges of the text.
Array<ByteRange> joined(const Array<ByteRange>& cuts, const Array<ByteRange>& more, MemoryBudget& budget) {
  Array<ByteRange> all(budget, "the ranges to remove");
  const ByteRange* cut = cuts.begin();
  std::uint64_t gone = 0;  // bytes cut before the current position
  for (const ByteRange& range : more) {
    std::uint64_t at = range.begin;
    while (true) {
      // Cuts that begin where the range does come before it, so they do not separate its bytes.
      for (; cut != cuts.end() && cut->begin - gone <= at; ++cut) {
        all.push_back(*cut);
        gone += cut->end - cut->begin;
      }
      const std::uint64_t end = cut == cuts.end() ? range.end : std::min(range.end, cut->begin - gone);
      all.push_back({at + gone, end + gone});
      at = end;
      if (at == range.end) break;
    }
  }
  for (; cut != cuts.end(); ++cut) all.push_back(*cut);
  return all;
}

// Adds the number of the pass to the name of every stage.
Context with_pass_name(const Context& context, std::size_t pass) {
  Context told = context;
  if (context.progress)
    told.progress = [&context, pass](ProgressUpdate update) {
      const std::string stage = fmt::format("pass {}: {}", pass, update.stage);
      update.stage = stage;
      context.progress(update);
    };
  return told;
}

}  // namespace

void cut_until_clean(const SubstringsOptions& options, const run::TextStore& text, std::uint64_t memory_bytes,
                     const Context& context, MemoryBudget& budget, TempSpace& temp, Array<ByteRange>& cuts,
                     std::vector<std::uint64_t>& pass_bytes) {
  while (pass_bytes.back() != 0 && pass_bytes.size() < kMostPasses) {
    run::TextStore left(budget, temp, memory_bytes);
    const bool one_string = !options.text_csv.empty();
    if (one_string) left.one_string();
    append_uncut(text, cuts, one_string, left);
    substring::Repeats found =
        substring::find_repeats({.length = options.length, .min_count = options.min_count}, left, left.bounds(),
                                with_pass_name(context, pass_bytes.size() + 1), budget, temp);
    Array<ByteRange> more(budget, "the ranges to remove");
    std::uint64_t bytes = 0;
    Cutter cutter(options, left, found);
    const auto remove = [&](ByteRange range) {
      more.push_back(range);
      bytes += range.end - range.begin;
    };
    for_each_piece(
        found.repeated, left, options.length, [](ByteRange) {},
        [&](std::size_t, ByteRange piece, ByteRange document) { cutter.cut(piece, document, remove); });
    cutter.finish(remove);
    pass_bytes.push_back(bytes);
    if (bytes != 0) cuts = joined(cuts, more, budget);
  }
}

}  // namespace refrain::verbs::substrings
