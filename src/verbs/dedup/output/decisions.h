// The decisions and matches of a run, row by row, as the stages `write` and `tables` write them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/hash.h"
#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

// The clusters of two documents or more.
class Clusters {
 public:
  explicit Clusters(DedupRun& run);
  std::uint64_t documents() const { return first_.size(); }
  // The first document of the cluster; nullopt if the document is in none.
  std::optional<DocId> of(DocId document) const {
    return shared_[document] != 0 ? std::optional(first_[document]) : std::nullopt;
  }

 private:
  const Array<DocId> first_;
  Array<std::uint8_t> shared_;
};

// A line of decisions.jsonl, and a row of clusters.tsv.
struct DecisionRow {
  struct Mark {
    std::string match;
    double similarity = 0;
    std::vector<ByteRange> spans;
  };
  std::string id;
  std::uint64_t digest = 0;  // the high half of that of its text
  bool keep = true;
  std::string_view reason = {};  // empty: null
  std::optional<std::string> match;
  std::optional<double> similarity;
  std::optional<std::string> known;  // the library that holds `match` or, if that is null, `unverified`
  std::optional<std::string> known_digest;
  bool verified = true;
  std::optional<std::string> unverified;
  std::optional<std::uint64_t> lost;
  std::optional<std::uint64_t> longest_lost;
  std::optional<std::uint64_t> lost_attachments;
  std::optional<double> as_written;
  std::optional<std::string> differs_in;
  std::vector<ByteRange> spans;
  std::optional<DocId> cluster;
  std::optional<Mark> against;         // if documents with items are only marked
  const Override* decision = nullptr;  // by a person; null: none
};

// Reads the rows of all documents that could be read, for one thread. Keeps references to both arguments.
class DecisionReader {
 public:
  DecisionReader(DedupRun& run, const Clusters& clusters);
  // Makes `document` the next one. It must come after the last one read.
  void seek(DocId document);
  // Reads the next row that belongs to a document before `last`; false if there is none.
  bool next(DocId last, DecisionRow& row);

 private:
  void fill(DocId document, DecisionRow& row);
  void fill_known(DocId document, DecisionRow& row);

  DedupRun& run_;
  const Clusters& clusters_;
  const RunOverrides& overrides_;
  run::SliceFile ids_;
  MatchIds matched_;
  run::ColumnReader<DocState> states_;
  run::ColumnReader<Digest> digests_;
  AgainstView against_;
  KnownReader known_;
  DedupOutcome outcome_;
  Decision decision_;
  DocId document_ = 0;
  std::string id_;
};

// Calls add(part, row) for all rows, on all threads, and write(part) for one part after the other, in input order.
// A Part has a function clear().
template <class Part, class Add, class Write>
void for_each_decision(DedupRun& run, const char* stage, Add add, Write write) {
  constexpr DocId kPartDocuments = 1024;
  const Clusters clusters(run);
  Progress progress(run.context, stage, "documents", clusters.documents());
  std::vector<std::unique_ptr<DecisionReader>> workers(run.threads);
  Relay<Part> relay(run.threads);
  relay.run((clusters.documents() + kPartDocuments - 1) / kPartDocuments,
            [&](unsigned worker, std::size_t item, Part& part) {
              throw_if_stopped(run.context);
              if (!workers[worker]) workers[worker] = std::make_unique<DecisionReader>(run, clusters);
              const DocId first = item * kPartDocuments;
              const DocId last = std::min<DocId>(first + kPartDocuments, clusters.documents());
              part.clear();
              workers[worker]->seek(first);
              for (DecisionRow row; workers[worker]->next(last, row);) add(part, row);
              progress.add(last - first);
            },
            [&](std::size_t, const Part& part) { write(part); });
  progress.finish();
}

// A pair that matches: the earlier document of the input first.
struct MatchRow {
  std::string_view id1;
  std::string_view id2;
  double similarity = 0;
  std::optional<std::uint64_t> diff;  // with a method that counts differing bits
};

// Calls add(row) for all matches, ordered by the positions of the two documents. A copy is paired with the first
// document of its text.
void for_each_match(DedupRun& run, const std::function<void(const MatchRow&)>& add);

}  // namespace refrain::verbs::dedup
