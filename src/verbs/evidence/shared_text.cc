#include "verbs/evidence/shared_text.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/array.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "refrain/utf8.h"
#include "text/tokenizer.h"

namespace refrain::verbs::evidence {

namespace {

// The tokens of a document without stop words: their positions, and the number of each in a vocabulary that both
// documents share, so that windows are compared token by token, not by hashes. 32 bits are enough, because a
// document is at most 4 GiB here.
struct Tokens {
  explicit Tokens(MemoryBudget& budget)
      : begins(budget, "the tokens"), ends(budget, "the tokens"), words(budget, "the tokens") {}
  Array<std::uint32_t> begins;
  Array<std::uint32_t> ends;
  Array<std::uint32_t> words;
};

class Vocabulary {
 public:
  explicit Vocabulary(MemoryBudget& budget) : reservation_(budget.reserve(0, "the vocabulary")) {}
  std::uint32_t number(std::string_view word) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(word), static_cast<std::uint32_t>(numbers_.size()));
    // A node, its bucket, and the word if it is long.
    if (is_new) reservation_.resize(reservation_.bytes() + 96 + word.size(), "the vocabulary");
    return at->second;
  }

 private:
  Reservation reservation_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

Tokens tokenize(std::string_view text, const text::FeaturePlan& plan, Vocabulary& vocabulary, MemoryBudget& budget) {
  if (text.size() > UINT32_MAX) throw Error(Errc::unsupported, "documents of more than 4 GiB cannot be explained");
  Tokens tokens(budget);
  text::TokenBlock block;
  for (std::size_t at = 0; at < text.size();) {
    at = plan.tokenizer->next(text, at, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (plan.stop_words.contains(block.normal(i))) continue;
      tokens.begins.push_back(static_cast<std::uint32_t>(block.range(i).begin));
      tokens.ends.push_back(static_cast<std::uint32_t>(block.range(i).end));
      tokens.words.push_back(vocabulary.number(block.normal(i)));
    }
  }
  return tokens;
}

// The indexes of the windows by which a text is compared, ascending.
Array<std::uint32_t> compared_places(std::string_view text, const text::FeaturePlan& plan,
                                     const text::LeftOut* left_out, std::size_t count, MemoryBudget& budget) {
  Array<std::uint32_t> places(budget, "the windows");
  if (left_out != nullptr) {
    text::FeatureStream stream(plan);
    stream.start(text);
    std::uint32_t place = 0;
    for (std::span<const std::uint64_t> features; stream.next(features);)
      for (const std::uint64_t feature : features) {
        if (!left_out->contains(feature)) places.push_back(place);
        ++place;
      }
    if (!places.empty()) return places;
  }
  places.resize(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = static_cast<std::uint32_t>(i);
  return places;
}

std::size_t window_count(const Tokens& tokens, std::size_t window) {
  return tokens.words.size() < window ? 0 : tokens.words.size() - window + 1;
}

// The distinct windows of a document, ordered by a hash that rolls over the numbers of their words. Windows with
// equal hashes are compared word by word.
class Windows {
 public:
  // Takes the windows at `places`.
  Windows(const Tokens& tokens, const Array<std::uint32_t>& places, std::size_t window, MemoryBudget& budget)
      : words_(tokens.words.data()), window_(window), hashes_(budget, "the windows"), sorted_(budget, "the windows") {
    const std::size_t count = window_count(tokens, window);
    hashes_.resize(count);
    sorted_.resize(places.size());
    std::uint64_t weight = 1;
    for (std::size_t i = 0; i < window; ++i) weight *= kBase;
    std::uint64_t rolling = 0;
    for (std::size_t i = 0; i < tokens.words.size() && count != 0; ++i) {
      rolling = rolling * kBase + words_[i] + 1;
      if (i >= window) rolling -= weight * (words_[i - window] + 1);
      if (i + 1 >= window) hashes_[i + 1 - window] = rolling;
    }
    std::copy(places.begin(), places.end(), sorted_.begin());
    std::sort(sorted_.begin(), sorted_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return hashes_[a] != hashes_[b] ? hashes_[a] < hashes_[b] : a < b;
    });
    drop_repeats();
  }
  std::size_t distinct() const { return sorted_.size(); }
  // Whether window `i` of `other` is contained here, too.
  bool contains(const Windows& other, std::size_t i) const {
    const auto* at = std::lower_bound(sorted_.begin(), sorted_.end(), other.hashes_[i],
                                      [&](std::uint32_t mine, std::uint64_t hash) { return hashes_[mine] < hash; });
    for (; at != sorted_.end() && hashes_[*at] == other.hashes_[i]; ++at)
      if (std::equal(words_ + *at, words_ + *at + window_, other.words_ + i)) return true;
    return false;
  }
  std::size_t shared_with(const Windows& other) const {
    return static_cast<std::size_t>(
        std::count_if(sorted_.begin(), sorted_.end(), [&](std::uint32_t i) { return other.contains(*this, i); }));
  }

 private:
  static constexpr std::uint64_t kBase = 0xD6E8FEB86659FD93ULL;

  // Keeps the first of equal windows. Different windows with the same hash are both kept.
  void drop_repeats() {
    std::size_t kept = 0;
    std::size_t group = 0;  // index of the first window with this hash
    for (const std::uint32_t i : sorted_) {
      if (kept == group || hashes_[sorted_[group]] != hashes_[i]) group = kept;
      const bool seen = std::any_of(sorted_.begin() + group, sorted_.begin() + kept, [&](std::uint32_t earlier) {
        return std::equal(words_ + earlier, words_ + earlier + window_, words_ + i);
      });
      if (!seen) sorted_[kept++] = i;
    }
    sorted_.resize(kept);
  }

  const std::uint32_t* words_;
  std::size_t window_;
  Array<std::uint64_t> hashes_;  // by the index of the window's first token
  Array<std::uint32_t> sorted_;
};

// The ranges of text in windows that the other document contains, too.
std::vector<ByteRange> shared_ranges(const Tokens& tokens, const Array<std::uint32_t>& places, const Windows& windows,
                                     const Windows& other, std::size_t window) {
  std::vector<ByteRange> ranges;
  std::size_t marked = 0;  // tokens before this one are already in the last range
  for (const std::size_t i : places) {
    if (!other.contains(windows, i)) continue;
    const std::uint64_t end = tokens.ends[i + window - 1];
    if (!ranges.empty() && i <= marked)
      ranges.back().end = end;
    else
      ranges.push_back({tokens.begins[i], end});
    marked = i + window;
  }
  return ranges;
}

}  // namespace

