#include "verbs/ngrams/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "engines/ngram/candidates.h"
#include "engines/ngram/counting_filter.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/key_sample.h"
#include "engines/ngram/key_stream.h"
#include "engines/ngram/text_stream.h"
#include "engines/ngram/verify.h"
#include "refrain/error.h"
#include "store/shuffle.h"
#include "text/token_hash.h"
#include "text/tokenizer.h"
#include "verbs/ngrams/passes.h"

namespace refrain::verbs::ngrams {

namespace {

constexpr std::size_t kMostSlices = 8;
constexpr std::size_t kSampleKeys = std::size_t{1} << 18U;
constexpr std::size_t kPartitionRecords = std::size_t{1} << 19U;
constexpr std::size_t kRunRecords = std::size_t{1} << 15U;
// A filter works well if it has not many fewer counters than n-grams.
constexpr double kFilterLoad = 0.7;
constexpr std::uint64_t kDiskBytesPerToken = 4;
// N-grams of at least this many tokens have keys that are spread evenly enough.
constexpr unsigned kLongGram = 6;
// The least memory to work with.
constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20U;

using Grams = store::Shuffle<std::uint64_t, store::HighBits, ngram::PackedLayout>;

// A range of keys, and the part of the sample within it.
struct Slice {
  std::uint64_t low;
  std::uint64_t high;  // the last key of the slice
  std::size_t sample_begin;
  std::size_t sample_end;
};

class AutoBuild {
 public:
  AutoBuild(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
            ngram::IndexWriter& writer, NgramsReport& report, unsigned least_position_bits)
      : options_(options),
        context_(context),
        threads_(thread_count(context)),
        budget_(budget),
        temp_(temp),
        writer_(writer),
        report_(report),
        spent_(report.stages),
        tokenizer_(text::make_tokenizer(options.tokenizer)),
        passes_(options.input, context, budget, temp),
        sample_(budget, "a sample of the n-grams"),
        output_(writer, passes_.documents(), options.m),
        position_bits_(least_position_bits) {}

  void run() {
    timed("count", [&] { count(); });
    position_bits_ = std::max(position_bits_, static_cast<unsigned>(std::bit_width(report_.tokens)));
    if (report_.grams >= options_.m) build();
    report_.passes = passes_.passes();
  }

 private:
  // ---- the first pass

  // The state with which a worker counts and samples.
  struct Counter {
    Counter(unsigned number, unsigned workers, unsigned n)
        : sampler(number + 1, std::max<std::size_t>(2 * kSampleKeys / workers, 1024)), hashes(n) {}
    text::TokenBlock block;
    ngram::KeySampler sampler;
    std::vector<std::uint64_t> hashes;
    std::unique_ptr<ngram::KeyStream> keys;  // used if n is too large for n-grams within a stretch
  };

  void count() {
    std::vector<Counter> counters;
    const bool wide = options_.n > text::kMaxTokenBytes / 64;
    for (unsigned i = 0; i < threads_; ++i) {
      Counter& counter = counters.emplace_back(i, threads_, options_.n);
      if (wide) counter.keys = std::make_unique<ngram::KeyStream>(*tokenizer_, options_.n);
    }
    const Reservation held = budget_.reserve(
        threads_ * (2 * kSampleKeys / threads_ * 8 + ngram::KeyStream::bytes(options_.n)), "a sample of the n-grams");
    report_.read = passes_.count(
        "pass 1",
        [&](unsigned worker, std::string_view text) {
          return wide ? count_wide(counters[worker], text) : count_tokens(counters[worker], text);
        },
        [&](std::optional<std::string_view> id, std::uint64_t tokens) {
          writer_.add_document(id, tokens);
          if (tokens >= options_.n) report_.grams += tokens - options_.n + 1;
        });
    report_.documents = passes_.documents().size();
    report_.tokens = passes_.documents().tokens();
    std::vector<ngram::KeySampler> samplers;
    for (Counter& counter : counters) samplers.push_back(std::move(counter.sampler));
    sample_ = ngram::joined_sample(samplers, budget_);
    if (sample_.empty()) sample_.push_back(0);
  }

