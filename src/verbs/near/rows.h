// What near knows of every document, what it finds, and where the results go: to files, or to the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "refrain/memory.h"
#include "refrain/near.h"
#include "verbs/run/columns/id_store.h"
#include "verbs/run/output_dir.h"

namespace refrain::verbs::near {

enum class State : std::uint8_t { fingerprinted, too_short, bad };

// What is known of every document after reading.
struct Documents {
  explicit Documents(MemoryBudget& budget)
      : hashes(budget, "the fingerprints"),
        texts(budget, "the hashes of the texts"),
        states(budget, "the fingerprints"),
        ids(budget) {}
  Array<std::uint64_t> hashes;
  Array<std::uint64_t> texts;  // with verify: equal for copies
  Array<State> states;
  run::IdStore ids;
};

// A row of matches.tsv, or a candidate for one.
struct Match {
  DocId first;
  DocId second;
  std::uint64_t difference;
  friend auto operator<=>(const Match&, const Match&) = default;
};

// Receives the rows in order: the matches, then all documents except bad ones.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void begin(const Documents& documents) = 0;             // all documents that were read
  virtual void match(const Match& match, double similarity) = 0;  // 0: the texts were not compared
  virtual void document(DocId document, std::optional<DocId> cluster) = 0;
  virtual std::uint64_t bytes() const = 0;  // written so far
};

class FileSink final : public Sink {
 public:
  // Keeps references to both arguments.
  FileSink(run::OutputDir& output, const NearOptions& options) : output_(output), options_(options) {}

  void begin(const Documents& documents) override;
  void match(const Match& match, double similarity) override;
  void document(DocId document, std::optional<DocId> cluster) override;
  std::uint64_t bytes() const override { return matches_->bytes() + clusters_->bytes(); }
  void close();

 private:
  run::OutputDir& output_;
  const NearOptions& options_;
  const Documents* documents_ = nullptr;
  std::optional<OutputFile> matches_;
  std::optional<OutputFile> clusters_;
  std::optional<DocId> first_;
  std::string first_id_;
  std::string row_;
};

class MemorySink final : public Sink {
 public:
  explicit MemorySink(NearResult& result) : result_(result) {}

  void begin(const Documents& documents) override;
  void match(const Match& match, double similarity) override;
  void document(DocId document, std::optional<DocId> cluster) override;
  std::uint64_t bytes() const override { return 0; }

 private:
  NearResult& result_;
};

}  // namespace refrain::verbs::near
