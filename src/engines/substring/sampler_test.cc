#include "engines/substring/sampler.h"

#include <gtest/gtest.h>

#include <string>

#include "every_simd_target.h"
#include "random_text.h"

namespace refrain::substring {
namespace {

std::string padded(std::string text) {
  return text.append(Sampler::kPadding, '\0');
}

TEST(Sampler, ChoosesAsItsPlainTwinOnEveryTarget) {
  on_every_simd_target([] {
    for (const std::size_t length : {8, 9, 16, 31, 100, 128, 300})
      for (const unsigned letters : {1, 2, 26})
        for (const std::size_t windows : {1, 2, 63, 64, 65, 1000}) {
          const SubstringPlan plan(length, 2, /*with_places=*/true, 0);
          const std::string text = padded(random_text(windows + length - 1, letters, 7));
          Sampler sampler(plan);
          sampler.sample(text.data(), windows);
          ASSERT_EQ(sampler.samples(), sample_plain(plan, text.data(), windows));
        }
  });
}

TEST(Sampler, GivesEveryWindowOnce) {
  const SubstringPlan plan(100, 3, /*with_places=*/false, 0);
  for (const std::size_t period : {1, 2, 5, 40, 90}) {
    const std::size_t windows = 5000;
    std::string text = random_text(period, 26, 1);
    while (text.size() < 3000) text += text.substr(0, period);
    text += random_text(windows + 99 - text.size(), 26, 2);
    text = padded(text);
    Sampler sampler(plan);
    sampler.sample(text.data(), windows);
    std::vector<unsigned> seen(windows, 0);
    for (const Sample& sample : sampler.samples())
      for (std::uint32_t w = 0; w < sample.windows; ++w) ++seen[sample.first + w];
    for (const Fold& fold : sampler.folds())
      for (std::uint32_t w = fold.first; w < fold.first + fold.windows; ++w) {
        ++seen[w];
        ASSERT_EQ(text.compare(w, 100, text, w - fold.period, 100), 0);
      }
    ASSERT_EQ(seen, std::vector<unsigned>(windows, 1));
  }
}

TEST(Sampler, FoldsARunOfOneLetterToAFewSamples) {
  const SubstringPlan plan(100, 2, /*with_places=*/false, 0);
  const std::string text = padded(std::string(20'099, 'a'));
  Sampler sampler(plan);
  sampler.sample(text.data(), 20'000);
  EXPECT_LT(sampler.samples().size(), 100U);
  EXPECT_EQ(sampler.folds().size(), 1U);
}

}  // namespace
}  // namespace refrain::substring
