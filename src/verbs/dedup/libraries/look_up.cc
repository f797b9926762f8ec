#include "verbs/dedup/libraries/libraries.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "store/shuffle.h"
#include "verbs/dedup/libraries/known_texts.h"
#include "verbs/dedup/libraries/sketch_block.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/known/judgement.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kBlockDocuments = 8192;  // looked up at a time

// A known document, by its number across all libraries, and a document of the input that may match it.
struct Candidate {
  std::uint64_t known = 0;
  DocId document = 0;
  std::uint64_t exact = 0;
  double estimate = 0;
  friend bool operator<(const Candidate& a, const Candidate& b) { return a.document < b.document; }
};
struct KnownOfCandidate {
  std::uint64_t operator()(const Candidate& candidate) const { return candidate.known; }
};
using Candidates = store::Shuffle<Candidate, KnownOfCandidate>;

struct DocumentOfPair {
  std::uint64_t operator()(const KnownPair& pair) const { return pair.document; }
};
using KnownPairs = store::Shuffle<KnownPair, DocumentOfPair>;

// Looks documents up in the libraries, for one thread.
class LookUp {
 public:
  LookUp(DedupRun& run, const Libraries& libraries)
      : block_(run),
        libraries_(libraries),
        overrides_(run.overrides()),
        proposer_(run.near == nullptr ? 0 : run.options.lanes, run.options.threshold) {}

  template <class Found>
  void run(DocId first, std::size_t count, Found found) {
    block_.read(first, count);
    for (std::size_t i = 0; i < libraries_.size(); ++i) {
      probe(libraries_[i]);
      hits_.clear();
      libraries_[i].find(probes_, [&](std::size_t probe, library::KnownId known) {
        hits_.push_back({probes_[probe].asker, !known::is_of_digest(probes_[probe]), known});
      });
      std::sort(hits_.begin(), hits_.end());
      hits_.erase(std::unique(hits_.begin(), hits_.end()), hits_.end());
      std::size_t begin = 0;
      for (std::size_t end = 0; begin < hits_.size(); begin = end) {
        while (end < hits_.size() && hits_[end].asker == hits_[begin].asker) ++end;
        report_matches(libraries_[i], libraries_.begin(i), first, std::span(hits_).subspan(begin, end - begin), found);
      }
    }
  }

 private:
  // Hits found by the digest sort first.
  struct Hit {
    std::uint32_t asker;
    bool by_band;
    library::KnownId known;
    friend auto operator<=>(const Hit&, const Hit&) = default;
  };

  void probe(library::Reader& reader) {
    probes_.clear();
    for (std::uint32_t i = 0; i < block_.size(); ++i) {
      if (!block_.asks(i)) continue;
      keys_.clear();
      if (block_.judged(i) && reader.layout().lanes != 0) {
        block_.bands(i, bands_);
        library::append_keys(reader.layout(), block_.digests[i], block_.signature(i), bands_, keys_);
      } else {
        library::append_keys(reader.layout(), block_.digests[i], {}, {}, keys_);
      }
      known::append_probes(keys_, i, probes_);
    }
    std::sort(probes_.begin(), probes_.end());
  }

  // Reports the known documents that a document of the input may match: copies first, then similar ones,
  // best-ranked first.
  template <class Found>
  void report_matches(library::Reader& reader, std::uint64_t base, DocId first, std::span<const Hit> hits,
                      Found found) {
    const std::uint32_t i = hits.front().asker;
    const std::span<const std::uint8_t> signature =
        block_.judged(i) ? block_.signature(i) : std::span<const std::uint8_t>();
    const DocId document = first + i;
    if (overrides_.removes(document)) return;
    // People may have removed a known document, or said that it does not match this one.
    const auto counts = [&](library::KnownId known) {
      const DocId target = kKnownTarget | (base + known);
      return !overrides_.removes(target) && !overrides_.separates(target, document);
    };
    copies_.clear();
    auto hit = hits.begin();
    for (; hit != hits.end() && !hit->by_band; ++hit) {
      if (!counts(hit->known)) continue;
      reader.get(hit->known, known_);
      if (known_.digest == block_.digests[i]) known::add_copy(hit->known, copies_);
    }
    for (const library::KnownId copy : copies_) found(Candidate{base + copy, document, 1, 1});
    if (overrides_.pins(document)) return;  // only a copy, which is kept already, comes before a person
    // Similar documents that rank after a copy are not compared.
    std::size_t matches = 0;
    for (; hit != hits.end() && (copies_.empty() || hit->known < copies_.front()); ++hit) {
      if (!counts(hit->known)) continue;
      reader.get(hit->known, known_);
      const std::optional<known::Proposal> proposal =
          proposer_(block_.digests[i], signature, known_.digest, known_.signature);
      if (!proposal) continue;
      found(Candidate{base + hit->known, document, 0, proposal->estimate});
      if (++matches == known::kMostMatches) break;
    }
  }

