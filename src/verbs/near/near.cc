// near: read and fingerprint, bring equal fingerprints together, join, cluster, write.
#include "refrain/near.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/source/reader.h"
#include "corpus/source/stream.h"
#include "engines/matching/blocks.h"
#include "engines/matching/hamming_join.h"
#include "engines/matching/union_find.h"
#include "refrain/error.h"
#include "refrain/memory.h"
#include "refrain/report_json.h"
#include "store/shuffle.h"
#include "verbs/near/close_gaps.h"
#include "verbs/near/made_with.h"
#include "verbs/run/columns/id_store.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/stage.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

enum class State : std::uint8_t { fingerprinted, too_short, bad };

// What is known of every document after reading.
struct Documents {
  explicit Documents(MemoryBudget& budget)
      : hashes(budget, "the fingerprints"), states(budget, "the fingerprints"), ids(budget) {}
  Array<std::uint64_t> hashes;
  Array<State> states;
  verbs::run::IdStore ids;
};

struct Entry {
  std::uint64_t hash;
  DocId document;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
struct HashOfEntry {
  std::uint64_t operator()(const Entry& entry) const { return entry.hash; }
};

// A row of matches.tsv.
struct Match {
  DocId first;
  DocId second;
  std::uint64_t difference;
  friend auto operator<=>(const Match&, const Match&) = default;
};
struct FirstOfMatch {
  std::uint64_t operator()(const Match& match) const { return match.first; }
};
using Matches = store::Shuffle<Match, FirstOfMatch>;

// Documents with equal fingerprints are one node, which stands under its first document.
struct Nodes {
  explicit Nodes(MemoryBudget& budget)
      : hashes(budget, "the distinct fingerprints"),
        firsts(budget, "the distinct fingerprints"),
        members(budget, "the documents by fingerprint"),
        begins(budget, "the documents by fingerprint") {}
  Array<std::uint64_t> hashes;  // ascending
  Array<DocId> firsts;
  // With all pairs only: the documents of node n are members[begins[n], begins[n + 1]).
  Array<DocId> members;
  Array<std::uint64_t> begins;

  std::size_t find(std::uint64_t hash) const {
    return static_cast<std::size_t>(std::lower_bound(hashes.begin(), hashes.end(), hash) - hashes.begin());
  }
};

// Where the rows go, in order: the matches, then all documents but the bad ones.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;
  virtual void begin(const Documents& documents) = 0;  // all that was read
  virtual void match(const Match& match) = 0;
  virtual void document(DocId document, std::optional<DocId> cluster) = 0;
  virtual std::uint64_t bytes() const = 0;  // written so far
};

class FileSink final : public Sink {
 public:
  FileSink(verbs::run::OutputDir& output, const FingerprintOptions& options) : output_(output), options_(options) {}

  void begin(const Documents& documents) override {
    documents_ = &documents;
    matches_.emplace(output_.create("matches.tsv"));
    matches_->write("id1\tid2\tdiff\n");
    clusters_.emplace(output_.create("clusters.tsv"));
    clusters_->write(verbs::near::made_with(options_));
    clusters_->write("id\tsimhash\tcluster\n");
  }

  void match(const Match& match) override {
    if (std::exchange(first_, match.first) != match.first) {
      first_id_.clear();
      documents_->ids.append_escaped_id(first_id_, match.first);
    }
    row_ = first_id_;
    row_ += '\t';
    documents_->ids.append_escaped_id(row_, match.second);
    row_ += '\t';
    verbs::run::append_decimal(row_, match.difference);
    row_ += '\n';
    matches_->write(row_);
  }

  void document(DocId document, std::optional<DocId> cluster) override {
    row_.clear();
    documents_->ids.append_escaped_id(row_, document);
    row_ += '\t';
    if (documents_->states[document] == State::fingerprinted)
      verbs::run::append_decimal(row_, documents_->hashes[document]);
    row_ += '\t';
    if (cluster)
      verbs::run::append_decimal(row_, *cluster);
    else
      row_ += "-1";
    row_ += '\n';
    clusters_->write(row_);
  }

  std::uint64_t bytes() const override { return matches_->bytes() + clusters_->bytes(); }

  void close() {
    matches_->close();
    clusters_->close();
  }

 private:
  verbs::run::OutputDir& output_;
  const FingerprintOptions& options_;
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

