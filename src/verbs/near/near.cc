// The verb `near`: reads, fingerprints, groups equal fingerprints, joins, verifies, clusters and writes.
#include "refrain/near.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "base/pieces.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/files/listing.h"
#include "corpus/source/reader.h"
#include "engines/matching/hamming.h"
#include "engines/matching/union_find.h"
#include "engines/sketch/comparer.h"
#include "refrain/error.h"
#include "refrain/memory.h"
#include "refrain/report_json.h"
#include "store/shuffle.h"
#include "verbs/join/join.h"
#include "verbs/near/hasher.h"
#include "verbs/near/nodes.h"
#include "verbs/near/rows.h"
#include "verbs/run/columns/text_store.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/progress.h"
#include "verbs/run/skipped.h"

namespace refrain {

namespace verbs::near {

namespace {

struct FirstOfMatch {
  std::uint64_t operator()(const Match& match) const { return match.first; }
};
using Matches = store::Shuffle<Match, FirstOfMatch>;

struct Confirmed {
  Match match;
  double similarity;
  friend bool operator<(const Confirmed& a, const Confirmed& b) { return a.match < b.match; }
};
struct FirstOfConfirmed {
  std::uint64_t operator()(const Confirmed& one) const { return one.match.first; }
};

// Set in the difference of a candidate that is compared only if no other match connects its documents.
constexpr std::uint64_t kIfUnconnected = std::uint64_t{1} << 63U;

// Returns options for the windows of the fingerprints, but with the strongest hash, whichever hash the fingerprints
// use.
FingerprintOptions windows_of(FingerprintOptions options) {
  options.hash = HashKind::xxh3;
  return options;
}

// With verify, candidates are confirmed by the true similarity of their texts, which fingerprints only estimate.
struct TextComparer {
  struct Texts final : sketch::KeyedTexts {
    explicit Texts(const run::TextStore& of) : store(of) {}
    std::uint64_t bytes(DocId document) override {
      const ByteRange range = store.document(document);
      return range.end - range.begin;
    }
    std::string_view get(DocId document, std::string& scratch) override { return store.text(document, scratch); }
    bool in_memory() const override { return store.in_memory(); }
    const run::TextStore& store;
  };
  TextComparer(const run::TextStore& store, const text::FeaturePlan& plan, double threshold, MemoryBudget& budget,
               std::uint64_t memory_bytes)
      : texts(store), comparer(texts, plan, {.threshold = threshold}, budget, memory_bytes) {}
  Texts texts;
  sketch::Comparer comparer;
};

class Near {
 public:
  Near(const NearOptions& options, const Context& context)
      : options_(options),
        context_(context),
        threads_(thread_count(context)),
        budget_(context),
        documents_(budget_),
        temp_(context) {
    report_.threads = threads_;
    report_.memory_bytes = budget_.ceiling();
    matching::check_blocks(options_.blocks, options_.distance);
    hasher_.emplace(options_, threads_, budget_);
    if (!options_.verify) return;
    if (!(options_.threshold > 0 && options_.threshold <= 1))
      throw Error(Errc::invalid_argument, "`threshold`: must be above 0 and at most 1");
    texts_.emplace(budget_, temp_, budget_.available() / kTextShare);
  }

  MemoryBudget& budget() { return budget_; }

  NearReport run(Sink& sink) {
    run::run_stage(report_.stages, "read", [&] {
      read();
      return report_.read.bytes;
    });
    report_.device = hasher_->report(report_.stages.back().seconds);
    hasher_.reset();
    check_memory();
    const std::size_t count = documents_.hashes.size();
    // There may be any number of matches, and of documents with one fingerprint: half of what the nodes leave for
    // each.
    const std::uint64_t available = budget_.available();
    const std::uint64_t left = available - std::min(available, count * node_bytes());
    Matches matches({.what = "the matches",
                     .key_bits = static_cast<unsigned>(std::bit_width(count | 1)),
                     .expected_records = count / 4,
                     .order_values = true,
                     .temp = &temp_,
                     .memory_bytes = std::max<std::uint64_t>(std::min(left / 2, available / 3), 1)},
                    budget_);
    run::run_stage(report_.stages, "group", [&] {
      group(matches, std::max<std::uint64_t>(left / 2, 1));
      return std::uint64_t{16} * count;
    });
    run::run_stage(report_.stages, "join", [&] {
      join(matches);
      return std::uint64_t{8} * report_.distinct_fingerprints;
    });
    nodes_.reset();
    matching::UnionFind clusters(budget_, count);
    sink.begin(documents_);
    if (options_.verify)
      run::run_stage(report_.stages, "verify", [&] {
        verify(matches, clusters, sink);
        return texts_->size();
      });
    run::run_stage(report_.stages, "write", [&] {
      if (!options_.verify) write_matches(matches, clusters, sink);
      write_clusters(clusters, sink);
      return sink.bytes();
    });
    report_.temp_peak_bytes = temp_.peak_bytes();
    report_.peak_rss_bytes = peak_rss_bytes();
    return report_;
  }

