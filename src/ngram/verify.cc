#include "ngram/verify.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"
#include "refrain/error.h"

namespace refrain {

Verifier::Verifier(const Context& context, MemoryBudget& budget, TempSpace& temp, GramOutput& output, Pass pass,
                   std::function<std::uint64_t()> memory, double text_bytes)
    : context_(context),
      budget_(budget),
      output_(output),
      pass_(std::move(pass)),
      memory_(std::move(memory)),
      text_bytes_(text_bytes),
      open_(temp) {}

void Verifier::verify(Candidates& candidates, bool cut) {
  const unsigned workers = thread_count(context_);
  candidates.number();
  const std::uint64_t groups = candidates.groups();
  double share = 1;  // of the groups that should fit, after some did not
  for (std::uint64_t first = 0; first < groups;) {
    const std::uint64_t memory = memory_();
    // Room for one text at least, however long: more groups than that are another pass.
    const auto fit = static_cast<std::uint64_t>(share * static_cast<double>(memory) / (group_bytes() * 1.1));
    const std::uint64_t last = std::min(groups, first + std::max<std::uint64_t>(fit, 1));
    const std::uint64_t slot_bytes = (last - first) * Resolver::kGroupBytes + (std::uint64_t{64} << 10);
    const std::uint64_t arena_bytes = memory - std::min(memory, slot_bytes + (std::uint64_t{64} << 10));
    Resolver resolver(candidates, first, last, arena_bytes, workers, budget_);
    candidates.sort_by_position(context_);
    if (first == 0 && !open_.empty()) resolver.preset(open_key_, open_text_);
    try {
      pass_(resolver);
    } catch (const Resolver::TooManyTexts&) {
      if (last - first == 1)
        throw Error(Errc::over_budget, "--memory: not enough for the text of one n-gram and its places; give more");
      candidates.sort_by_group(context_);
      share /= 2;
      continue;
    }
    candidates.sort_by_group(context_);
    write(candidates, resolver, first, last, cut && last == groups);
    text_bytes_ = static_cast<double>(resolver.text_bytes()) / static_cast<double>(last - first);
    share = 1;
    first = last;
  }
  candidates.clear();
}

void Verifier::write(const Candidates& candidates, const Resolver& resolver, std::uint64_t first, std::uint64_t last,
                     bool cut) {
  const std::vector<Resolver::Stray> strays = resolver.strays();
  auto stray = strays.begin();
  std::vector<std::span<const std::uint64_t>> pieces;  // of the group at hand
  std::uint64_t group = first;
  const auto end_group = [&] {
    const auto begin = stray;
    while (stray != strays.end() && stray->group == group) ++stray;
    write_group(candidates, resolver.gram(group), pieces, {begin, stray}, cut && group + 1 == last);
    pieces.clear();
  };
  candidates.for_each_piece(first, last, [&](std::span<const std::uint64_t> records) {
    throw_if_stopped(context_);
    while (!records.empty()) {
      const std::uint64_t now = candidates.group_of(records.front());
      if (now != group) {
        end_group();
        group = now;
      }
      std::size_t size = 1;
      while (size < records.size() && candidates.group_of(records[size]) == now) ++size;
      pieces.push_back(records.first(size));
      records = records.subspan(size);
    }
  });
  if (!pieces.empty()) end_group();
}

void Verifier::write_group(const Candidates& candidates, const Resolver::Gram& gram, Pieces pieces,
                           std::span<const Resolver::Stray> strays, bool cut) {
  const auto for_each = [&](auto fn) {
    for (const std::span<const std::uint64_t> piece : pieces)
      for (const std::uint64_t record : piece) fn(candidates.position_of(record));
  };
  if (!cut && strays.empty() && open_.empty()) {
    std::size_t places = 0;
    for (const std::span<const std::uint64_t> piece : pieces) places += piece.size();
    if (places >= output_.m()) output_.write(gram.key, gram.text, for_each);
    return;
  }
  // Strays are sorted by text; their positions, to be passed over, must be found among all.
  std::vector<std::uint64_t> astray;
  for (const Resolver::Stray& stray : strays) astray.push_back(stray.position);
  std::sort(astray.begin(), astray.end());
  PositionList& own = open_.positions(gram.key, gram.text);
  for_each([&](std::uint64_t position) {
    if (!std::binary_search(astray.begin(), astray.end(), position)) own.add(position);
  });
  for (const Resolver::Stray& stray : strays) open_.positions(stray.key, stray.text).add(stray.position);
  if (cut) {
    open_key_ = gram.key;
    open_text_ = gram.text;
  } else {
    open_.flush(output_);
  }
}

}  // namespace refrain
