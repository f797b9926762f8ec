#include "verbs/index/blots.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/blot/blotter.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "text/token_hasher.h"
#include "verbs/index/read/given_texts.h"
#include "verbs/index/read/occurrence.h"
#include "verbs/run/skipped.h"

namespace refrain::verbs::index {
namespace {

// The ids of a row, as budget errors name them, and the bytes counted for each besides its characters.
constexpr const char* kIdsWhat = "the documents of a blot";
constexpr std::uint64_t kIdBytes = 16;

unsigned blot_digits(unsigned bits) {
  return (bits + 3) / 4;
}

// The first block of every document, so that the documents of a list of blocks are found without reading any document.
class DocumentStarts {
 public:
  DocumentStarts(Snapshot& snapshot, MemoryBudget& budget)
      : starts_(budget, "where the documents of the index begin", snapshot.documents()) {
    for (DocId i = 0; i < starts_.size(); ++i) starts_[i] = snapshot.first_block(i);
  }

  // Calls visit(document) once for each document that holds the blot. A document without tokens begins where the
  // next one does, and holds no block.
  template <class Visit>
  void for_each(Snapshot::Blots& blots, Visit visit) const {
    const std::uint64_t* next = starts_.begin();  // the start of the document after the last one found
    for (auto blocks = blots.blocks(); !blocks.empty(); blocks = blots.blocks())
      for (const std::uint64_t block : blocks) {
        if (next != starts_.begin() && (next == starts_.end() || block < *next)) continue;
        next = std::upper_bound(next, starts_.end(), block);
        visit(static_cast<DocId>(next - starts_.begin()) - 1);
      }
  }

 private:
  Array<std::uint64_t> starts_;
};

std::uint64_t parse_blot_of(const std::string& text, unsigned bits) {
  const std::uint64_t value = parse_blot(text);
  if ((value & ~blot::blot_mask(bits)) != 0)
    throw Error(Errc::invalid_argument,
                fmt::format("`unblot`: '{}' is not a blot of this index, whose blots have {} bits", text, bits));
  return value;
}

// Reports the chosen windows of one text after another. Reuses its buffers.
class TextBlots {
 public:
  explicit TextBlots(const IndexLayout& layout)
      : bits_(layout.blot_bits == 0 ? 64 : layout.blot_bits), hasher_(layout.tokenizer), blotter_(layout) {}

  void tell(std::string_view id, std::string_view text, const std::function<void(const BlotText&)>& row) {
    hashes_.clear();
    ranges_.clear();
    BlotText reported{0, blot_digits(bits_), std::string(id), {}, {}};
    const std::size_t span = blotter_.shape().span();
    hasher_.read(text, [&](const text::TokenStretch& stretch) {
      hashes_.insert(hashes_.end(), stretch.hashes().begin(), stretch.hashes().end());
      for (std::size_t i = 0; i < stretch.size(); ++i) ranges_.push_back(stretch.range(i));
      chosen_.clear();
      blotter_.choose(hashes_, 0, chosen_);
      for (const blot::ChosenWindow& window : chosen_) {
        reported.blot = window.blot & blot::blot_mask(bits_);
        reported.bytes = {ranges_[window.first].begin, ranges_[window.first + span - 1].end};
        reported.text = text.substr(reported.bytes.begin, reported.bytes.end - reported.bytes.begin);
        row(reported);
      }
      // Keeps only the tokens of windows that begin in this stretch and end in the next one.
      const auto done = static_cast<std::ptrdiff_t>(hashes_.size() - std::min(hashes_.size(), span - 1));
      hashes_.erase(hashes_.begin(), hashes_.begin() + done);
      ranges_.erase(ranges_.begin(), ranges_.begin() + done);
    });
  }

 private:
  unsigned bits_;
  text::TokenHasher hasher_;
  blot::Blotter blotter_;
  std::vector<std::uint64_t> hashes_;
  std::vector<ByteRange> ranges_;
  std::vector<blot::ChosenWindow> chosen_;
};

}  // namespace

}  // namespace refrain::verbs::index