 private:
  // Reserve for what comes in units: blocks that are not full, pages that are partly used, and the reader's
  // buffers.
  static constexpr std::uint64_t kSlack = std::uint64_t{8} << 20U;
  static constexpr std::uint64_t kTextShare = 4;  // texts may take this fraction of the memory

  void read() {
    // Records the progress, to find out how much of the input was read when memory runs out.
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
    Pool<run::WaitingTexts> pool;
    report_.read = run::read_listed(
        options_.input, context, budget_,
        [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
          struct Done : Hashed {
            std::vector<State> states;
            corpus::BatchIds ids;
          };
          auto done = std::make_shared<Done>();
          (*hasher_)(worker, batch.texts, *done);
          for (const std::uint32_t i : batch.vague) done->hashes[i] = done->valid[i] = 0;
          for (std::size_t i = 0; i < batch.texts.size(); ++i)
            done->states.push_back(batch.bad[i] != 0     ? State::bad
                                   : done->valid[i] == 0 ? State::too_short
                                                         : State::fingerprinted);
          done->ids = std::move(batch.ids);
          const auto turn = [this, done](DocId first) {
            documents_.hashes.append(done->hashes);
            documents_.texts.append(done->texts);
            documents_.states.append(done->states);
            documents_.ids.add(done->ids, first);
            report_.too_short += static_cast<std::uint64_t>(std::ranges::count(done->states, State::too_short));
          };
          if (!texts_) return turn;
          auto waiting = pool.take([&] { return std::make_unique<run::WaitingTexts>(budget_); });
          waiting->hold(batch.texts, budget_, temp_);
          return {[this, turn, waiting](DocId first) {
                    turn(first);
                    waiting->append_to(*texts_);
                  },
                  [this, waiting] { waiting->fill(*texts_); }};
        },
        {.keeps_texts = options_.verify});
    if (texts_) texts_->finish();
  }

  // Upper bound of the memory for `count` documents, including their ids: while reading, arrays that grow by a
  // quarter; then, while grouping, an entry in the shuffle and the node that it may become (the join takes less).
  // Texts have a share of their own.
  std::uint64_t memory_for(double count) const {
    const double read = static_cast<double>(std::max<std::size_t>(documents_.hashes.size(), 1));
    const double reading = 1.25 * ((texts_ ? 25 : 9) + static_cast<double>(documents_.ids.bytes()) / read);
    const double grouping = sizeof(Entry) + static_cast<double>(node_bytes());
    const auto most = kSlack + static_cast<std::uint64_t>(count * (reading + grouping));
    return budget_.set_aside() + (texts_ ? most * kTextShare / (kTextShare - 1) : most);
  }
  std::uint64_t node_bytes() const { return (options_.all_pairs ? 4 : 2) * sizeof(std::uint64_t); }

  // Called when memory runs out while reading. The message names what the whole input would take, not only the part
  // that was read.
  [[noreturn]] void refuse(const Error& error, const ProgressUpdate& last) const {
    const auto read = static_cast<double>(documents_.hashes.size());
    if (error.code() != Errc::over_budget || last.total == 0 || last.done == 0 || read == 0) throw error;
    const double count = read * static_cast<double>(last.total) / static_cast<double>(last.done);
    if (memory_for(count) <= budget_.ceiling()) throw error;
    throw Error(Errc::over_budget, fmt::format("`memory` {}: not enough for about {:.0f} documents; use at least {}",
                                               human_bytes(budget_.ceiling()), count, human_bytes(memory_for(count))));
  }

  // Checks the same after reading, when the number of documents is known, so as to fail early.
  void check_memory() const {
    const std::size_t count = documents_.hashes.size();
    if (memory_for(static_cast<double>(count)) > budget_.ceiling())
      throw Error(Errc::over_budget, fmt::format("`memory` {}: not enough for {} documents; use at least {}",
                                                 human_bytes(budget_.ceiling()), count,
                                                 human_bytes(memory_for(static_cast<double>(count)))));
  }

