#include "engines/substring/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "engines/substring/coverage.h"
#include "engines/substring/plan.h"
#include "engines/substring/resolver.h"
#include "engines/substring/sampler.h"
#include "refrain/error.h"
#include "refrain/substrings.h"
#include "store/position_list.h"

namespace refrain::substring {

namespace {

// The number of bytes that a thread takes at a time.
constexpr std::uint64_t kStretchBytes = std::uint64_t{1} << 20;
static_assert(kStretchBytes % Sampler::kMaxWindows == 0);

// How many positions from groups that are still too small are kept in memory, per thread.
constexpr std::size_t kMaxOpenPositions = std::size_t{8} << 10U;

// Stores the ranges of partitions until they are joined; beyond a megabyte, in a file.
class RangeBuffer {
 public:
  struct Saved {
    std::vector<ByteRange> here;
    std::uint64_t offset = 0;
    std::size_t away = 0;
  };

  explicit RangeBuffer(TempSpace& temp) : temp_(temp) {}

  Saved save(const std::vector<ByteRange>& ranges) {
    const std::size_t bytes = ranges.size() * sizeof(ByteRange);
    if (held_ + bytes <= kMostInMemory) {
      held_ += bytes;
      return {.here = ranges};
    }
    if (!file_) file_.emplace(temp_);
    return {.here = {},
            .offset = file_->append({reinterpret_cast<const char*>(ranges.data()), bytes}),
            .away = ranges.size()};
  }
  template <class Fn>
  void for_each(const Saved& parked, Fn fn) const {
    for (const ByteRange& range : parked.here) fn(range);
    std::vector<ByteRange> piece;
    for (std::size_t done = 0; done < parked.away; done += piece.size()) {
      piece.resize(std::min(kPiece, parked.away - done));
      file_->read(parked.offset + done * sizeof(ByteRange),
                  {reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(ByteRange)});
      for (const ByteRange& range : piece) fn(range);
    }
  }

 private:
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 20;
  static constexpr std::size_t kPiece = std::size_t{8} << 10;

  TempSpace& temp_;
  std::size_t held_ = 0;
  std::optional<TempFile> file_;
};

class Finder {
 public:
  Finder(const SubstringPlan& plan, const TextSource& text, std::span<const std::uint64_t> ends, const Context& context,
         MemoryBudget& budget, TempSpace& temp)
      : plan_(plan), text_(text), ends_(ends), context_(context), budget_(budget), temp_(temp), found_(budget) {}

  Repeats run() {
    const auto position_bits = static_cast<unsigned>(std::bit_width(text_.size() | 1U));
    const std::uint64_t memory = budget_.available();
    Links links({.what = "the repeated windows",
                 .key_bits = position_bits,
                 .expected_records = text_.size() / 64,
                 .order_values = true,
                 .temp = &temp_,
                 .memory_bytes = memory / 5},
                budget_);
    {
      Windows windows({.what = "the windows",
                       .expected_records = text_.size() / 128,
                       .order_values = true,
                       .temp = &temp_,
                       .memory_bytes = memory / 6},
                      budget_);
      {
        Samples samples({.what = "the samples",
                         .key_bits = SampleRecord::kCoreBits,
                         .expected_records = 2 * text_.size() / (plan_.span + 1) + ends_.size(),
                         .order_values = true,
                         .temp = &temp_,
                         .memory_bytes = memory / 2},
                        budget_);
        sample(samples, links);
        meet(samples, windows, links);
      }
      meet_windows(windows, links);
    }
    cover(links);
    return std::move(found_);
  }

 private:
  // The hashers for samples.
  struct Hashers {
    explicit Hashers(const SubstringPlan& plan) : core(plan.core, plan.seed), context(plan.length, plan.seed) {}
    void reset() {
      core.reset();
      context.reset();
    }
    StretchHasher core;
    StretchHasher context;
  };

  void sample(Samples& samples, Links& links) {
    Progress progress(context_, "sample", "bytes", text_.size());
    const std::uint64_t stretches = (text_.size() + kStretchBytes - 1) / kStretchBytes;
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> count{0};
    run_workers(thread_count(context_), [&](unsigned /*worker*/) {
      Samples::Writer to_samples = samples.writer();
      Links::Writer to_links = links.writer();
      Sampler sampler(plan_);
      Hashers hashers(plan_);
      std::vector<char> scratch;
      for (std::uint64_t stretch = next++; stretch < stretches; stretch = next++) {
        const std::uint64_t begin = stretch * kStretchBytes;
        const std::uint64_t end = std::min(begin + kStretchBytes, text_.size());
        const std::uint64_t read_end = std::min(end + plan_.length - 1, text_.size());
        const char* bytes = text_.read(begin, static_cast<std::size_t>(read_end - begin), scratch);
        hashers.reset();
        count += sample_stretch(bytes, begin, end, sampler, hashers, to_samples, to_links);
        progress.add(end - begin);
      }
    });
    progress.finish();
    found_.samples = count;
  }