  // N-grams that span two stretches are not sampled; there are enough within stretches.
  std::uint64_t count_tokens(Counter& counter, std::string_view text) const {
    const unsigned n = options_.n;
    std::uint64_t tokens = 0;
    for (std::size_t position = 0; position < text.size();) {
      position = tokenizer_->next(text, position, counter.block);
      const std::size_t size = counter.block.size();
      tokens += size;
      std::size_t at = 0;
      const std::size_t grams = size < n ? 0 : size - n + 1;
      while ((at += counter.sampler.next(grams - at)) < grams) {
        for (unsigned i = 0; i < n; ++i)
          counter.hashes[i] = text::hash_token(HashKind::xxh3, counter.block.normal(at + i), 0);
        counter.sampler.take(ngram::gram_key(std::span<const std::uint64_t>(counter.hashes)));
        ++at;
      }
    }
    return tokens;
  }

  static std::uint64_t count_wide(Counter& counter, std::string_view text) {
    counter.keys->start(text);
    for (std::span<const std::uint64_t> keys; counter.keys->next(keys);) {
      std::size_t at = 0;
      while ((at += counter.sampler.next(keys.size() - at)) < keys.size()) counter.sampler.take(keys[at++]);
    }
    return counter.keys->tokens();
  }

  // ---- slices

  void build() {
    const double token_bytes = static_cast<double>(report_.read.text_bytes) / static_cast<double>(report_.tokens);
    verifier_.emplace(
        context_, budget_, temp_, output_, [&](ngram::Resolver& resolver) { verify_pass(resolver); },
        [&] { return free_memory(); }, (token_bytes + 1) * std::min(options_.n, 3U));
    for (unsigned i = 0; i < threads_; ++i)
      keys_.push_back(std::make_unique<ngram::KeyStream>(*tokenizer_, options_.n));
    const Reservation held = budget_.reserve(
        threads_ * (ngram::KeyStream::bytes(options_.n) + kRunRecords * sizeof(std::uint32_t)), "the tokens at hand");
    for (unsigned i = 0; i < threads_; ++i)
      texts_.push_back(std::make_unique<ngram::TextStream>(*tokenizer_, options_.n, budget_));
    const std::uint64_t memory = free_memory();
    if (memory < kLeastBytes)
      throw Error(Errc::over_budget,
                  fmt::format("`memory`: reading and listing the documents takes {}, and too little is left; raise it",
                              human_bytes(passes_.reading_bytes())));
    grams_per_slice_ = slice_grams(memory, 8);
    const bool filtered = report_.grams > kMostSlices * grams_per_slice_;
    // A slice takes one pass to fill and one to verify, if nothing is larger than estimated.
    if (!filtered) expected_passes_ = 1 + 2 * ((report_.grams + grams_per_slice_ - 1) / grams_per_slice_);
    if (filtered)
      grams_per_slice_ = static_cast<std::uint64_t>(
          kFilterLoad * static_cast<double>(ngram::CountingFilter::counters(filter_bytes(memory))));
    for (std::size_t at = 0; at < sample_.size();) {
      const Slice slice = next_slice(at, grams_per_slice_, at == 0 ? 0 : sample_[at]);
      at = slice.sample_end;
      if (filtered)
        build_filtered(slice);
      else
        build_slice(slice);
    }
  }

  // Memory that is left for the work itself, without what reading the input needs.
  std::uint64_t free_memory() const {
    return budget_.available() - std::min(budget_.available(), passes_.reading_bytes());
  }

  // The number of n-grams of a slice for which `memory` has room, with `bytes` each. A shuffle needs a tenth of the
  // memory for itself, or more if memory is small.
  std::uint64_t slice_grams(std::uint64_t memory, double bytes) const {
    const double part = memory < (std::uint64_t{256} << 20U) ? 0.75 : 0.89;
    // A larger slice might have to be spilled to disk: groups are numbered with the bits that positions leave, and
    // have at least two places.
    const std::uint64_t most = std::uint64_t{2} << (64 - std::max(position_bits_, 2U));
    const auto fit = static_cast<std::uint64_t>(static_cast<double>(memory) * part / bytes);
    return std::clamp<std::uint64_t>(fit, 4096, std::max<std::uint64_t>(most, 4096));
  }

  std::uint64_t grams_of(std::size_t sample_begin, std::size_t sample_end) const {
    return static_cast<std::uint64_t>(static_cast<double>(report_.grams) *
                                      static_cast<double>(sample_end - sample_begin) /
                                      static_cast<double>(sample_.size()));
  }