namespace refrain {

std::uint64_t parse_blot(std::string_view text) {
  std::uint64_t value = 0;
  bool good = !text.empty() && text.size() <= 16;
  for (const char c : text) {
    const std::size_t digit =
        std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
    good = good && digit != std::string_view::npos;
    value = value << 4U | (digit & 15U);
  }
  if (!good)
    throw Error(Errc::invalid_argument, fmt::format("`unblot`: '{}' is not a blot; use hexadecimal digits", text));
  return value;
}

}  // namespace refrain

namespace refrain::verbs::index {

void index_blots(Snapshot& snapshot, const BlotsOptions& options, const Context& context,
                 const std::function<void(const BlotRow&)>& row) {
  struct Counted {
    std::uint64_t documents;
    std::uint64_t blot;
  };
  const auto before = [](const Counted& a, const Counted& b) {
    return a.documents != b.documents ? a.documents > b.documents : a.blot < b.blot;
  };
  MemoryBudget budget(context);
  const DocumentStarts starts(snapshot, budget);
  const unsigned bits = snapshot.layout().blot_bits;
  Array<Counted> counted(budget, "the blots in several documents");
  const std::uint64_t least = std::max<std::uint64_t>(options.min_documents, 1);
  const auto count = [&](Snapshot::Blots& blots) {
    if (blots.most() < least) return;
    std::uint64_t documents = 0;
    starts.for_each(blots, [&](DocId) { ++documents; });
    if (documents < least || (options.max_documents != 0 && documents > options.max_documents)) return;
    counted.push_back({documents, blots.blot()});
    // Drops the blots with fewest documents once the list is twice as long as requested (4,096 blots at least).
    if (options.limit == 0 || counted.size() < 4096 || counted.size() / 2 < options.limit) return;
    std::nth_element(counted.begin(), counted.begin() + options.limit, counted.end(), before);
    counted.resize(options.limit);
  };
  if (options.query.empty() && options.query_files.empty()) {
    std::uint64_t posts = 0;
    for (const blot::SegmentInfo& segment : snapshot.manifest().segments) posts += segment.posts;
    Progress progress(context, "count", "posts", posts);
    for (Snapshot::Blots blots(snapshot, 0, blot::blot_mask(bits) + 1); blots.next();) {
      progress.add(blots.most());
      count(blots);
    }
    progress.finish();
  } else {
    Array<std::uint64_t> asked(budget, "the blots of a query");
    TextBlots texts(snapshot.layout());
    const auto ask = [&](auto take) {
      GivenTexts given(budget, "the query texts");
      take(given);
      texts.tell(given[0].id, given[0].text, [&](const BlotText& reported) { asked.push_back(reported.blot); });
    };
    for (const QueryDocument& document : options.query)
      ask([&](GivenTexts& given) { given.add(document.id, document.text); });
    for (const std::string& path : options.query_files) ask([&](GivenTexts& given) { given.read(path, context.stop); });
    std::sort(asked.begin(), asked.end());
    asked.resize(static_cast<std::size_t>(std::unique(asked.begin(), asked.end()) - asked.begin()));
    for (const std::uint64_t blot : asked) {
      throw_if_stopped(context);
      Snapshot::Blots blots(snapshot, blot);
      if (blots.next()) count(blots);
    }
  }
  std::sort(counted.begin(), counted.end(), before);
  if (options.limit != 0 && counted.size() > options.limit) counted.resize(options.limit);

  BlotRow reported{0, blot_digits(bits), {}};
  Reservation room = budget.reserve(0, kIdsWhat);
  for (const Counted& one : counted) {
    throw_if_stopped(context);
    reported.blot = one.blot;
    reported.ids.clear();
    if (one.documents * sizeof(std::string) > room.bytes()) room.resize(one.documents * sizeof(std::string), kIdsWhat);
    reported.ids.reserve(one.documents);
    std::uint64_t bytes = reported.ids.capacity() * sizeof(std::string);
    Snapshot::Blots blots(snapshot, one.blot);
    if (!blots.next()) continue;
    starts.for_each(blots, [&](DocId document) {
      reported.ids.push_back(snapshot.id(document));
      bytes += reported.ids.back().size() + kIdBytes;
      if (bytes > room.bytes()) room.resize(bytes + bytes / 8, kIdsWhat);
    });
    row(reported);
  }
}

void index_unblot(Snapshot& snapshot, const BlotsOptions& options, const Context& context,
                  const std::function<void(const BlotText&)>& row) {
  const IndexLayout& layout = snapshot.layout();
  std::vector<std::uint64_t> wanted;
  for (const std::string& text : options.unblot) wanted.push_back(parse_blot_of(text, layout.blot_bits));

  text::TokenHasher hasher(layout.tokenizer);
  blot::Blotter blotter(layout);
  const std::size_t span = blotter.shape().span();
  PlaceTokens tokens;
  std::vector<std::uint64_t> hashes;
  std::vector<blot::ChosenWindow> chosen;
  std::optional<Error> changed;
  std::uint64_t rows = 0;
  // Returns false once options.limit rows have been reported.
  const auto tell = [&](std::uint64_t blot, std::uint64_t place) {
    throw_if_stopped(context);
    const DocId document = snapshot.document_at(place);
    const std::uint64_t first = (place - snapshot.first_block(document)) * blot::kBlockTokens;
    // Reads all windows that begin in the block. A window's own tokens decide whether it is chosen.
    const TokenRange range{first, first + blot::kBlockTokens + span - 1};
    try {
      const Snapshot::Piece piece = snapshot.piece(document, range.first, range.last);
      tokens.read(hasher, {piece.text, piece.begin, piece.first_token}, range);
    } catch (const Error& error) {
      if (error.code() != Errc::bad_input) throw;
      if (!changed) changed = error;
      return true;
    }
    hashes.clear();
    for (std::size_t i = 0; i < tokens.size(); ++i) hashes.push_back(tokens.hash(i));
    chosen.clear();
    blotter.choose(hashes, 0, chosen);
    for (const blot::ChosenWindow& window : chosen) {
      if ((window.blot & blot::blot_mask(layout.blot_bits)) != blot) continue;
      if (options.limit != 0 && rows++ == options.limit) return false;
      const std::size_t last = window.first + span - 1;
      row({blot,
           blot_digits(layout.blot_bits),
           snapshot.id(document),
           {tokens.bytes(window.first).begin, tokens.bytes(last).end},
           std::string(tokens.text(window.first, last))});
    }
    return true;
  };
  for (const std::uint64_t blot : wanted) {
    Snapshot::Blots blots(snapshot, blot);
    if (!blots.next()) continue;
    for (auto places = blots.blocks(); !places.empty(); places = blots.blocks())
      for (const std::uint64_t place : places)
        if (!tell(blot, place)) return;
  }
  if (changed) throw Error(*changed);
}

}  // namespace refrain::verbs::index