  // Samples the windows that begin in [begin, end), document by document, in pieces whose boundaries do not depend
  // on the number of threads.
  std::uint64_t sample_stretch(const char* bytes, std::uint64_t begin, std::uint64_t end, Sampler& sampler,
                               Hashers& hashers, Samples::Writer& to_samples, Links::Writer& to_links) const {
    std::uint64_t count = 0;
    auto document_end = std::upper_bound(ends_.begin(), ends_.end(), begin);
    for (std::uint64_t at = begin; at < end && document_end != ends_.end(); at = *document_end++) {
      if (*document_end - at < plan_.length) continue;
      const std::uint64_t stop = std::min(end, *document_end - plan_.length + 1);
      while (at < stop) {
        const std::uint64_t seam = (at / Sampler::kMaxWindows + 1) * Sampler::kMaxWindows;
        const std::uint64_t windows = std::min(stop, seam) - at;
        sampler.sample(bytes + (at - begin), static_cast<std::size_t>(windows));
        add(bytes + (at - begin), at, sampler, hashers, to_samples, to_links);
        count += sampler.samples().size();
        at += windows;
      }
    }
    return count;
  }

  void add(const char* bytes, std::uint64_t at, const Sampler& sampler, Hashers& hashers, Samples::Writer& to_samples,
           Links::Writer& to_links) const {
    for (const Sample& sample : sampler.samples()) {
      const std::uint64_t core = hashers.core.hash(bytes + sample.core, plan_.core);
      const std::uint64_t context = hashers.context.hash(bytes + sample.first, sample.windows - 1 + plan_.length);
      to_samples.add(SampleRecord(core, context, at + sample.core, sample.core - sample.first, sample.windows));
    }
    for (const Fold& fold : sampler.folds())
      to_links.add(Link(at + fold.first, fold.windows, at + fold.first - fold.period));
  }

  // Frees the samples as they are read, because links take their place.
  void meet(Samples& samples, Windows& windows, Links& links) const {
    std::vector<GroupResolver> resolvers;
    for (unsigned worker = 0; worker < thread_count(context_); ++worker)
      resolvers.emplace_back(plan_, text_, windows, links);
    samples.drain(context_, 0, samples.partitions(), budget_.available(),
                  [&](unsigned worker, std::size_t /*partition*/, const store::Run<SampleRecord>& run) {
                    resolvers[worker].add(run);
                  });
  }

  void meet_windows(const Windows& windows, Links& links) const {
    struct Group {
      Links::Writer writer;
      store::PositionList open;  // the first places, while there are fewer than min_count
      std::uint64_t weight = 0;
      std::uint64_t earliest = 0;
    };
    std::vector<Group> groups;
    for (unsigned worker = 0; worker < thread_count(context_); ++worker)
      groups.push_back({links.writer(), store::PositionList(temp_, kMaxOpenPositions)});
    windows.for_each_run(
        context_, [&](unsigned worker, std::size_t /*partition*/, const store::Run<WindowRecord>& run) {
          Group& group = groups[worker];
          if (run.first) {
            group.open.clear();
            group.weight = 0;
            group.earliest = run.records.front().position();
          }
          for (const WindowRecord& window : run.records) {
            group.weight += window.heavy() ? plan_.min_count : 1;
            if (group.weight < plan_.min_count) {
              group.open.add(window.position());
              continue;
            }
            if (group.open.size() != 0) {
              group.open.for_each([&](std::uint64_t position) { group.writer.add(Link(position, 1, group.earliest)); });
              group.open.clear();
            }
            group.writer.add(Link(window.position(), 1, group.earliest));
          }
        });
  }

