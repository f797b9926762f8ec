#include "verbs/index/extract/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "engines/blot/blotter.h"
#include "refrain/error.h"
#include "text/token_hasher.h"
#include "verbs/index/read/occurrence.h"

namespace refrain::verbs::index {

namespace {

constexpr std::uint64_t kBitsABlot = 12;

// Whether the blocks, which ascend, lie in 2 to `most` documents (0: any number of two or more).
bool in_several(Snapshot::Blots& blots, const Array<std::uint64_t>& first_blocks, std::uint64_t most) {
  if (blots.most() < 2) return false;
  std::uint64_t documents = 0;
  const std::uint64_t* end = first_blocks.begin();  // of the last document that was counted
  for (auto blocks = blots.blocks(); !blocks.empty(); blocks = blots.blocks())
    for (const std::uint64_t block : blocks) {
      if (documents > 0 && (end == first_blocks.end() || block < *end)) continue;
      ++documents;
      if (most != 0 ? documents > most : documents > 1) return most == 0;
      end = std::upper_bound(end, first_blocks.end(), block);
    }
  return documents > 1;
}

}  // namespace

BlotFilter::BlotFilter(MemoryBudget& budget, std::uint64_t blots, std::uint64_t most_bytes)
    : words_(budget, "the repeated blots",
             static_cast<std::size_t>(std::clamp<std::uint64_t>(
                 blots * kBitsABlot / 64, 1024, std::clamp<std::uint64_t>(most_bytes / 8, 1024, 0xFFFFFFFF)))) {}

std::uint64_t find_repeated_blots(Snapshot& snapshot, std::uint64_t max_documents, MemoryBudget& budget,
                                  const Context& context, BlotFilter& filter) {
  Array<std::uint64_t> first_blocks(budget, "where documents begin", snapshot.documents());
  for (std::uint64_t i = 0; i < snapshot.documents(); ++i) first_blocks[i] = snapshot.first_block(i);
  constexpr std::uint64_t kPieces = 256;
  const std::uint64_t end = std::uint64_t{1} << snapshot.layout().blot_bits;
  const unsigned threads = thread_count(context);
  std::vector<std::unique_ptr<Snapshot>> clones(threads);
  for (auto& clone : clones) clone = snapshot.clone();
  std::atomic<std::uint64_t> repeated{0};
  Progress progress(context, "blots", "pieces", kPieces);
  parallel_for(threads, kPieces, [&](unsigned worker, std::size_t piece) {
    std::uint64_t found = 0;
    Snapshot::Blots blots(*clones[worker], end / kPieces * piece,
                          piece + 1 == kPieces ? end : end / kPieces * (piece + 1));
    while (blots.next()) {
      if (!in_several(blots, first_blocks, max_documents)) continue;
      filter.add(blots.blot());
      ++found;
    }
    repeated += found;
    progress.add(1);
  });
  progress.finish();
  return repeated;
}

namespace {

// The size of a unit of work: consecutive documents of about this many tokens, or a part of one document.
constexpr std::uint64_t kUnitTokens = std::uint64_t{1} << 15U;

// The beginning of a unit. It ends where the next unit begins.
struct Unit {
  std::uint64_t document;
  std::uint64_t token;
};

std::vector<Unit> cut_units(const TokenTable& table) {
  std::vector<Unit> units;
  std::uint64_t filled = kUnitTokens;
  for (std::uint64_t i = 0; i < table.documents(); ++i) {
    const std::uint64_t tokens = table.tokens(i);
    if (tokens == 0) continue;
    if (filled + tokens > kUnitTokens) {
      for (std::uint64_t token = 0; token < tokens; token += kUnitTokens) units.push_back({i, token});
      filled = 0;
    }
    filled += tokens;
  }
  units.push_back({table.documents(), 0});
  return units;
}

// The result of processing a unit.
struct UnitTokens {
  std::vector<std::uint32_t> hashes;
  struct Missing {
    std::uint64_t document;
    std::string reason;
  };
  std::vector<Missing> missing;
};

// The state of one worker.
class AnchorMaker {
 public:
  AnchorMaker(Snapshot& snapshot, const BlotFilter& filter)
      : snapshot_(snapshot.clone()),
        filter_(filter),
        layout_(snapshot.layout()),
        mask_(blot::blot_mask(layout_.blot_bits)),
        shapes_(layout_),
        hasher_(layout_.tokenizer),
        blotter_(layout_),
        ordered_(blot::make_ordered_blots()) {}

