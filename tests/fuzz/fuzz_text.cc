// Arbitrary bytes through every tokenizer: ranges ascend and lie in the text, and the same text after a separator
// gives the same tokens, however it is aligned to blocks and stretches.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/sketch/simhash.h"
#include "require.h"
#include "text/tokenizer.h"
#include "text/windows.h"

namespace {

using namespace refrain;

struct Token {
  std::string normal;
  std::uint64_t begin;
  std::uint64_t end;
  bool operator==(const Token&) const = default;
};

std::vector<Token> tokens(const text::Tokenizer& tokenizer, std::string_view text, std::size_t shift) {
  std::vector<Token> result;
  text::TokenBlock block;
  std::uint64_t last = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = tokenizer.next(text, at, block);
    REQUIRE(next > at && next <= text.size());
    at = next;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const ByteRange range = block.range(i);
      REQUIRE(range.begin >= last && range.begin < range.end && range.end <= text.size());
      REQUIRE(!block.normal(i).empty());
      last = range.end;
      result.push_back({std::string(block.normal(i)), range.begin - shift, range.end - shift});
    }
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (std::size_t kind = 0; kind < tokenizer_names().size(); ++kind) {
    const auto which = static_cast<TokenizerKind>(kind);
    const auto tokenizer = text::make_tokenizer(which);
    const std::vector<Token> plain = tokens(*tokenizer, text, 0);
    if (which == TokenizerKind::bytes || which == TokenizerKind::chars) continue;  // where a space is a token
    // The last shift puts the end of a stretch into the middle of the text.
    for (const std::size_t shift :
         {std::size_t{1}, std::size_t{61}, text::kMaxTokenBytes - std::min(size, text::kMaxTokenBytes) / 2})
      REQUIRE(tokens(*tokenizer, std::string(shift, ' ') + text, shift) == plain);
  }
  const text::FeaturePlan plan({});
  text::FeatureStream stream(plan);
  std::vector<std::uint64_t> features;
  stream.start(text);
  for (std::span<const std::uint64_t> some; stream.next(some);)
    features.insert(features.end(), some.begin(), some.end());
  sketch::SimHashCounter counter;
  counter.add(features);
  REQUIRE(counter.fingerprint(false) == sketch::simhash_plain(features, false));
  return 0;
}
