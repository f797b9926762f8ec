#include <algorithm>
#include <map>
#include <set>

#include "random_text.h"
#include "refrain/error.h"
#include "refrain/kernels.h"
#include "verbs/test_kernels.h"

namespace refrain {
namespace {

using Samples = SubstringSampler::Samples;

// Makes texts that share windows with each other and within themselves: pasted stretches, runs of a letter, short
// periods.
Texts repetitive(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  const std::string source = random_text(3000, 4, seed);
  Texts texts = {"", std::nullopt, std::string(40, 'a'), std::string(500, 'a'), std::string(99, 'x') + source};
  while (texts.size() < count) {
    std::string text = random_text(random() % 200, 26, static_cast<unsigned>(random()));
    for (std::size_t pasted = random() % 4; pasted > 0; --pasted) {
      text += source.substr(random() % source.size(), random() % 300);
      if (random() % 3 == 0) text += std::string(random() % 400, 'a');
      if (random() % 3 == 0)
        for (std::size_t i = random() % 60; i > 0; --i) text += "abcab";
    }
    texts.emplace_back(text);
  }
  return texts;
}

TEST(SubstringSampler, EveryWindowIsInOneSampleOrFold) {
  const Texts texts = repetitive(1, 60);
  for (const std::size_t length : {8U, 16U, 30U, 100U, 200U}) {
    const Column column(texts);
    const Samples found = SubstringSampler({.length = length}).batch(column.view(), on(2));
    ASSERT_EQ(found.samples.size(), texts.size());
    ASSERT_EQ(found.folds.size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::string text = texts[i].value_or("");
      std::vector<int> times(text.size() < length ? 0 : text.size() - length + 1, 0);
      for (const SubstringSample& sample : found.samples[i]) {
        EXPECT_LE(sample.first, sample.core);
        EXPECT_LE(sample.core - sample.first, 63U);
        for (std::uint64_t w = sample.first; w < sample.first + sample.windows; ++w) ++times.at(w);
      }
      for (const SubstringFold& fold : found.folds[i])
        for (std::uint64_t w = fold.first; w < fold.first + fold.windows; ++w) {
          ++times.at(w);
          EXPECT_EQ(text.substr(w, length), text.substr(w - fold.period, length));
        }
      EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << length << ' ' << i;
    }
  }
}

TEST(SubstringSampler, GivesTheSameForAnyThreadsLayoutAndCut) {
  Texts texts = repetitive(2, 200);
  texts.emplace_back(random_text(150000, 20, 7));  // more than one piece
  for (const std::size_t length : {20U, 3000U}) {
    const SubstringSampler sampler({.length = length});
    const Samples expected = sampler.batch(Column(texts).view(), on(1));
    for (const Layout layout : kLayouts)
      for (const unsigned threads : kThreads) {
        const Column column(texts, layout);
        const Samples found = sampler.batch(column.view(), on(threads));
        EXPECT_EQ(found.samples.offsets, expected.samples.offsets);
        EXPECT_EQ(found.samples.values, expected.samples.values);
        EXPECT_EQ(found.folds.offsets, expected.folds.offsets);
        EXPECT_EQ(found.folds.values, expected.folds.values);
        const std::size_t last = texts.size() - 1;
        EXPECT_TRUE(
            std::ranges::equal(sampler.batch(column.view().slice(last, 1), on(1)).samples[0], expected.samples[last]));
      }
  }
}

TEST(SubstringSampler, TextsThatShareAWindowShareACore) {
  const Texts texts = repetitive(3, 60);
  constexpr std::size_t kLength = 50;
  const Column column(texts);
  const Samples found = SubstringSampler({.length = kLength}).batch(column.view(), on(2));
  std::vector<std::set<std::string>> windows(texts.size());
  std::vector<std::set<std::uint64_t>> cores(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i].value_or("");
    for (std::size_t w = 0; w + kLength <= text.size(); ++w) windows[i].insert(text.substr(w, kLength));
    for (const SubstringSample& sample : found.samples[i]) cores[i].insert(sample.core_hash);
  }
  const auto meet = [](const auto& a, const auto& b) {
    return std::ranges::any_of(a, [&](const auto& one) { return b.contains(one); });
  };
  std::size_t sharing = 0;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (meet(windows[i], windows[j])) {
        EXPECT_TRUE(meet(cores[i], cores[j])) << i << ' ' << j;
        ++sharing;
      }
  EXPECT_GT(sharing, 100U);
}

// Follows the recipe in the header, with a map in place of the cluster.
std::vector<std::set<std::uint64_t>> repeated_by_samples(const Texts& texts, const SubstringSampler& sampler,
                                                         bool by_hash) {
  const Column column(texts);
  const Samples found = sampler.batch(column.view(), {});
  struct Place {
    std::size_t text;
    SubstringSample sample;
  };
  std::vector<std::set<std::uint64_t>> repeated(texts.size());
  const auto mark = [&](const Place& place) {
    for (std::uint64_t w = 0; w < place.sample.windows; ++w) repeated[place.text].insert(place.sample.first + w);
  };
  std::map<std::uint64_t, std::vector<Place>> groups;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (const SubstringSample& sample : found.samples[i]) groups[sample.core_hash].push_back({i, sample});
    for (const SubstringFold& fold : found.folds[i])
      for (std::uint64_t w = 0; w < fold.windows; ++w) repeated[i].insert(fold.first + w);
  }
  for (const auto& [core, places] : groups) {
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::vector<Place>> classes;
    for (const Place& place : places)
      classes[{place.sample.context_hash, place.sample.windows, place.sample.core - place.sample.first}].push_back(
          place);
    std::vector<Place> left;
    std::map<std::uint64_t, std::vector<std::pair<std::size_t, std::uint64_t>>> hashes;
    for (const auto& [context, same] : classes) {
      left.push_back(same.front());
      if (same.size() > 1) std::ranges::for_each(same, mark);
    }
    for (const Place& a : left) {
      std::vector<std::uint64_t> some(a.sample.windows);
      sampler.window_hashes(*texts[a.text], a.sample.first, a.sample.windows, some.data());
      for (std::size_t w = 0; w < some.size(); ++w) hashes[some[w]].emplace_back(a.text, a.sample.first + w);
      for (const Place& b : left) {
        if (by_hash || &a == &b) continue;
        const ByteRange shared = sampler.shared_windows(*texts[a.text], a.sample, *texts[b.text], b.sample);
        for (std::uint64_t w = shared.begin; w < shared.end; ++w) repeated[a.text].insert(w);
      }
    }
    for (const auto& [hash, windows] : hashes)
      if (by_hash && windows.size() > 1)
        for (const auto& [text, window] : windows) repeated[text].insert(window);
  }
  return repeated;
}

