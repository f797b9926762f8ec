// How near-duplicates find each other: the methods of `near` behind one interface.
//
// While the input is read, a method makes a sketch of every document. From the sketches alone it proposes pairs,
// round by round, and rules out those that cannot match. The remaining pairs are compared by their texts
// (engines/sketch/comparer.h), so no method removes anything by itself.
//
// A new method is a file that makes a NearFinder, and a row in finders.cc.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/files/file.h"
#include "refrain/dedup.h"
#include "refrain/kernels.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// The documents that take part in a round.
struct RoundPlan {
  RoundPlan(MemoryBudget& budget, std::uint64_t documents)
      : alive(budget, "the kept documents", documents),
        crowded(budget, "the documents with many candidates", documents) {}
  unsigned round = 1;
  // Indexed by rank: 1 for a document that is still kept. Other documents are not compared.
  Array<std::uint8_t> alive;
  // Indexed by rank: 1 for a document that met more documents than could all be compared. The first round fills it;
  // if none is marked, there is no second round.
  Array<std::uint8_t> crowded;
};

// The result of a round.
struct RoundResult {
  unsigned round = 1;
  std::uint64_t pairs = 0;
  std::uint64_t matches = 0;  // of these
};

// A column that a method leaves in `work`: `width` bytes per document, in input order.
struct SketchColumn {
  std::string name;
  std::size_t width = 0;
};

// Makes the sketches of documents, one after the other. Not thread-safe.
class Sketcher {
 public:
  virtual ~Sketcher() = default;
  virtual void start() = 0;
  virtual void add(std::span<const std::uint64_t> features) = 0;
  // Writes the document's values of all columns, end to end.
  virtual void finish(std::uint8_t* values) = 0;
};

// Decides which pairs may match, from their values of the first column. Thread-safe.
class SketchFilter {
 public:
  virtual ~SketchFilter() = default;
  // `document` is the later one by rank.
  virtual bool may_match(const std::uint8_t* earlier, const std::uint8_t* later, DocId document) const = 0;
  // The same for many later documents, whose sketches are end to end: appends the indexes of those that may match.
  virtual void may_match(const std::uint8_t* earlier, const std::uint8_t* later_sketches,
                         std::span<const DocId> documents, std::vector<std::uint32_t>& places) const = 0;
};

// Says in how many bits the sketches of two documents differ, if the method counts them.
class SketchDifference {
 public:
  virtual ~SketchDifference() = default;
  virtual std::uint64_t of(DocId first, DocId second) const = 0;
};

// Immutable; threads may share one.
class NearFinder {
 public:
  virtual ~NearFinder() = default;

  // Everything that its answers depend on, besides the features: a line of the run's identity.
  virtual std::string identity() const = 0;

  virtual std::vector<SketchColumn> columns() const = 0;
  // Bytes per document, all columns together.
  std::size_t width() const;
  virtual std::unique_ptr<Sketcher> sketcher() const = 0;
  // The rule by which a device computes a document's values of all columns; nullopt, with the reason in `why`, if
  // it cannot.
  virtual std::optional<cuda::SketchRule> device_rule(const FingerprintOptions& windows, std::string& why) const = 0;

  // Writes the pairs that meet in a round, in ascending order and each once, without those in `known` (files of
  // pairs, also ascending). The cost is linear in the number of documents, however many are alike.
  virtual void find_pairs(DedupRun& run, const Ranks& ranks, RoundPlan& plan,
                          const std::vector<std::filesystem::path>& known, run::RunFile& out) const = 0;
  // Whether another round would find nothing new.
  virtual bool finished(const RoundResult& result) const = 0;

  virtual std::unique_ptr<SketchFilter> filter(DedupRun& run) const = 0;
  // Whether a pair that the filter rules out is not a match by definition. Otherwise it is only unlikely to be one.
  virtual bool filter_decides() const = 0;

  // Null if it counts none.
  virtual std::unique_ptr<SketchDifference> difference(DedupRun& /*run*/) const { return nullptr; }
  virtual void fill(DedupReport& /*report*/) const {}
};

// Returns null for NearMethod::off. Throws Error(invalid_argument) for options that the method does not support.
// `bands` are those of a library that is looked into; nullopt: chosen from the threshold and the recall.
std::unique_ptr<NearFinder> make_finder(const DedupOptions& options, const std::optional<Bands>& bands = {});

// The device that options.device names. `automatic` means the CPU, because reading takes longer than computing
// signatures. Throws Error(unsupported) if a GPU is requested but there is none, or it cannot compute the sketches.
NearDevice near_device(const DedupOptions& options, const NearFinder* finder);

std::unique_ptr<NearFinder> make_minhash(const DedupOptions& options, const std::optional<Bands>& bands);
std::unique_ptr<NearFinder> make_simhash(const DedupOptions& options, const std::optional<Bands>& bands);

// The sketches of all documents, and the filter that uses them to rule out pairs.
//
// Holds the first column of the method in memory if there is room, otherwise reads it from its file. Thread-safe.
class Sketches {
 public:
  explicit Sketches(DedupRun& run) : Sketches(run, run.near->columns().front()) {}
  std::size_t width() const { return width_; }
  // Valid until `scratch` changes.
  const std::uint8_t* get(DocId document, std::vector<std::uint8_t>& scratch) const;
  const SketchFilter& filter() const { return *filter_; }

 private:
  Sketches(DedupRun& run, const SketchColumn& column);

  std::size_t width_;
  Array<std::uint8_t> held_;
  std::optional<RandomFile> file_;
  std::unique_ptr<SketchFilter> filter_;
};

}  // namespace refrain::verbs::dedup