  void group(Matches& matches, std::uint64_t memory_bytes) {
    const std::size_t count = documents_.hashes.size();
    store::Shuffle<Entry, HashOfEntry> entries({.what = "the documents by fingerprint",
                                                .expected_records = count,
                                                .order_values = true,
                                                .temp = &temp_,
                                                .memory_bytes = memory_bytes},
                                               budget_);
    run_workers(threads_, [&](unsigned worker) {
      auto writer = entries.writer();
      for (std::size_t i = count * worker / threads_; i < count * (worker + 1) / threads_; ++i)
        if (documents_.states[i] == State::fingerprinted) writer.add({documents_.hashes[i], i});
    });
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
    std::vector<Variants> variants(threads_);
    entries.for_each_run(context_, [&](unsigned worker, std::size_t partition, const store::Run<Entry>& run) {
      const std::size_t node = begins[partition] + sizes[partition];
      if (run.first) {
        nodes_->hashes[node] = run.key;
        nodes_->firsts[node] = run.records.front().document;
        if (options_.all_pairs) nodes_->begins[node] = member_ends[partition];
      }
      if (options_.all_pairs)
        pair_members(run, node, member_ends[partition], writers[worker]);
      else if (options_.verify)
        pair_texts(run, variants[worker], writers[worker]);
      else
        for (const Entry& entry : run.records.subspan(run.first ? 1 : 0))
          writers[worker].add({nodes_->firsts[node], entry.document, 0});
      if (run.last) ++sizes[partition];
    });
    const std::size_t nodes = close_gaps(nodes_->hashes, begins, sizes);
    close_gaps(nodes_->firsts, begins, sizes);
    nodes_->hashes.resize(nodes);
    nodes_->firsts.resize(nodes);
    if (options_.all_pairs) {
      close_gaps(nodes_->begins, begins, sizes);
      nodes_->begins.resize(nodes);
      nodes_->begins.push_back(begins.back());
    }
    std::sort(nodes_->others.begin(), nodes_->others.end());
    report_.distinct_fingerprints = nodes;
  }

  // Pairs each document of the run with the first of its group, and with others in case it is not similar to the
  // first.
  void pair_texts(const store::Run<Entry>& run, Variants& variants, Matches::Writer& writer) {
    if (run.first) variants.start();
    for (const Entry& entry : run.records)
      variants.add(entry.document, documents_.texts[entry.document], [&](DocId earlier) {
        writer.add({earlier, entry.document, earlier == variants.heads().front() ? std::uint64_t{0} : kIfUnconnected});
      });
    if (!run.last || variants.heads().size() == 1) return;
    const std::lock_guard lock(others_mutex_);
    for (const DocId head : variants.heads().subspan(1)) nodes_->others.push_back({run.key, head});
  }

  // Pairs each document of the run with every earlier one of its group.
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
    const auto emit = [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
      const auto difference = static_cast<std::uint64_t>(std::popcount(a ^ b));
      const std::size_t node_a = nodes_->find(a);
      const std::size_t node_b = nodes_->find(b);
      if (!options_.all_pairs) {
        const DocId first_a = nodes_->firsts[node_a];
        const DocId first_b = nodes_->firsts[node_b];
        add(writers[worker], first_a, first_b, difference);
        if (nodes_->others.empty()) return;
        const auto if_unconnected = [&](DocId one, DocId other) {
          add(writers[worker], one, other, difference | kIfUnconnected);
        };
        for (const Entry& one : nodes_->others_of(a)) {
          if_unconnected(one.document, first_b);
          for (const Entry& other : nodes_->others_of(b)) if_unconnected(one.document, other.document);
        }
        for (const Entry& other : nodes_->others_of(b)) if_unconnected(first_a, other.document);
        return;
      }
      for (std::size_t i = nodes_->begins[node_a]; i < nodes_->begins[node_a + 1]; ++i)
        for (std::size_t j = nodes_->begins[node_b]; j < nodes_->begins[node_b + 1]; ++j)
          add(writers[worker], nodes_->members[i], nodes_->members[j], difference);
    };
    const std::span<const std::uint64_t> hashes(nodes_->hashes.data(), nodes_->hashes.size());
    join::join_fingerprints(hashes, {.distance = options_.distance, .blocks = options_.blocks}, options_.device,
                            context_, budget_, emit, report_.device);
  }

  void write_matches(const Matches& matches, matching::UnionFind& clusters, Sink& sink) {
    Context in_order = context_;
    in_order.threads = 1;
    matches.for_each_run(in_order, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<Match>& run) {
      for (const Match& match : run.records) {
        sink.match(match, 0);
        clusters.unite(match.first, match.second);
      }
      report_.matches += run.records.size();
    });
  }

