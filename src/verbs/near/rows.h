// The rows of near: one per document, and one per match. Results go to files, or to the caller.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "corpus/files/table.h"
#include "refrain/fingerprint.h"
#include "refrain/memory.h"
#include "refrain/near.h"
#include "verbs/run/columns/text_store.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/table_output.h"

namespace refrain::verbs::near {

enum class State : std::uint8_t { fingerprinted, too_short, bad };

// After reading, this is known of every document.
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
  virtual void begin_documents() {}
  virtual void document(DocId document, std::optional<DocId> cluster) = 0;
  virtual std::uint64_t bytes() const = 0;  // written so far
};

class FileSink final : public Sink {
 public:
  // Keeps references to all arguments.
  FileSink(run::OutputDir& output, const NearOptions& options, MemoryBudget& budget);

  void begin(const Documents& documents) override;
  void match(const Match& match, double similarity) override;
  void begin_documents() override;
  void document(DocId document, std::optional<DocId> cluster) override;
  std::uint64_t bytes() const override { return matches_->bytes() + clusters_->bytes(); }
  void close();

 private:
  using Table = run::TableOutput<OutputFile>;

  bool has_tables() const { return options_.tables == Tables::parquet; }
  void create_table(const std::string& name, std::vector<corpus::TableColumn> columns);
  void finish_table();

  run::OutputDir& output_;
  const NearOptions& options_;
  MemoryBudget& budget_;
  Reservation room_;              // for the rows of a table, until there is one
  std::unique_ptr<Table> table_;  // first of the matches, then of the clusters
  corpus::TableRows cells_;
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

// The options that fingerprints were made with, so that fingerprints of different options are never compared. They are
// the name of the last column of a table of fingerprints. Its cells are empty, so every reader of tables finds a header
// and the same number of cells in every row.
//
//   id<TAB>simhash<TAB>refrain fingerprint version=1 tokenizer=words hash=xxh3 window=3 seed=0 tie=0 stop_words=none
//
// Stop words are represented by a digest of their list. Earlier versions wrote no such line.

// The name of the column that states the options.
std::string options_column(const FingerprintOptions& options);

// Whether this is the line that earlier versions wrote before the header.
bool is_options_line(std::string_view line);

// The options that a header, or the line of earlier versions, states; empty if it states none.
std::string_view options_in(std::string_view line);

// A file of fingerprints and its options, which are empty if the file does not state them.
struct FileOptions {
  std::string path;
  std::string options;
};
// Throws Error(bad_input), which names both values, if the two differ.
void check_same_options(const FileOptions& stored, const FileOptions& queries);

}  // namespace refrain::verbs::near