SharedText shared_text(std::string_view a, std::string_view b, const text::FeaturePlan& plan, MemoryBudget& budget,
                       const Context& context, const LeftOutOf& left_out) {
  const std::size_t window = plan.window;
  Vocabulary vocabulary(budget);
  const Tokens tokens_a = tokenize(a, plan, vocabulary, budget);
  const Tokens tokens_b = tokenize(b, plan, vocabulary, budget);
  throw_if_stopped(context);
  const Array<std::uint32_t> places_a = compared_places(a, plan, left_out.a, window_count(tokens_a, window), budget);
  const Array<std::uint32_t> places_b = compared_places(b, plan, left_out.b, window_count(tokens_b, window), budget);
  const Windows windows_a(tokens_a, places_a, window, budget);
  const Windows windows_b(tokens_b, places_b, window, budget);
  throw_if_stopped(context);
  SharedText result;
  result.shared_windows = windows_a.shared_with(windows_b);
  const std::size_t all = windows_a.distinct() + windows_b.distinct() - result.shared_windows;
  result.similarity = all == 0 ? 0 : static_cast<double>(result.shared_windows) / static_cast<double>(all);
  result.a = {tokens_a.words.size(), windows_a.distinct(),
              shared_ranges(tokens_a, places_a, windows_a, windows_b, window)};
  result.b = {tokens_b.words.size(), windows_b.distinct(),
              shared_ranges(tokens_b, places_b, windows_b, windows_a, window)};
  return result;
}

namespace {

using Kind = ShownPiece::Kind;

// Whether the text has more than ASCII punctuation and white space.
bool holds_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

struct Ends {
  std::size_t head;  // size of the first part
  std::size_t tail;  // offset of the last part
};
Ends ends_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {text.size(), text.size()};
  const std::size_t head = boundary_before(text, most / 2);
  return {head, std::max(head, boundary_after(text, text.size() - most / 2))};
}

class PieceBuilder {
 public:
  PieceBuilder(std::string_view text, const ShownLimits& limits) : text_(text), limits_(limits) {}

  void add(std::size_t begin, std::size_t end, bool both) {
    if (begin >= end || full_) return;
    const std::string_view stretch = text_.substr(begin, end - begin);
    const Kind kind = both ? Kind::both : holds_word(stretch) ? Kind::only : Kind::plain;
    const Ends ends = ends_of(stretch, both ? limits_.both : limits_.only);
    show(kind, begin, begin + ends.head);
    if (full_ || ends.head == stretch.size()) return;
    leave_out(ends.tail - ends.head);
    at_ = begin + ends.tail;
    show(kind, at_, end);
  }

  std::vector<ShownPiece> end(std::uint64_t unread) {
    leave_out(text_.size() - at_ + unread);
    return std::move(pieces_);
  }

 private:
  void show(Kind kind, std::size_t begin, std::size_t end) {
    if (full_ || begin == end) return;
    std::size_t stop = end;
    if (shown_ + (end - begin) > limits_.bytes) stop = boundary_before(text_, begin + limits_.bytes - shown_);
    stop = std::max(stop, begin);
    if (stop > begin) pieces_.push_back({kind, std::string(text_.substr(begin, stop - begin)), 0});
    shown_ += stop - begin;
    at_ = stop;
    full_ = stop < end || pieces_.size() >= limits_.pieces;
  }
  void leave_out(std::uint64_t bytes) {
    if (bytes != 0) pieces_.push_back({Kind::left_out, {}, bytes});
  }

  const std::string_view text_;
  const ShownLimits& limits_;
  std::vector<ShownPiece> pieces_;
  std::size_t shown_ = 0;
  std::size_t at_ = 0;  // end of what has been shown or left out
  bool full_ = false;
};

}  // namespace

std::vector<ShownPiece> shown_text(std::string_view text, std::span<const ByteRange> shared, std::uint64_t unread,
                                   const ShownLimits& limits) {
  PieceBuilder shower(text, limits);
  std::size_t at = 0;
  for (const ByteRange& range : shared) {
    shower.add(at, static_cast<std::size_t>(range.begin), false);
    shower.add(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end), true);
    at = static_cast<std::size_t>(range.end);
  }
  shower.add(at, text.size(), false);
  return shower.end(unread);
}

std::string shortened(std::string_view text, std::size_t most) {
  const Ends ends = ends_of(text, most);
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, ends.head)) + "…" + std::string(text.substr(ends.tail));
}

}  // namespace refrain::verbs::evidence
