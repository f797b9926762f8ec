#include "verbs/overrides/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "refrain/error.h"
#include "refrain/json_text.h"

namespace refrain::verbs::overrides {

namespace {

constexpr std::uint64_t kTextBytes = 160;  // of memory for a text, besides its ids
constexpr std::uint64_t kIdBytes = 192;    // for an id, besides its characters
constexpr const char* kWhat = "the overrides";

bool keeps(OverrideOp op) {
  return op == OverrideOp::keep || op == OverrideOp::survivor;
}

// Whether the two documents of a `never` have the same text.
bool tells_copies_apart(const Override& line) {
  return line.op == OverrideOp::never && line.documents[0].digest == line.documents[1].digest;
}

}  // namespace

TargetFinder::TargetFinder(std::span<const Override> live, MemoryBudget& budget, bool halves)
    : live_(live), halves_(halves), reservation_(budget.reserve(0, kWhat)) {
  for (const Override& line : live)
    for (const OverrideDocument& document : line.documents)
      bytes_ += kTextBytes + (document.id ? 2 * (kIdBytes + document.id->size()) : 0);
  reservation_.resize(bytes_, kWhat);
  for (const Override& line : live)
    for (const OverrideDocument& document : line.documents) {
      Text& text = texts_[shortened(document.digest)];
      if (!document.id) continue;
      text.by_id.try_emplace(json_text(*document.id));
      ids_.try_emplace(json_text(*document.id), false);
    }
}

void TargetFinder::add(DocId document, const Digest& text, std::string_view id, std::uint64_t rank) {
  bytes_ += 2 * (sizeof(Copy) + sizeof(Target));
  if (bytes_ > reservation_.bytes()) reservation_.resize(bytes_ + bytes_ / 4, kWhat);
  Text& named = texts_.at(shortened(text));
  const Ranked ranked{rank, document};
  // Ids are compared as they are shown: an id that is not UTF-8 cannot be written in a line.
  const auto found = named.by_id.find(json_text(id));
  if (found != named.by_id.end()) found->second.push_back(ranked);
  named.copies.push_back({ranked, found != named.by_id.end()});
}

bool TargetFinder::wants_ids() const {
  return !ids_.empty() && std::ranges::any_of(texts_, [](const auto& text) { return text.second.copies.empty(); });
}

void TargetFinder::see(std::string_view id) {
  if (const auto found = ids_.find(json_text(id)); found != ids_.end()) found->second = true;
}

std::vector<TargetFinder::Ranked> TargetFinder::meant(const Override& line, const OverrideDocument& document) const {
  const Text& text = texts_.at(shortened(document.digest));
  std::vector<Ranked> all;
  const bool pair_of_texts = line.op == OverrideOp::never && !tells_copies_apart(line);
  if (document.id && !pair_of_texts) {
    all = text.by_id.at(json_text(*document.id));
    if (!all.empty() || tells_copies_apart(line)) return all;
  }
  for (const Copy& copy : text.copies)
    if (!copy.by_id || !document.id || pair_of_texts) all.push_back(copy.ranked);
  if (keeps(line.op) && !all.empty()) all = {*std::ranges::min_element(all)};
  return all;
}

OverrideStatus TargetFinder::absent(const OverrideDocument& document) const {
  const bool there = !texts_.at(shortened(document.digest)).copies.empty();
  return !there && document.id && ids_.at(json_text(*document.id)) ? OverrideStatus::stale : OverrideStatus::not_found;
}

std::vector<Target> TargetFinder::find(std::vector<OverrideEffect>& effects) const {
  std::vector<Target> targets;
  for (std::uint32_t i = 0; i < live_.size(); ++i) {
    const Override& line = live_[i];
    const bool pair = line.op == OverrideOp::never;
    std::vector<Target> found;
    for (std::uint32_t side = 0; side < line.documents.size(); ++side) {
      if (side == 0 || !pair) effects.push_back({.seq = line.seq, .op = line.op, .documents = {}});
      OverrideEffect& effect = effects.back();
      const OverrideDocument& document = line.documents[side];
      effect.documents.push_back(document);
      const std::vector<Ranked> all = meant(line, document);
      effect.found += all.size();
      if (all.empty() && effect.status != OverrideStatus::stale) effect.status = absent(document);
      for (const Ranked& ranked : all) found.push_back({ranked.document, i, pair ? side : 0});
    }
    if (pair && effects.back().status != OverrideStatus::applies) continue;
    if (line.op != OverrideOp::note) targets.insert(targets.end(), found.begin(), found.end());
  }
  std::ranges::sort(targets);
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  // Lines that name a text by different ids may be about the same document once these ids are gone.
  for (std::size_t i = 0; i < targets.size();) {
    const Override* kept = nullptr;
    const Override* removed = nullptr;
    const DocId document = targets[i].document;
    for (; i < targets.size() && targets[i].document == document; ++i) {
      const Override& line = live_[targets[i].line];
      if (keeps(line.op)) kept = &line;
      if (line.op == OverrideOp::remove) removed = &line;
    }
    if (kept == nullptr || removed == nullptr) continue;
    if (kept->seq > removed->seq) std::swap(kept, removed);
    throw Error(Errc::bad_input,
                fmt::format("{}: '{}' contradicts '{}' in {}, because no document with their text has their ids any "
                            "more; undo one of them",
                            removed->place, override_op_name(removed->op), override_op_name(kept->op), kept->place));
  }
  return targets;
}

}  // namespace refrain::verbs::overrides
