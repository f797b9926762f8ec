// The kernels of refrain/matches.h: they make sketches of documents, bring them together, compare pairs, and decide who
// is kept, as the verb does.
#include "refrain/matches.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/pieces.h"
#include "engines/matching/bands.h"
#include "engines/sketch/comparer.h"
#include "engines/sketch/minhash.h"
#include "engines/sketch/templates.h"
#include "refrain/error.h"
#include "text/windows.h"
#include "verbs/dedup/near/pairs.h"
#include "verbs/dedup/state/sources.h"

namespace refrain {

struct DocumentMatcher::Impl {
  Impl(const DocumentMatchOptions& given, std::span<const std::vector<std::uint64_t>> templates)
      : options(given),
        rule(sketch::MatchRule::of(given)),
        plan(given.windows),
        minhash(given.lanes, given.windows.seed),
        bands(matching::choose_bands(given.threshold, given.recall, given.lanes)),
        least_equal(sketch::least_equal(given.threshold, given.lanes)) {
    for (const std::vector<std::uint64_t>& windows : templates) left_out.emplace_back(windows);
  }

  const text::LeftOut* left_out_of(std::span<const std::uint32_t> numbers, std::size_t i) const {
    return numbers.empty() || numbers[i] == 0 ? nullptr : &left_out[numbers[i] - 1];
  }
  void check(const TextColumn& texts, std::span<const std::uint32_t> numbers) const {
    if (!numbers.empty() && numbers.size() != texts.size())
      throw Error(Errc::invalid_argument,
                  fmt::format("templates: {} numbers for {} texts", numbers.size(), texts.size()));
    for (const std::uint32_t number : numbers)
      if (number > left_out.size())
        throw Error(Errc::invalid_argument, fmt::format("templates: there is no template {}", number));
  }

  // Returns false if the text is too short to judge.
  bool sketch(std::string_view text, const text::LeftOut* without, text::FeatureStream& stream,
              std::vector<std::uint32_t>& signature) const {
    bool judged = false;
    text::compared_windows(
        text, without, stream, [&] { minhash.start(signature.data()); },
        [&](std::span<const std::uint64_t> features) {
          minhash.add(features, signature.data());
          judged = judged || !features.empty();
        });
    return judged;
  }

  // The texts of a column; their keys are their rows.
  class Column final : public sketch::KeyedTexts {
   public:
    Column(const Impl& impl, const TextColumn& texts, std::span<const std::uint32_t> template_of)
        : impl_(impl), texts_(texts), template_of_(template_of) {}
    std::uint64_t bytes(std::uint64_t row) override { return texts_[row].size(); }
    std::string_view get(std::uint64_t row, std::string& /*scratch*/) override { return texts_[row]; }
    bool in_memory() const override { return true; }
    const text::LeftOut* left_out(std::uint64_t row) const override { return impl_.left_out_of(template_of_, row); }

   private:
    const Impl& impl_;
    const TextColumn& texts_;
    const std::span<const std::uint32_t> template_of_;
  };

