// Finds the documents that lines of overrides are about.
//
// A line names a text, by its digest. If it also gives an id, and documents with this text have it, the line is about
// these; else about all documents with the text, except those that another line names by their ids. Two exceptions:
// `keep` and `survivor` without such an id are about the best-ranked of them, because one copy of a text is enough; and
// `never` is about all copies of two texts or, if both are the same text, only about copies that have the ids.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "base/hash.h"
#include "refrain/overrides.h"
#include "refrain/text.h"

namespace refrain::verbs::overrides {

// Says that a line is about a document.
struct Target {
  DocId document = 0;
  std::uint32_t line = 0;  // index among the lines that count
  std::uint32_t side = 0;  // for `never`: 0 or 1, the document's place in the line
  friend auto operator<=>(const Target&, const Target&) = default;
};

class TargetFinder {
 public:
  // Keeps a reference to `live`. With `halves`, only the high halves of digests are compared.
  TargetFinder(std::span<const Override> live, MemoryBudget& budget, bool halves = false);

  // Whether a line names this text.
  bool names(const Digest& text) const { return texts_.contains(shortened(text)); }
  // Call this for every document whose text is named, best-ranked first or with a rank for each.
  void add(DocId document, const Digest& text, std::string_view id, std::uint64_t rank);

  // Afterwards: whether a text was named that no document has. Then call see() with the ids of all documents.
  bool wants_ids() const;
  void see(std::string_view id);

  // The documents, in order; and in `effects` what becomes of each decision. Throws Error(bad_input) if lines are found
  // to contradict each other, because ids have changed.
  std::vector<Target> find(std::vector<OverrideEffect>& effects) const;

 private:
  struct Ranked {
    std::uint64_t rank;
    DocId document;
    friend auto operator<=>(const Ranked&, const Ranked&) = default;
  };
  struct Copy {
    Ranked ranked;
    bool by_id = false;  // a line names it by its id
  };
  struct Text {
    std::vector<Copy> copies;
    std::unordered_map<std::string, std::vector<Ranked>> by_id;  // for the ids that lines give, as JSON
  };
  struct HashOfDigest {
    std::size_t operator()(const Digest& digest) const { return static_cast<std::size_t>(digest.high); }
  };

  Digest shortened(const Digest& text) const { return halves_ ? Digest{text.high, 0} : text; }
  // The documents that one document of a line stands for.
  std::vector<Ranked> meant(const Override& line, const OverrideDocument& document) const;
  OverrideStatus absent(const OverrideDocument& document) const;

  const std::span<const Override> live_;
  const bool halves_;
  Reservation reservation_;
  std::uint64_t bytes_ = 0;
  std::unordered_map<Digest, Text, HashOfDigest> texts_;
  std::unordered_map<std::string, bool> ids_;  // those that lines give, as JSON; whether a document has it
};

}  // namespace refrain::verbs::overrides