  // Each partition of the links covers a stretch of the text. The ranges of neighboring stretches are joined at the
  // end.
  void cover(const Links& links) {
    struct Done {
      RangeBuffer::Saved repeated;
      RangeBuffer::Saved first;
      std::vector<Diagonal> edges;  // with places: the first and the last, which a neighbor may continue
    };
    std::vector<Done> done(links.partitions());
    std::vector<std::optional<Coverage>> open(thread_count(context_));
    std::vector<std::size_t> partitions(thread_count(context_), 0);
    std::vector<RepeatPlaces::Writer> writers;
    if (plan_.places) {
      found_.places = std::make_unique<RepeatPlaces>(
          store::ShuffleOptions{.what = "the places",
                                .key_bits = static_cast<unsigned>(std::bit_width(text_.size() | 1U)),
                                .expected_records = text_.size() / 256,
                                .order_values = true,
                                .temp = &temp_,
                                .memory_bytes = budget_.available() / 2},
          budget_);
      for (unsigned worker = 0; worker < thread_count(context_); ++worker) writers.push_back(found_.places->writer());
    }
    const auto write_place = [&](RepeatPlaces::Writer& writer, const Diagonal& diagonal) {
      writer.add({diagonal.target, diagonal.first, diagonal.windows - 1 + plan_.length});
    };
    std::vector<std::vector<Diagonal>> edges(thread_count(context_));
    const auto on_diagonal = [&](unsigned worker) -> std::function<void(const Diagonal&)> {
      if (!plan_.places) return {};
      return [&write_place, &writer = writers[worker], &edge = edges[worker]](const Diagonal& diagonal) {
        if (edge.size() < 2) return edge.push_back(diagonal);
        write_place(writer, std::exchange(edge.back(), diagonal));
      };
    };
    RangeBuffer ranges(temp_);
    std::mutex mutex;
    const auto close = [&](unsigned worker) {
      if (!open[worker]) return;
      open[worker]->finish();
      const std::lock_guard lock(mutex);
      done[partitions[worker]] = {ranges.save(open[worker]->repeated.ranges()),
                                  ranges.save(open[worker]->first.ranges()), std::exchange(edges[worker], {})};
      found_.windows += open[worker]->windows;
      found_.verified_bytes += open[worker]->verified_bytes;
      open[worker].reset();
    };
    links.for_each_run(context_, [&](unsigned worker, std::size_t partition, const store::Run<Link>& run) {
      if (!open[worker] || partitions[worker] != partition) {
        close(worker);
        open[worker].emplace(plan_, text_, ends_, on_diagonal(worker));
        partitions[worker] = partition;
      }
      for (const Link& link : run.records) open[worker]->add(link);
    });
    for (unsigned worker = 0; worker < thread_count(context_); ++worker) close(worker);
    for (const Done& one : done) ranges.for_each(one.repeated, [&](ByteRange range) { join(range, found_.repeated); });
    for (const Done& one : done) ranges.for_each(one.first, [&](ByteRange range) { join(range, found_.first); });
    Diagonal last;
    for (const Done& one : done)
      for (const Diagonal& edge : one.edges) {
        if (last.is_continued_by(edge.first, edge.target)) {
          last.windows += edge.windows;
          continue;
        }
        if (last.windows != 0) write_place(writers.front(), last);
        last = edge;
      }
    if (last.windows != 0) write_place(writers.front(), last);
  }

  // Adds the next range, which may continue the last one.
  void join(ByteRange range, Array<ByteRange>& ranges) const {
    if (!ranges.empty() && joins(ranges[ranges.size() - 1], range, ends_))
      ranges[ranges.size() - 1].end = std::max(ranges[ranges.size() - 1].end, range.end);
    else
      ranges.push_back(range);
  }

  const SubstringPlan& plan_;
  const TextSource& text_;
  const std::span<const std::uint64_t> ends_;
  const Context& context_;
  MemoryBudget& budget_;
  TempSpace& temp_;
  Repeats found_;
};

}  // namespace

Repeats find_repeats(const RepeatOptions& options, const TextSource& text, std::span<const std::uint64_t> ends,
                     const Context& context, MemoryBudget& budget, TempSpace& temp) {
  if (options.length < kMinSubstringLength || options.length > kMaxSubstringLength)
    throw Error(Errc::invalid_argument, fmt::format("`length` {}: must be from {} to {}", options.length,
                                                    kMinSubstringLength, kMaxSubstringLength));
  if (options.min_count < 2) throw Error(Errc::invalid_argument, "`min_count`: must be 2 or more");
  if (text.size() >= kMaxTextBytes)
    throw Error(Errc::unsupported, fmt::format("{} of text: more than {} is not supported; split the input",
                                               human_bytes(text.size()), human_bytes(kMaxTextBytes)));
  for (std::uint64_t seed = 0;; ++seed) {
    const SubstringPlan plan(options.length, options.min_count, options.places, seed);
    try {
      return Finder(plan, text, ends, context, budget, temp).run();
    } catch (const HashCollision&) {
      // Comparing the bytes revealed a collision. The next seed gives other hashes; no text collides for every seed.
    }
  }
}

}  // namespace refrain::substring
