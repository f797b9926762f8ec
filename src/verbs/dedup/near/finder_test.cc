#include "verbs/dedup/near/finder.h"

#include <gtest/gtest.h>

#include <set>

#include "refrain/error.h"

namespace refrain::verbs::dedup {
namespace {

std::vector<NearMethod> methods() {
  std::vector<NearMethod> all;
  for (std::size_t i = 0; i < near_method_names().size(); ++i) all.push_back(static_cast<NearMethod>(i));
  return all;
}

std::unique_ptr<NearFinder> finder(NearMethod method) {
  DedupOptions options;
  options.near = method;
  options.threshold = near_method_info(method).threshold;
  return make_finder(options);
}

TEST(NearFinders, AllButOffAreMadeAndDiffer) {
  EXPECT_EQ(near_method_names(), (std::vector<std::string_view>{"minhash", "simhash", "off"}));
  std::set<std::string> identities;
  for (const NearMethod method : methods()) {
    EXPECT_EQ(near_method_info(method).name, near_method_names()[static_cast<std::size_t>(method)]);
    const auto found = finder(method);
    EXPECT_EQ(found == nullptr, method == NearMethod::off);
    EXPECT_TRUE(!found || identities.insert(found->identity()).second);
  }
}

TEST(NearFinders, ASketchFillsItsColumnsAndNoMore) {
  std::vector<std::uint64_t> features;
  for (std::uint64_t i = 1; i <= 100; ++i) features.push_back(i * 0x9E3779B97F4A7C15ULL);
  for (const NearMethod method : methods()) {
    const auto found = finder(method);
    if (!found) continue;
    std::size_t width = 0;
    for (const SketchColumn& column : found->columns()) width += column.width;
    EXPECT_EQ(found->width(), width);
    const auto sketch = [&](std::uint8_t before, std::size_t times) {
      std::vector<std::uint8_t> values(width + 1, before);
      const auto sketcher = found->sketcher();
      // Earlier documents do not affect the sketch.
      for (std::size_t i = 0; i < times; ++i) {
        sketcher->start();
        sketcher->add(std::span(features).first(i + 1 == times ? features.size() : 7));
        sketcher->finish(values.data());
      }
      EXPECT_EQ(values.back(), before);
      values.pop_back();
      return values;
    };
    EXPECT_EQ(sketch(0x00, 1), sketch(0xFF, 3)) << near_method_info(method).name;
  }
}

TEST(NearFinders, RefuseWhatTheyCannotWorkWith) {
  DedupOptions options;
  options.near = NearMethod::simhash;
  options.distance = 64;
  EXPECT_THROW(make_finder(options), Error);
  options.near = NearMethod::minhash;
  EXPECT_NO_THROW(make_finder(options));
  options.lanes = 17;
  EXPECT_THROW(make_finder(options), Error);
}

}  // namespace
}  // namespace refrain::verbs::dedup
