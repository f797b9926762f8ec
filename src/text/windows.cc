#include "text/windows.h"

#include <algorithm>
#include <bit>

#include "base/ascii.h"
#include "base/hash.h"
#include "refrain/error.h"
#include "text/token_hash.h"

namespace refrain::text {

namespace {

constexpr std::uint64_t kBase = 0xD6E8FEB86659FD93ULL;
constexpr std::size_t kMaxTokens = TokenBlock::kMaxEdges / 2;

std::string lower_ascii(std::string_view word) {
  std::string lower(word);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return lower;
}

std::size_t table_size(std::size_t windows) {
  return std::bit_ceil(std::max<std::size_t>(2 * windows, 2));
}

}  // namespace

StopWords::StopWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) words_.insert(lower_ascii(word));
}

bool StopWords::contains(std::string_view word) const {
  return words_.contains(lower_ascii(word));
}

FeaturePlan::FeaturePlan(const FingerprintOptions& options)
    : tokenizer(make_tokenizer(options.tokenizer)),
      stop_words(options.stop_words),
      hash(options.hash),
      window(options.window),
      seed(options.seed),
      oldest_weight(1) {
  if (window == 0 || window > 1024) throw Error(Errc::invalid_argument, "`window`: must be from 1 to 1024 tokens");
  for (unsigned i = 0; i < window; ++i) oldest_weight *= kBase;
}

FeaturePlan FeaturePlan::of_tokens() const {
  FeaturePlan plan = *this;
  plan.window = 1;
  plan.oldest_weight = kBase;
  plan.marks_digits = true;
  return plan;
}

FeatureStream::FeatureStream(const FeaturePlan& plan)
    : plan_(plan), hashes_(plan.window + kMaxTokens), features_(kMaxTokens) {}

void FeatureStream::start(std::string_view text) {
  text_ = text;
  position_ = 0;
  tokens_ = 0;
  rolling_ = 0;
  std::fill_n(hashes_.begin(), plan_.window, 0);
  texts_.clear();
}

bool FeatureStream::next(std::span<const std::uint64_t>& features) {
  if (position_ >= text_.size()) return false;
  position_ = plan_.tokenizer->next(text_, position_, block_);
  if (plan_.hash == HashKind::md5 && plan_.window > 1) {
    features = {features_.data(), hash_texts()};
    return true;
  }
  const std::size_t count = hash_block();
  if (plan_.window == 1) {
    tokens_ += count;
    features = {hashes_.data() + plan_.window, count};
  } else {
    features = {features_.data(), roll(count)};
  }
  return true;
}

std::size_t FeatureStream::hash_block() {
  std::uint64_t* out = hashes_.data() + plan_.window;
  hash_tokens(plan_.hash, block_, plan_.seed, out);
  if (plan_.marks_digits)
    for (std::size_t i = 0; i < block_.size(); ++i)
      out[i] = (out[i] & ~std::uint64_t{1}) | (std::ranges::any_of(block_.normal(i), is_digit) ? 1U : 0U);
  if (plan_.stop_words.empty()) return block_.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < block_.size(); ++i)
    if (!plan_.stop_words.contains(block_.normal(i))) out[kept++] = out[i];
  return kept;
}

std::size_t FeatureStream::roll(std::size_t count) {
  const std::uint64_t window = plan_.window;
  const std::uint64_t weight = plan_.oldest_weight;
  const std::uint64_t* entering = hashes_.data() + window;
  const std::uint64_t* leaving = hashes_.data();
  // The number of tokens of this block that do not complete a window yet.
  const std::uint64_t missing = tokens_ + 1 >= window ? 0 : window - 1 - tokens_;
  const std::size_t skip = std::min<std::size_t>(count, missing);
  std::uint64_t rolling = rolling_;
  for (std::size_t i = 0; i < skip; ++i) rolling = rolling * kBase + entering[i];
  for (std::size_t i = skip; i < count; ++i) {
    rolling = rolling * kBase + (entering[i] - leaving[i] * weight);
    features_[i - skip] = mix(rolling, 0x9FB21C651E98DF25ULL, 0xA24BAED4963EE407ULL);
  }
  rolling_ = rolling;
  tokens_ += count;
  std::copy_n(hashes_.begin() + static_cast<std::ptrdiff_t>(count), window, hashes_.begin());
  return count - skip;
}

std::size_t FeatureStream::hash_texts() {
  std::size_t count = 0;
  std::string joined;
  for (std::size_t i = 0; i < block_.size(); ++i) {
    if (plan_.stop_words.contains(block_.normal(i))) continue;
    ++tokens_;
    texts_.emplace_back(block_.normal(i));
    if (texts_.size() < plan_.window) continue;
    joined.clear();
    for (const std::string& text : texts_) {
      if (!joined.empty()) joined += ' ';
      joined += text;
    }
    features_[count++] = hash_md5(joined);
    texts_.pop_front();
  }
  return count;
}

LeftOut::LeftOut(std::span<const std::uint64_t> windows)
    : mask_(table_size(windows.size()) - 1), table_(mask_ + 1, kNone) {
  for (const std::uint64_t window : windows) {
    std::size_t at = slot_of(window);
    while (table_[at] != kNone && table_[at] != window) at = (at + 1) & mask_;
    table_[at] = window;
  }
}

std::uint64_t LeftOut::memory_bytes(std::size_t windows) {
  return table_size(windows) * sizeof(std::uint64_t) + sizeof(LeftOut);
}

}  // namespace refrain::text