  // Returns the slice that begins at `low`, before the sample's key `begin`. The remaining range is cut into equal
  // parts of at most `grams` each. Equal keys stay together, so a frequent n-gram can make a slice larger.
  Slice next_slice(std::size_t begin, std::uint64_t grams, std::uint64_t low) const {
    return cut(begin, sample_.size(), grams, low, ~std::uint64_t{0});
  }
  Slice cut(std::size_t begin, std::size_t end, std::uint64_t grams, std::uint64_t low, std::uint64_t high) const {
    const std::uint64_t slices = std::max<std::uint64_t>((grams_of(begin, end) + grams - 1) / grams, 1);
    std::size_t middle = begin + std::max<std::size_t>((end - begin) / slices, 1);
    if (middle < end && sample_[middle] <= std::max(low, sample_[begin]))
      middle = static_cast<std::size_t>(
          std::upper_bound(sample_.begin() + middle, sample_.begin() + end, sample_[middle]) - sample_.begin());
    else if (middle < end)
      middle = static_cast<std::size_t>(
          std::lower_bound(sample_.begin() + begin, sample_.begin() + middle, sample_[middle]) - sample_.begin());
    return {low, middle >= end ? high : sample_[middle] - 1, begin, std::min(middle, end)};
  }

  void build_slice(const Slice& slice) {
    const std::uint64_t expected = grams_of(slice.sample_begin, slice.sample_end);
    const std::uint64_t memory = free_memory();
    Grams grams = new_shuffle(expected, memory);
    const ngram::KeyParts parts = parts_of(slice, grams);
    timed("slice", [&] { slice_pass(parts, grams, nullptr); });
    timed_verification(grams, memory);
    // The memory that candidates took tells how large a slice may be if its candidates are to need only one pass.
    if (seen_grams_ > 0) {
      const double needed = (8 * static_cast<double>(seen_places_) +
                             verifier_->group_bytes() * 1.15 * static_cast<double>(seen_groups_)) /
                            static_cast<double>(seen_grams_);
      grams_per_slice_ = slice_grams(memory, std::max(8.0, needed));
    }
  }

  // ---- more than eight slices

  std::uint64_t filter_bytes(std::uint64_t memory) const { return memory / 8 * 5; }

  void build_filtered(const Slice& slice) {
    const std::uint64_t memory = free_memory();
    std::optional<ngram::CountingFilter> filter;
    filter.emplace(filter_bytes(memory), options_.m, budget_);
    std::uint64_t in_slice = 0;
    timed("filter", [&] { in_slice = filter_pass(slice, *filter); });
    const std::uint64_t survivors = in_slice - filter->below(threads_, context_);
    // Limits the number at a time, for the sake of the disk.
    const std::uint64_t most = std::max<std::uint64_t>(kDiskBytesPerToken * report_.tokens / 9, 1);
    const std::uint64_t shuffles = survivors / most + 1;
    const std::uint64_t grams = grams_of(slice.sample_begin, slice.sample_end) / shuffles + 1;
    std::size_t at = slice.sample_begin;
    std::uint64_t low = slice.low;
    while (at < slice.sample_end) {
      const Slice part = cut(at, slice.sample_end, grams, low, slice.high);
      const std::uint64_t expected =
          survivors * (part.sample_end - part.sample_begin) / (slice.sample_end - slice.sample_begin) + 1;
      at = part.sample_end;
      low = part.high + 1;
      if (!filter) {  // its memory was needed to verify
        filter.emplace(filter_bytes(free_memory()), options_.m, budget_);
        timed("filter", [&] { filter_pass(slice, *filter); });
      }
      const std::uint64_t rest = free_memory();
      temp_.expect(expected * sizeof(std::uint64_t), "repeated n-grams");
      Grams kept = new_shuffle(expected, rest);
      const ngram::KeyParts parts = parts_of(part, kept);
      timed("slice", [&] { slice_pass(parts, kept, &*filter); });
      filter.reset();
      timed_verification(kept, rest);
    }
  }