  void begin(const Documents& documents) override {
    result_.fingerprints.assign(documents.hashes.begin(), documents.hashes.end());
    for (const State state : documents.states) result_.valid.push_back(state == State::fingerprinted ? 1 : 0);
    result_.clusters.assign(documents.hashes.size(), -1);
  }
  void match(const Match& match) override {
    result_.matches.push_back({match.first, match.second, static_cast<unsigned>(match.difference)});
  }
  void document(DocId document, std::optional<DocId> cluster) override {
    if (cluster) result_.clusters[document] = static_cast<std::int64_t>(*cluster);
  }
  std::uint64_t bytes() const override { return 0; }

 private:
  NearResult& result_;
};

class Near {
 public:
  Near(const NearOptions& options, const Context& context)
      : options_(options), context_(context), threads_(thread_count(context)), budget_(context), documents_(budget_) {
    report_.threads = threads_;
    report_.memory_bytes = budget_.ceiling();
    matching::check_blocks(options_.blocks, options_.distance);
  }

  NearReport run(Sink& sink) {
    verbs::run::run_stage(report_.stages, "read", [&] {
      read();
      return report_.read.bytes;
    });
    check_memory();
    const std::size_t count = documents_.hashes.size();
    Matches matches({.what = "the matches",
                     .key_bits = static_cast<unsigned>(std::bit_width(count | 1)),
                     .expected_records = count / 4,
                     .order_values = true},
                    budget_);
    verbs::run::run_stage(report_.stages, "group", [&] {
      group(matches);
      return std::uint64_t{16} * count;
    });
    verbs::run::run_stage(report_.stages, "join", [&] {
      join(matches);
      return std::uint64_t{8} * report_.distinct_fingerprints;
    });
    nodes_.reset();
    matching::UnionFind clusters(budget_, count);
    verbs::run::run_stage(report_.stages, "write", [&] {
      sink.begin(documents_);
      write_matches(matches, clusters, sink);
      write_clusters(clusters, sink);
      return sink.bytes();
    });
    report_.peak_rss_bytes = peak_rss_bytes();
    return report_;
  }

 private:
  // For what comes in pieces: blocks that are not full, pages that are begun, the reader's buffers.
  static constexpr std::uint64_t kSlack = std::uint64_t{8} << 20U;

  void read() {
    // Listens to the progress, to tell how much of the input was read when memory runs out.
    ProgressUpdate last;
    Context listening = context_;
    listening.progress = [&](const ProgressUpdate& update) {
      last = update;
      if (context_.progress) context_.progress(update);
    };
    try {
      read_all(listening);
    } catch (const Error& error) {
      refuse(error, last);
    }
  }

  void read_all(const Context& context) {
    const Fingerprinter fingerprinter(options_.fingerprint);
    report_.read = corpus::read_documents(
        options_.input, context, budget_, [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
          struct Hashed {
            std::vector<std::uint64_t> hashes;
            std::vector<State> states;
            corpus::BatchIds ids;
          };
          const std::size_t size = batch.texts.size();
          std::vector<std::uint8_t> valid(size);
          auto done = std::make_shared<Hashed>();
          done->hashes.resize(size);
          done->states.resize(size);
          fingerprinter.batch(batch.texts, done->hashes.data(), valid.data());
          for (std::size_t i = 0; i < size; ++i)
            done->states[i] = batch.bad[i] != 0 ? State::bad : valid[i] == 0 ? State::too_short : State::fingerprinted;
          done->ids = std::move(batch.ids);
          return [this, done](DocId first) {
            documents_.hashes.append(done->hashes);
            documents_.states.append(done->states);
            documents_.ids.add(done->ids, first);
            report_.too_short += static_cast<std::uint64_t>(std::ranges::count(done->states, State::too_short));
          };
        });
  }

  // What `count` documents take at the most, ids included: while reading, arrays that grow by a quarter; then, to
  // group, an entry in the shuffle and the node that it may become (the join takes less).
  std::uint64_t memory_for(double count) const {
    const double read = static_cast<double>(std::max<std::size_t>(documents_.hashes.size(), 1));
    const double reading = 1.25 * (9 + static_cast<double>(documents_.ids.bytes()) / read);
    const double grouping = sizeof(Entry) + 2 * sizeof(std::uint64_t) + (options_.all_pairs ? 16 : 0);
    return budget_.set_aside() + kSlack + static_cast<std::uint64_t>(count * (reading + grouping));
  }