  SketchBlock block_;
  Libraries libraries_;
  const RunOverrides& overrides_;
  const known::Proposer proposer_;
  std::vector<library::Probe> probes_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> bands_;
  std::vector<Hit> hits_;
  std::vector<library::KnownId> copies_;
  library::KnownDocument known_;
};

void find_candidates(DedupRun& run, const Libraries& libraries, Candidates& candidates) {
  const std::uint64_t count = run.documents();
  std::vector<Candidates::Writer> writers;
  for (unsigned i = 0; i < run.threads; ++i) writers.push_back(candidates.writer());
  std::vector<std::unique_ptr<LookUp>> workers(run.threads);
  Progress progress(run.context, "known", "documents", count);
  parallel_for(run.threads, (count + kBlockDocuments - 1) / kBlockDocuments, [&](unsigned worker, std::size_t block) {
    throw_if_stopped(run.context);
    if (!workers[worker]) workers[worker] = std::make_unique<LookUp>(run, libraries);
    const DocId first = block * kBlockDocuments;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBlockDocuments, count - first));
    workers[worker]->run(first, size, [&](const Candidate& candidate) { writers[worker].add(candidate); });
    progress.add(size);
  });
  progress.finish();
}

unsigned bits_of(std::uint64_t count) {
  return static_cast<unsigned>(std::bit_width(count | 1));
}

}  // namespace

void look_up_known(DedupRun& run, KnownReport& report) {
  Libraries libraries(run.options, run.budget);
  report.libraries = libraries.size();
  report.documents = libraries.documents();
  Candidates candidates({.what = "the known documents",
                         .key_bits = bits_of(libraries.documents()),
                         .expected_records = static_cast<std::size_t>(run.documents() / 8),
                         .order_values = true,
                         .temp = &run.temp,
                         .memory_bytes = run.budget.available() / 3},
                        run.budget);
  find_candidates(run, libraries, candidates);
  KnownPairs pairs({.what = "the known documents",
                    .key_bits = bits_of(run.documents()),
                    .expected_records = static_cast<std::size_t>(run.documents() / 8),
                    .order_values = true,
                    .temp = &run.temp,
                    .memory_bytes = run.budget.available() / 3},
                   run.budget);
  {
    KnownTexts texts(run, libraries);
    auto writer = pairs.writer();
    Context in_order = run.context;
    in_order.threads = 1;
    candidates.for_each_run(in_order, [&](unsigned, std::size_t, const store::Run<Candidate>& records) {
      throw_if_stopped(run.context);
      if (records.first) texts.add(records.key);
      const DocId match = run.documents() + texts.size() - 1;
      for (const Candidate& candidate : records.records)
        writer.add({candidate.document, match, candidate.exact, candidate.estimate});
    });
    texts.finish(report);
  }
  run::RunFile out = run.dir.create_work("known_pairs");
  Context in_order = run.context;
  in_order.threads = 1;
  pairs.for_each_run(in_order, [&](unsigned, std::size_t, const store::Run<KnownPair>& records) {
    out.write_values(std::span<const KnownPair>(records.records));
  });
  run.dir.close(out);
}

}  // namespace refrain::verbs::dedup