namespace refrain {

ReadReport file_blots(const InputOptions& input, const IndexLayout& layout, const Context& context,
                      const std::function<void(const BlotText&)>& row) {
  MemoryBudget budget(context);
  verbs::index::TextBlots blots(blot::checked_layout(layout));
  corpus::ReadPurpose purpose;
  purpose.keeps_texts = true;
  return verbs::run::read_listed(
      input, context, budget,
      [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
        struct Held {
          Reservation room;
          std::string copy;
          std::vector<std::string_view> texts;
          std::vector<std::uint8_t> bad;
          corpus::BatchIds ids;
        };
        auto held = std::make_shared<Held>();
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < batch.texts.size(); ++i) bytes += batch.texts[i].size();
        if (!batch.at_once) {
          held->room = budget.reserve(bytes, "texts waiting to be processed");
          held->copy.reserve(bytes);
        }
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          const std::string_view text = batch.texts[i];
          const std::size_t begin = held->copy.size();
          if (!batch.at_once) held->copy += text;
          held->texts.push_back(batch.at_once ? text : std::string_view(held->copy.data() + begin, text.size()));
        }
        held->bad = std::move(batch.bad);
        held->ids = std::move(batch.ids);
        return [&blots, &row, &context, held](DocId first) {
          for (std::size_t i = 0; i < held->texts.size(); ++i) {
            throw_if_stopped(context);
            if (held->bad[i] != 0) continue;
            blots.tell(held->ids.ordinals ? std::to_string(first + i) : std::string(held->ids[i]), held->texts[i], row);
          }
        };
      },
      purpose);
}

}  // namespace refrain