  // Processes the tokens [first, last) of a document that has `tokens` tokens: appends their hashes to `out` and
  // adds their anchors to `writer`. Returns the bytes of text that were read.
  std::uint64_t make(std::uint64_t document, const TokenRange& range, std::uint64_t tokens,
                     std::vector<std::uint32_t>& out, AnchorShuffle::Writer& writer) {
    // Anchors that begin in the range may end behind it.
    const std::uint64_t end = std::min<std::uint64_t>(tokens, range.last + shapes_.window.span() - 1);
    const std::uint64_t bytes = read(document, range.first, end);
    for (std::size_t i = 0; i < range.size(); ++i) out.push_back(static_cast<std::uint32_t>(hashes_[i]));
    chosen_.clear();
    blotter_.choose(hashes_, 0, chosen_);
    const auto add = [&](AnchorKind kind, std::uint64_t hash, std::size_t first) {
      writer.add({(hash & ~std::uint64_t{1}) | static_cast<std::uint64_t>(kind), static_cast<std::uint32_t>(document),
                  static_cast<std::uint32_t>(range.first + first)});
    };
    windows_.resize(windows_in(shapes_.window));
    ordered_->blots(hashes_, shapes_.window, windows_.data());
    if (!shapes_.both) {
      for (const blot::ChosenWindow& window : chosen_)
        if (window.first < range.size() && repeated(window))
          add(AnchorKind::window, windows_[window.first], window.first);
      return bytes;
    }
    if (layout_.blots != BlotKind::ordered) {
      seeds_.resize(windows_in(shapes_.seed));
      ordered_->blots(hashes_, shapes_.seed, seeds_.data());
    }
    // before_[i] counts the chosen windows before token i that are not repeated. A run that holds one of them is not
    // repeated.
    before_.assign(hashes_.size() + 1, 0);
    for (const blot::ChosenWindow& window : chosen_) {
      if (!repeated(window)) {
        before_[window.first + 1] = 1;
      } else if (window.first < range.size()) {
        add(AnchorKind::seed, layout_.blots == BlotKind::ordered ? window.blot : seeds_[window.first], window.first);
      }
    }
    for (std::size_t i = 0; i < hashes_.size(); ++i) before_[i + 1] += before_[i];
    const std::size_t inside = shapes_.window.span() - shapes_.seed.span() + 1;
    for (std::size_t i = 0; i < std::min<std::size_t>(windows_.size(), range.size()); ++i)
      if (before_[i + inside] == before_[i]) add(AnchorKind::window, windows_[i], i);
    return bytes;
  }

  Snapshot& snapshot() { return *snapshot_; }

 private:
  bool repeated(const blot::ChosenWindow& window) const { return filter_.contains(window.blot & mask_); }
  std::size_t windows_in(const blot::BlotShape& shape) const {
    return hashes_.size() < shape.span() ? 0 : hashes_.size() - shape.span() + 1;
  }

  // Reads the hashes of tokens [first, last) into hashes_. Returns the bytes of text that were read.
  std::uint64_t read(std::uint64_t document, std::uint64_t first, std::uint64_t last) {
    const Snapshot::Piece piece = snapshot_->piece(document, first, last);
    hashes_.clear();
    hasher_.read(piece.text, piece.first_token, first, last, [&](const text::TokenStretch& stretch) {
      hashes_.insert(hashes_.end(), stretch.hashes().begin(), stretch.hashes().end());
    });
    if (hashes_.size() != last - first)
      throw Error(Errc::corrupt, fmt::format("{}: token count differs from the index; run 'refrain index check'",
                                             snapshot_->id(document)));
    return piece.text.size();
  }