  const DocumentMatchOptions options;
  const sketch::MatchRule rule;
  const text::FeaturePlan plan;
  const sketch::MinHash minhash;
  const Bands bands;
  const unsigned least_equal;
  std::vector<text::LeftOut> left_out;
};

DocumentMatcher::DocumentMatcher(const DocumentMatchOptions& options,
                                 std::span<const std::vector<std::uint64_t>> templates)
    : impl_(std::make_shared<const Impl>(options, templates)) {}
DocumentMatcher::~DocumentMatcher() = default;
DocumentMatcher::DocumentMatcher(const DocumentMatcher&) = default;
DocumentMatcher& DocumentMatcher::operator=(const DocumentMatcher&) = default;

const Bands& DocumentMatcher::bands() const {
  return impl_->bands;
}

unsigned DocumentMatcher::lanes() const {
  return impl_->minhash.lanes();
}

DocumentMatcher::Sketches DocumentMatcher::sketches(const TextColumn& texts, std::span<const std::uint32_t> template_of,
                                                    const Context& context) const {
  impl_->check(texts, template_of);
  MemoryBudget budget(context);
  const std::size_t width = lanes() + bands().bands * sizeof(std::uint32_t) + 1;
  const Reservation results = budget.reserve(texts.size() * width, "the sketches");
  Sketches made;
  made.judged.resize(texts.size());
  made.lanes.resize(texts.size() * lanes());
  made.keys.resize(texts.size() * bands().bands);
  struct Buffers {
    explicit Buffers(const Impl& impl) : stream(impl.plan), signature(impl.minhash.lanes()) {}
    text::FeatureStream stream;
    std::vector<std::uint32_t> signature;
  };
  PerWorker<Buffers> buffers(context);
  for_each_piece(context, texts.size(), [&](unsigned worker, std::size_t begin, std::size_t end) {
    Buffers& mine = buffers.get(worker, *impl_);
    for (std::size_t i = begin; i < end; ++i) {
      if (!texts.valid(i)) continue;
      const text::LeftOut* without = impl_->left_out_of(template_of, i);
      if (!impl_->sketch(texts[i], without, mine.stream, mine.signature)) continue;
      made.judged[i] = 1;
      for (std::size_t lane = 0; lane < lanes(); ++lane)
        made.lanes[i * lanes() + lane] = static_cast<std::uint8_t>(mine.signature[lane]);
      matching::band_keys(bands(), mine.signature, made.keys.data() + i * bands().bands);
    }
  });
  return made;
}

bool DocumentMatcher::may_match(const std::uint8_t* a, const std::uint8_t* b) const {
  return sketch::equal_bytes(a, b, lanes()) >= impl_->least_equal;
}

std::vector<TextMatch> DocumentMatcher::compare(const TextColumn& texts, std::span<const std::uint32_t> template_of,
                                                std::span<const IndexPair> pairs, const Context& context) const {
  impl_->check(texts, template_of);
  for (const IndexPair& pair : pairs)
    if (std::max(pair.first, pair.second) >= texts.size())
      throw Error(Errc::invalid_argument, fmt::format("compare: the pair {}, {} is not in a column of {} texts",
                                                      pair.first, pair.second, texts.size()));
  MemoryBudget budget(context);
  const Reservation results = budget.reserve(pairs.size() * sizeof(TextMatch), "the similarities");
  std::vector<TextMatch> found(pairs.size());
  const std::uint64_t share = budget.available() / 4 / thread_count(context);
  Impl::Column column(*impl_, texts, template_of);
  PerWorker<sketch::Comparer> comparers(context);
  for_each_piece(context, pairs.size(), [&](unsigned number, std::size_t begin, std::size_t end) {
    sketch::Comparer& comparer = comparers.get(number, column, impl_->plan, impl_->rule, budget, share);
    for (std::size_t i = begin; i < end; ++i) {
      const auto [later, earlier] = pairs[i];
      if (!texts.valid(earlier) || !texts.valid(later)) continue;
      if (!comparer.has_windows(earlier) || !comparer.has_windows(later)) continue;
      const double similarity = comparer.similarity(earlier, later);
      if (similarity < impl_->options.threshold) continue;
      const sketch::Loss loss = comparer.loss(later, earlier);
      found[i] = {similarity, loss.tokens, loss.longest, loss.written, impl_->rule.covers(loss)};
    }
  });
  return found;
}

std::vector<std::uint64_t> DocumentMatcher::find_template(const TextColumn& sample, const Context& context) const {
  MemoryBudget budget(context);
  Reservation room = budget.reserve(0, "a sample of the sources");
  text::FeatureStream stream(impl_->plan);
  std::vector<std::vector<std::uint64_t>> documents;
  constexpr std::uint64_t kCopies = 4;  // in order, as sets, all together, and those not shared
  for (std::size_t i = 0; i < sample.size(); ++i) {
    throw_if_stopped(context);
    if (!sample.valid(i)) continue;
    std::vector<std::uint64_t>& windows = documents.emplace_back();
    stream.start(sample[i]);
    for (std::span<const std::uint64_t> features; stream.next(features);)
      windows.insert(windows.end(), features.begin(), features.end());
    room.resize(room.bytes() + kCopies * windows.size() * sizeof(std::uint64_t), "a sample of the sources");
  }
  return sketch::template_windows(
      documents, {.window = impl_->plan.window, .rule = impl_->rule, .least = TemplateSample::kLeastDocuments});
}

std::uint64_t site_of_address(std::string_view id) {
  const std::string host = verbs::dedup::host_of(id);
  return host.empty() ? 0 : verbs::dedup::site_of_host(host);
}

// ---- Which documents meet: as in a round of near/minhash.cc.

struct MeetingPlan::Impl {
  verbs::dedup::Group<BandEntry> group;
  std::uint64_t now = 0;
  bool begun = false;
};

MeetingPlan::MeetingPlan(unsigned round) : impl_(new Impl{verbs::dedup::Group<BandEntry>(round)}) {}
MeetingPlan::~MeetingPlan() = default;

void MeetingPlan::add(std::span<const BandEntry> entries, std::vector<IndexPair>& pairs,
                      std::vector<BandEntry>& crowd) {
  for (const BandEntry& entry : entries) {
    const bool first = !impl_->begun || entry.group != impl_->now;
    impl_->begun = true;
    impl_->now = entry.group;
    impl_->group.add(
        entry, first,
        [&](std::uint64_t later, std::uint64_t earlier) {
          pairs.push_back({later, earlier});
        },
        [&](const BandEntry& one) { crowd.push_back(one); });
  }
}

std::uint64_t MeetingPlan::crowd_group(std::uint64_t group, std::uint32_t other) {
  return group >> 32U << 32U | verbs::dedup::crowd_key(static_cast<std::uint32_t>(group), other);
}

unsigned MeetingPlan::other_band(unsigned band, unsigned bands, unsigned round) {
  return verbs::dedup::other_band(band, bands, round);
}

// ---- Which documents are kept: match by match, as find/decide.cc decides for all documents.

struct KeptSet::Impl {
  std::unordered_set<std::uint64_t> removed;
};

KeptSet::KeptSet() : impl_(new Impl) {}
KeptSet::~KeptSet() = default;

void KeptSet::add(std::span<const Match> matches, std::vector<std::uint64_t>& deciding) {
  for (auto now = matches.begin(); now != matches.end();) {
    const auto end = std::find_if(now, matches.end(), [&](const Match& match) { return match.later != now->later; });
    auto best = end;
    for (; now != end; ++now) {
      if (impl_->removed.contains(now->earlier)) continue;
      if (now->covered) {
        impl_->removed.insert(now->later);
        best = now;
        break;
      }
      if (best == end || now->longest_lost < best->longest_lost) best = now;
    }
    if (best != end) deciding.push_back(static_cast<std::uint64_t>(best - matches.begin()));
    now = end;
  }
}

}  // namespace refrain