  // Called when memory ran out while reading: names what all of the input would take, not only what was read of it.
  [[noreturn]] void refuse(const Error& error, const ProgressUpdate& last) const {
    const auto read = static_cast<double>(documents_.hashes.size());
    if (error.code() != Errc::over_budget || last.total == 0 || last.done == 0 || read == 0) throw error;
    const double count = read * static_cast<double>(last.total) / static_cast<double>(last.done);
    if (memory_for(count) <= budget_.ceiling()) throw error;
    throw Error(Errc::over_budget, fmt::format("--memory {}: not enough for about {:.0f} documents; use at least {}",
                                               human_bytes(budget_.ceiling()), count, human_bytes(memory_for(count))));
  }

  // The same once all is read and the number is known: say so now, not later.
  void check_memory() const {
    const std::size_t count = documents_.hashes.size();
    if (memory_for(static_cast<double>(count)) > budget_.ceiling())
      throw Error(Errc::over_budget, fmt::format("--memory {}: not enough for {} documents; use at least {}",
                                                 human_bytes(budget_.ceiling()), count,
                                                 human_bytes(memory_for(static_cast<double>(count)))));
  }

  void group(Matches& matches) {
    const std::size_t count = documents_.hashes.size();
    store::Shuffle<Entry, HashOfEntry> entries(
        {.what = "the documents by fingerprint", .expected_records = count, .order_values = true}, budget_);
    run_workers(threads_, [&](unsigned worker) {
      auto writer = entries.writer();
      for (std::size_t i = count * worker / threads_; i < count * (worker + 1) / threads_; ++i)
        if (documents_.states[i] == State::fingerprinted) writer.add({documents_.hashes[i], i});
    });
    check_equal_memory(entries);
    nodes_.emplace(budget_);
    const std::vector<std::size_t> begins = entries.partition_begins();
    std::vector<std::size_t> sizes(entries.partitions(), 0);
    nodes_->hashes.resize(begins.back());
    nodes_->firsts.resize(begins.back());
    if (options_.all_pairs) {
      nodes_->members.resize(begins.back());
      nodes_->begins.resize(begins.back());
    }
    std::vector<std::size_t> member_ends = begins;
    std::vector<Matches::Writer> writers;
    for (unsigned worker = 0; worker < threads_; ++worker) writers.push_back(matches.writer());
    entries.for_each_run(context_, [&](unsigned worker, std::size_t partition, const store::Run<Entry>& run) {
      const std::size_t node = begins[partition] + sizes[partition];
      if (run.first) {
        nodes_->hashes[node] = run.key;
        nodes_->firsts[node] = run.records.front().document;
        if (options_.all_pairs) nodes_->begins[node] = member_ends[partition];
      }
      if (options_.all_pairs)
        pair_members(run, node, member_ends[partition], writers[worker]);
      else
        for (const Entry& entry : run.records.subspan(run.first ? 1 : 0))
          writers[worker].add({nodes_->firsts[node], entry.document, 0});
      if (run.last) ++sizes[partition];
    });
    const std::size_t nodes = verbs::near::close_gaps(nodes_->hashes, begins, sizes);
    verbs::near::close_gaps(nodes_->firsts, begins, sizes);
    nodes_->hashes.resize(nodes);
    nodes_->firsts.resize(nodes);
    if (options_.all_pairs) {
      verbs::near::close_gaps(nodes_->begins, begins, sizes);
      nodes_->begins.resize(nodes);
      nodes_->begins.push_back(begins.back());
    }
    report_.distinct_fingerprints = nodes;
  }