  // Writes the candidates whose texts are similar. Candidates that are compared only if they are not yet connected
  // come after all others, and in order, so that the result does not depend on anything else.
  void verify(const Matches& candidates, matching::UnionFind& clusters, Sink& sink) {
    Progress progress(context_, "verify", "pairs", candidates.size());
    store::Shuffle<Confirmed, FirstOfConfirmed> found(
        {.what = "the matches",
         .key_bits = static_cast<unsigned>(std::bit_width(documents_.hashes.size() | 1)),
         .expected_records = static_cast<std::size_t>(candidates.size()),
         .order_values = true,
         .temp = &temp_,
         .memory_bytes = std::max<std::uint64_t>(budget_.available() / 6, 1)},
        budget_);
    Context in_order = context_;
    in_order.threads = 1;
    {
      auto writer = found.writer();
      const text::FeaturePlan plan(windows_of(options_.fingerprint));
      const std::uint64_t share = budget_.available() / 2 / threads_;
      PerWorker<TextComparer> comparers(context_);
      const auto connected = [&](const Match& match) {
        return clusters.find(match.first) == clusters.find(match.second);
      };
      bool if_unconnected = false;  // whether the pairs are those that are compared only in this case
      Blocks<Match, double> blocks(
          context_, &progress,
          [&](unsigned worker, const Match& match) {
            return comparers.get(worker, *texts_, plan, options_.threshold, budget_, share)
                .comparer.similarity(match.first, match.second);
          },
          [&](const Match& match, double similarity) {
            if (if_unconnected && connected(match)) return;
            ++report_.candidates;
            if (similarity < options_.threshold) return;
            writer.add({{match.first, match.second, match.difference & ~kIfUnconnected}, similarity});
            clusters.unite(match.first, match.second);
          });
      for (const bool last : {false, true}) {
        if_unconnected = last;
        candidates.for_each_run(in_order,
                                [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<Match>& run) {
                                  for (const Match& match : run.records) {
                                    if (((match.difference & kIfUnconnected) != 0) != if_unconnected) continue;
                                    if (if_unconnected && connected(match))
                                      progress.add(1);
                                    else
                                      blocks.add(match);
                                  }
                                });
        blocks.finish();
      }
    }
    progress.finish();
    texts_->forget_text();
    found.for_each_run(in_order, [&](unsigned /*worker*/, std::size_t /*partition*/, const store::Run<Confirmed>& run) {
      for (const Confirmed& one : run.records) sink.match(one.match, one.similarity);
    });
    report_.matches = found.size();
  }

  void write_clusters(matching::UnionFind& clusters, Sink& sink) {
    sink.begin_documents();
    const std::size_t count = documents_.hashes.size();
    // Counts the documents of each cluster at its representative.
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
  const Reservation listing_ = corpus::reserve_listing(options_.input, budget_);
  Documents documents_;
  TempSpace temp_;
  std::optional<run::TextStore> texts_;  // with verify: all documents in order
  std::optional<Hasher> hasher_;         // while reading
  std::optional<Nodes> nodes_;
  std::mutex others_mutex_;
  NearReport report_;
};

}  // namespace

}  // namespace verbs::near

NearReport near(const NearOptions& options, const Context& context) {
  NearOptions listed = options;
  verbs::near::Near verb(listed, context);
  verbs::run::OutputDir output(
      {.target = options.output,
       .force = options.force,
       .verb = "near",
       .outputs = verbs::run::with_tables({"matches.tsv", "clusters.tsv", verbs::run::kSkippedName},
                                          {"matches.parquet", "clusters.parquet"}, options.output,
                                          options.tables == Tables::parquet),
       .inputs = options.input.paths});
  verbs::run::list_skipped(listed.input, output);
  verbs::near::FileSink sink(output, options, verb.budget());
  NearReport report = verb.run(sink);
  sink.close();
  output.publish(to_json(options, report));
  return report;
}

NearResult near(DocumentStream& documents, const NearOptions& options, const Context& context) {
  if (options.tables != Tables::tsv)
    throw Error(Errc::invalid_argument, "`tables`: writes files, but these documents are in memory");
  NearOptions over = options;
  over.input = corpus::over_stream(options.input, documents, options.output);
  NearResult result;
  verbs::near::MemorySink sink(result);
  result.report = verbs::near::Near(over, context).run(sink);
  return result;
}

}  // namespace refrain