  std::uint64_t filter_pass(const Slice& slice, ngram::CountingFilter& filter) {
    std::vector<std::uint64_t> seen(threads_ * 8);
    const std::uint64_t span = slice.high - slice.low;
    each_key([&](unsigned worker, std::uint64_t /*position*/, std::span<const std::uint64_t> keys) {
      seen[worker * 8] += filter.add(keys, slice.low, span);
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t count : seen) sum += count;
    return sum;
  }

  // ---- one slice

  Grams new_shuffle(std::uint64_t expected, std::uint64_t memory) {
    return Grams(
        {.what = "the n-grams of a slice",
         .expected_records = expected,
         .partition_records = std::clamp<std::size_t>(expected / 256, kPartitionRecords / 8, kPartitionRecords),
         .order_values = true,
         .run_records = kRunRecords,
         .temp = &temp_,
         .memory_bytes = memory},
        budget_, store::HighBits{position_bits_}, ngram::PackedLayout(position_bits_, options_.m < 2));
  }

  ngram::KeyParts parts_of(const Slice& slice, const Grams& grams) {
    return {slice.low,
            slice.high,
            std::span<const std::uint64_t>(sample_.data(), sample_.size())
                .subspan(slice.sample_begin, slice.sample_end - slice.sample_begin),
            grams.partitions(),
            options_.n < kLongGram ? 6U : 0U,
            position_bits_,
            budget_};
  }

  template <class Use>
  void each_key(Use use) {
    passes_.next_pass(
        pass_name(), [](unsigned, std::uint64_t) {},
        [&](unsigned worker, std::uint64_t position, std::string_view text) {
          ngram::KeyStream& stream = *keys_[worker];
          stream.start(text);
          for (std::span<const std::uint64_t> keys; stream.next(keys);) use(worker, position + stream.first(), keys);
          return stream.tokens();
        });
  }

  void slice_pass(const ngram::KeyParts& parts, Grams& grams, const ngram::CountingFilter* filter) {
    std::vector<Grams::Writer> writers;
    for (unsigned i = 0; i < threads_; ++i) writers.push_back(grams.writer());
    std::vector<std::vector<std::uint32_t>> kept(threads_);
    each_key([&](unsigned worker, std::uint64_t position, std::span<const std::uint64_t> keys) {
      std::vector<std::uint32_t>& mine = kept[worker];
      if (mine.size() < keys.size()) mine.resize(keys.size());
      std::size_t size = 0;
      const std::uint64_t low = parts.low();
      const std::uint64_t span = parts.span();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        mine[size] = static_cast<std::uint32_t>(i);
        size += keys[i] - low <= span ? 1 : 0;
      }
      if (filter != nullptr) size = filter->pass(keys, std::span(mine.data(), size));
      Grams::Writer& writer = writers[worker];
      for (std::size_t i = 0; i < size; ++i) {
        const ngram::KeyParts::Held held = parts.hold(keys[mine[i]], position + mine[i]);
        writer.add_to(held.part, held.record);
      }
    });
  }

  // ---- candidates

  void timed_verification(Grams& grams, std::uint64_t memory) {
    ngram::Candidates candidates(
        position_bits_, threads_, grams.partitions(),
        std::clamp<std::size_t>(memory / 128, std::size_t{64} << 10U, std::size_t{32} << 20U) / 8, budget_);
    const std::vector<std::size_t> begins = grams.partition_begins();
    const std::size_t parts = grams.partitions();
    // A partition's memory is freed when all of it is grouped. Until then, it is held along with its sorted records
    // and its candidates.
    std::uint64_t largest = 0;
    for (std::size_t p = 0; p < parts; ++p) largest = std::max<std::uint64_t>(largest, begins[p + 1] - begins[p]);
    const std::uint64_t besides = 16 * std::min<std::uint64_t>(threads_ * largest, begins[parts]) +
                                  threads_ * (candidates.segment_bytes() + (std::uint64_t{1} << 20U));
    // The most groups of a partition: a group has at least two places, and there are only so many group numbers.
    const auto most_groups = [&](std::size_t p) {
      return std::min<std::uint64_t>((begins[p + 1] - begins[p]) / 2, candidates.most_groups());
    };
    std::uint64_t all_groups = 0;
    for (std::size_t p = 0; p < parts; ++p) all_groups += most_groups(p);
    const bool spilled =
        !grams.in_memory(context_) || besides > budget_.available() || all_groups > candidates.most_groups();
    if (spilled) grams.spill(context_);
    seen_grams_ += begins[parts];
    const auto records = [&](std::size_t from, std::size_t to) { return begins[to] - begins[from]; };
    const auto verify = [&](bool cut) {
      seen_places_ += candidates.places();
      seen_groups_ += candidates.groups();
      const double passing = spent_.seconds("verify");
      const double sorting = verifier_->sorting_seconds();
      const Stopwatch watch;
      verifier_->verify(candidates, cut);
      const double sorted = verifier_->sorting_seconds() - sorting;
      spent_.add("sort", sorted);
      spent_.add("write", watch.seconds() - sorted - (spent_.seconds("verify") - passing));
    };
    for (std::size_t first = 0; first < parts;) {
      // In memory, candidates take the memory that n-grams free. From disk, take as many partitions as fit whatever
      // their contents, and as there are group numbers for; there are always enough numbers for one partition.
      std::size_t last = parts;
      if (spilled) {
        const auto taken =
            static_cast<std::uint64_t>(verifier_->group_bytes() * static_cast<double>(candidates.groups()));
        const std::uint64_t room = free_memory() / 3 * 2;
        const std::uint64_t fit = (room - std::min(room, taken)) / 12;
        std::uint64_t groups = candidates.groups();
        for (last = first; last < parts && records(first, last + 1) <= fit; ++last) {
          groups += most_groups(last);
          if (groups > candidates.most_groups()) break;
        }
        if (last == first && candidates.places() != 0) {
          verify(false);
          continue;
        }
      }
      if (last == first) {
        drain_oversized(grams, first, memory / 3, candidates, verify);
        ++first;
        continue;
      }
      timed("group", [&] {
        grams.drain(context_, first, last, memory / 3,
                    [&](unsigned worker, std::size_t part, const store::Run<std::uint64_t>& run) {
                      if (run.first && run.last && run.records.size() < options_.m) return;
                      if (run.first) candidates.begin_group(worker, part);
                      candidates.add(worker, run.records);
                    });
      });
      first = last;
    }
    if (candidates.places() != 0) verify(false);
  }