  std::unique_ptr<Snapshot> snapshot_;
  const BlotFilter& filter_;
  const IndexLayout layout_;
  const std::uint64_t mask_;
  const AnchorShapes shapes_;
  text::TokenHasher hasher_;
  blot::Blotter blotter_;
  std::unique_ptr<const blot::BlotFunction> ordered_;
  std::vector<std::uint64_t> hashes_;
  std::vector<blot::ChosenWindow> chosen_;
  std::vector<std::uint64_t> windows_;
  std::vector<std::uint64_t> seeds_;
  std::vector<std::uint32_t> before_;
};

std::string_view bytes_of(std::span<const std::uint32_t> hashes) {
  return {reinterpret_cast<const char*>(hashes.data()), hashes.size_bytes()};
}

}  // namespace

AnchorShapes::AnchorShapes(const IndexLayout& layout)
    : seed(blot::blot_shape(layout)),
      window{.tokens = layout.window, .stride = layout.interleave},
      both(seed.tokens != window.tokens) {}

void lay_out(Snapshot& snapshot, TokenTable& table) {
  const std::uint64_t documents = snapshot.documents();
  if (documents >= std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::unsupported, "an index of more than 2^32 documents cannot be extracted; split it");
  table.missing.resize(documents);
  table.begins.resize(documents + 1);
  for (std::uint64_t i = 0; i < documents; ++i) {
    const std::uint64_t tokens = snapshot.removed(i) ? 0 : snapshot.tokens(i);
    if (tokens >= std::numeric_limits<std::uint32_t>::max())
      throw Error(Errc::unsupported, fmt::format("{}: more than 2^32 tokens; split the document", snapshot.id(i)));
    table.begins[i + 1] = table.begins[i] + tokens;
  }
}

std::uint64_t find_anchors(Snapshot& snapshot, const BlotFilter& filter, const Context& context, TokenTable& table,
                           run::TextStore& tokens, AnchorShuffle& anchors, ExtractReport& report) {
  const std::vector<Unit> units = cut_units(table);
  const unsigned threads = thread_count(context);
  std::vector<std::unique_ptr<AnchorMaker>> makers(threads);
  for (auto& maker : makers) maker = std::make_unique<AnchorMaker>(snapshot, filter);
  std::vector<std::optional<AnchorShuffle::Writer>> writers(threads);
  for (auto& writer : writers) writer.emplace(anchors.writer());
  const auto place = [&](const Unit& unit) { return table.begins[unit.document] + unit.token; };
  // Where the tokens of each unit go. All units from the first one that does not fit into memory on are appended in
  // order.
  std::vector<std::optional<std::uint64_t>> rooms(units.size() - 1);
  for (std::size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const auto size = static_cast<std::size_t>(place(units[unit + 1]) - place(units[unit]));
    rooms[unit] = tokens.reserve(size * sizeof(std::uint32_t));
    if (!rooms[unit]) break;
  }
  Relay<UnitTokens> relay(threads);
  std::atomic<std::uint64_t> bytes{0};
  Progress progress(context, "tokens", "tokens", table.tokens());
  const auto make = [&](unsigned worker, std::size_t unit, UnitTokens& made) {
    made.hashes.clear();
    made.missing.clear();
    std::uint64_t read = 0;
    for (std::uint64_t i = units[unit].document; i < table.documents(); ++i) {
      const std::uint64_t all = table.tokens(i);
      const std::uint64_t first = i == units[unit].document ? units[unit].token : 0;
      const std::uint64_t last = i == units[unit + 1].document ? units[unit + 1].token : all;
      if (i > units[unit + 1].document || (i == units[unit + 1].document && last == 0)) break;
      if (first == last) continue;
      const std::size_t before = made.hashes.size();
      try {
        read += makers[worker]->make(i, {first, last}, all, made.hashes, *writers[worker]);
      } catch (const Error& error) {
        if (error.code() != Errc::bad_input) throw;
        made.missing.push_back({i, error.what()});
      }
      made.hashes.resize(before + (last - first));
    }
    bytes.fetch_add(read, std::memory_order_relaxed);
    if (rooms[unit]) tokens.fill(*rooms[unit], bytes_of(made.hashes));
  };
  relay.run(units.size() - 1, make, [&](std::size_t unit, UnitTokens& made) {
    if (!rooms[unit]) tokens.append(bytes_of(made.hashes));
    for (const UnitTokens::Missing& missing : made.missing)
      table.note_missing(missing.document, {snapshot.id(missing.document), missing.reason}, report);
    progress.add(made.hashes.size());
  });
  tokens.finish();
  progress.finish();
  return bytes;
}

}  // namespace refrain::verbs::index