  // A document whose fingerprint another one has takes a row among the matches, and that row a place in a partition
  // when they are sorted. Where all documents being equal would be too much, counts how many are.
  void check_equal_memory(const store::Shuffle<Entry, HashOfEntry>& entries) const {
    const std::uint64_t row = 2 * sizeof(Match);
    const std::uint64_t all = entries.partition_begins().back();
    const std::uint64_t nodes_bytes = 2 * sizeof(std::uint64_t) * all;
    if (options_.all_pairs || budget_.available() > nodes_bytes + all * row) return;
    std::atomic<std::uint64_t> nodes{0};
    entries.for_each_run(context_, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<Entry>& run) {
      if (run.first) nodes.fetch_add(1, std::memory_order_relaxed);
    });
    const std::uint64_t needed = budget_.ceiling() - budget_.available() + nodes_bytes + (all - nodes) * row + kSlack;
    if (needed > budget_.ceiling())
      throw Error(Errc::over_budget,
                  fmt::format("--memory {}: not enough for {} documents, {} of them equal to another; use at least {}",
                              human_bytes(budget_.ceiling()), all, all - nodes, human_bytes(needed)));
  }

  // Each document of the run with every earlier one of its group.
  void pair_members(const store::Run<Entry>& run, std::size_t node, std::size_t& member_end, Matches::Writer& writer) {
    for (const Entry& entry : run.records) {
      for (std::size_t m = nodes_->begins[node]; m < member_end; ++m)
        writer.add({nodes_->members[m], entry.document, 0});
      nodes_->members[member_end++] = entry.document;
    }
  }

  void join(Matches& matches) {
    std::vector<Matches::Writer> writers;
    for (unsigned worker = 0; worker < threads_; ++worker) writers.push_back(matches.writer());
    const auto add = [](Matches::Writer& writer, DocId a, DocId b, std::uint64_t difference) {
      writer.add({std::min(a, b), std::max(a, b), difference});
    };
    matching::hamming_join({nodes_->hashes.data(), nodes_->hashes.size()},
                           {.distance = options_.distance, .blocks = options_.blocks}, context_, budget_,
                           [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
                             const auto difference = static_cast<std::uint64_t>(std::popcount(a ^ b));
                             const std::size_t node_a = nodes_->find(a);
                             const std::size_t node_b = nodes_->find(b);
                             if (!options_.all_pairs)
                               return add(writers[worker], nodes_->firsts[node_a], nodes_->firsts[node_b], difference);
                             for (std::size_t i = nodes_->begins[node_a]; i < nodes_->begins[node_a + 1]; ++i)
                               for (std::size_t j = nodes_->begins[node_b]; j < nodes_->begins[node_b + 1]; ++j)
                                 add(writers[worker], nodes_->members[i], nodes_->members[j], difference);
                           });
  }

  void write_matches(const Matches& matches, matching::UnionFind& clusters, Sink& sink) {
    Context in_order = context_;
    in_order.threads = 1;
    matches.for_each_run(in_order, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<Match>& run) {
      for (const Match& match : run.records) {
        sink.match(match);
        clusters.unite(match.first, match.second);
      }
      report_.matches += run.records.size();
    });
  }

  void write_clusters(matching::UnionFind& clusters, Sink& sink) {
    const std::size_t count = documents_.hashes.size();
    // The size of each cluster, at its representative.
    Array<std::uint64_t> sizes(budget_, "the clusters", count);
    for (std::size_t i = 0; i < count; ++i) ++sizes[clusters.find(i)];
    Progress progress(context_, "write", "documents", count);
    DocId largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 65536 == 65535) progress.add(65536);
      if (documents_.states[i] == State::bad) continue;
      const DocId representative = clusters.find(i);
      const bool clustered = sizes[representative] > 1;
      sink.document(i, clustered ? std::optional(representative) : std::nullopt);
      report_.clustered += clustered ? 1 : 0;
      if (!clustered || representative != i) continue;
      ++report_.clusters;
      if (sizes[i] > report_.largest_cluster) {
        report_.largest_cluster = sizes[i];
        largest = i;
      }
    }
    if (report_.clusters != 0) report_.largest_representative = documents_.ids.id(largest);
  }

  const NearOptions& options_;
  const Context& context_;
  const unsigned threads_;
  MemoryBudget budget_;
  Documents documents_;
  std::optional<Nodes> nodes_;
  NearReport report_;
};

}  // namespace

NearReport near(const NearOptions& options, const Context& context) {
  Near verb(options, context);
  verbs::run::OutputDir output({.target = options.output,
                                .force = options.force,
                                .verb = "near",
                                .outputs = {"matches.tsv", "clusters.tsv"},
                                .inputs = options.input.paths});
  FileSink sink(output, options.fingerprint);
  NearReport report = verb.run(sink);
  sink.close();
  output.publish(to_json(options, report));
  return report;
}

NearResult near(DocumentStream& documents, const NearOptions& options, const Context& context) {
  NearOptions over = options;
  over.input = corpus::over_stream(options.input, documents, options.output);
  NearResult result;
  MemorySink sink(result);
  result.report = Near(over, context).run(sink);
  return result;
}

}  // namespace refrain