TEST(SubstringSampler, SamplesFindAllRepeatedWindowsAndNoOthers) {
  const Texts texts = repetitive(4, 80);
  for (const std::size_t length : {8U, 30U, 100U}) {
    std::map<std::string, std::vector<std::pair<std::size_t, std::uint64_t>>> all;
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t w = 0; texts[i] && w + length <= texts[i]->size(); ++w)
        all[texts[i]->substr(w, length)].emplace_back(i, w);
    std::vector<std::set<std::uint64_t>> expected(texts.size());
    for (const auto& [window, places] : all)
      if (places.size() > 1)
        for (const auto& [text, place] : places) expected[text].insert(place);
    for (const bool by_hash : {false, true})
      EXPECT_EQ(repeated_by_samples(texts, SubstringSampler({.length = length, .seed = 5}), by_hash), expected);
  }
}

TEST(SubstringSampler, RefusesWhatMakesNoSense) {
  EXPECT_THROW(SubstringSampler({.length = 7}), Error);
  EXPECT_THROW(SubstringSampler({.min_count = 1}), Error);
  std::uint64_t hash = 0;
  const SubstringSampler sampler({.length = 8});
  sampler.window_hashes("12345678", 0, 1, &hash);
  EXPECT_THROW(sampler.window_hashes("12345678", 1, 1, &hash), Error);
  EXPECT_THROW(sampler.window_hashes("12345678", 0, 2, &hash), Error);
}

}  // namespace
}  // namespace refrain