  // Drains a partition that is larger than memory, in order, and verifies whenever memory is full.
  template <class Verify>
  void drain_oversized(Grams& grams, std::size_t part, std::uint64_t memory, ngram::Candidates& candidates,
                       Verify verify) {
    Context alone = context_;
    alone.threads = 1;
    bool continues = false;
    grams.drain(alone, part, part + 1, memory, [&](unsigned, std::size_t, const store::Run<std::uint64_t>& run) {
      if (run.first && run.last && run.records.size() < options_.m) return;
      if (run.first || std::exchange(continues, false)) candidates.begin_group(0, part);
      candidates.add(0, run.records);
      const auto taken =
          static_cast<std::uint64_t>(verifier_->group_bytes() * static_cast<double>(candidates.groups()));
      // Every thread needs memory of its own to verify.
      const std::uint64_t workers = ngram::Resolver::working_bytes(threads_) + threads_ * (std::uint64_t{64} << 10U);
      if (free_memory() > workers + 2 * (taken + (std::uint64_t{1} << 20U) + candidates.segment_bytes())) return;
      verify(!run.last);
      continues = !run.last;
    });
  }

  void verify_pass(ngram::Resolver& resolver) {
    timed("verify", [&] {
      passes_.next_pass(
          pass_name(), [&](unsigned worker, std::uint64_t position) { resolver.seek(worker, position); },
          [&](unsigned worker, std::uint64_t position, std::string_view text) {
            ngram::TextStream& stream = *texts_[worker];
            stream.start(text);
            while (stream.next()) resolver.visit(worker, stream, position);
            return stream.tokens();
          });
    });
  }

  std::string pass_name() const {
    const std::uint64_t number = passes_.passes() + 1;
    return number <= expected_passes_ ? fmt::format("pass {} of about {}", number, expected_passes_)
                                      : fmt::format("pass {}", number);
  }

  template <class Do>
  void timed(const char* stage, Do action) {
    const Stopwatch watch;
    action();
    spent_.add(stage, watch.seconds());
  }

  const NgramsOptions& options_;
  const Context& context_;
  const unsigned threads_;
  MemoryBudget& budget_;
  TempSpace& temp_;
  ngram::IndexWriter& writer_;
  NgramsReport& report_;
  StageSeconds spent_;
  const std::unique_ptr<const text::Tokenizer> tokenizer_;
  TextPasses passes_;
  Array<std::uint64_t> sample_;
  ngram::GramOutput output_;
  unsigned position_bits_;
  std::optional<ngram::Verifier> verifier_;
  std::vector<std::unique_ptr<ngram::KeyStream>> keys_;
  std::vector<std::unique_ptr<ngram::TextStream>> texts_;
  std::uint64_t grams_per_slice_ = 0;
  std::uint64_t expected_passes_ = 0;  // 0 if unknown
  // Totals so far.
  std::uint64_t seen_grams_ = 0;
  std::uint64_t seen_places_ = 0;
  std::uint64_t seen_groups_ = 0;
};

}  // namespace

void build_auto(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                ngram::IndexWriter& writer, NgramsReport& report, unsigned least_position_bits) {
  AutoBuild(options, context, budget, temp, writer, report, least_position_bits).run();
}

}  // namespace refrain::verbs::ngrams
