// Feeding texts to a device, with a stand-in for the device that computes on the CPU.
#include "engines/cuda/feed.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gpu/failing.h"
#include "gpu/stand_in.h"
#include "refrain/error.h"

namespace refrain::cuda {
namespace {

using gpu_test::StandIn;

struct Column {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};
  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  TextBatch view() const { return {bytes.data(), offsets}; }
};

Column some_texts() {
  std::mt19937_64 random(1);
  Column texts;
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (std::uint64_t words = random() % 40; words != 0; --words) text += "word" + std::to_string(random() % 99) + " ";
    if (i % 5 == 0) text += "na\xC3\xAFve";
    if (i % 7 == 0) text += "q";
    if (i % 50 == 0) text += std::string(2000, 'x');
    texts.add(text);
  }
  return texts;
}

SketchRule words_rule() {
  std::string why;
  return *sketch_rule({}, why);
}

// Checks that every text is handled once, that results equal those of the CPU, and that only the expected texts are
// left to it.
void expect_all_right(Feed& feed, unsigned worker, const Column& texts, bool digests = false) {
  const Fingerprinter fingerprinter(FingerprintOptions{});
  const TextBatch view = texts.view();
  std::vector<int> seen(view.size());
  feed.run(
      worker, view,
      [&](std::size_t text, const std::uint8_t* result, const Digest* made) {
        ASSERT_EQ(made != nullptr, digests);
        if (digests) {
          ASSERT_EQ(*made, digest(view[text]));
        }
        ++seen[text];
        const std::optional<std::uint64_t> expected = fingerprinter(view[text]);
        ASSERT_EQ(result != nullptr, expected.has_value()) << text;
        std::uint64_t hash = 0;
        if (result != nullptr) std::memcpy(&hash, result, 8);
        ASSERT_EQ(hash, expected.value_or(0)) << text;
      },
      [&](std::size_t text) {
        ++seen[text];
        const bool expected = view[text].find('q') != std::string_view::npos || view[text].size() > 1500 ||
                              view[text].find('\xC3') != std::string_view::npos;
        ASSERT_TRUE(expected) << text;
      });
  for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], 1) << i;
}

TEST(CudaFeed, EveryTextIsDoneOnceWhateverTheLanesHold) {
  const Column texts = some_texts();
  for (const LaneSize size : {LaneSize{1500, 1}, LaneSize{1500, 7}, LaneSize{1500, 1000}, LaneSize{1 << 20, 100}}) {
    Feed feed(std::make_shared<StandIn>(), words_rule(), 1, size);
    expect_all_right(feed, 0, texts);
    expect_all_right(feed, 0, texts);
    const DeviceReport report = feed.report(1);
    EXPECT_EQ(report.name, "stand-in");
    EXPECT_EQ(report.documents + report.left_to_cpu, 1000U);
    EXPECT_GT(report.documents, 500U);
    EXPECT_GT(report.left_to_cpu, 100U);
    EXPECT_EQ(report.kernel_seconds, 2);
  }
}

TEST(CudaFeed, NothingIsSentWhereThereIsNothingToSend) {
  Feed feed(std::make_shared<StandIn>(), words_rule(), 1, {1000, 10});
  expect_all_right(feed, 0, {});
  Column foreign;
  for (int i = 0; i < 30; ++i) foreign.add("\xC3\xA9t\xC3\xA9 comme hiver");
  expect_all_right(feed, 0, foreign);
  EXPECT_EQ(feed.report(1).documents, 0U);
  EXPECT_EQ(feed.report(1).bytes, 0U);
}

TEST(CudaFeed, ThreadsHaveTheirOwnLanes) {
  const Column texts = some_texts();
  const auto device = std::make_shared<StandIn>();
  Feed feed(device, words_rule(), 3, {1500, 100});
  for (unsigned worker = 0; worker < 3; ++worker) expect_all_right(feed, worker, texts);
  EXPECT_EQ(device->sizes.size(), 3U);
  std::vector<std::jthread> threads;
  for (unsigned worker = 0; worker < 3; ++worker)
    threads.emplace_back([&, worker] { expect_all_right(feed, worker, texts); });
  threads.clear();
  EXPECT_EQ(device->sizes.size(), 3U);
  EXPECT_EQ(feed.report(1).documents + feed.report(1).left_to_cpu, 3000U);
}

TEST(CudaFeed, LanesFitTheMemoryOfTheDevice) {
  Context context;
  context.memory_bytes = std::uint64_t{1} << 30;
  MemoryBudget budget(context);
  const auto device = std::make_shared<StandIn>();
  Column texts;
  texts.add("a text of a few words");
  const auto lane_bytes = [&](std::uint64_t memory, unsigned threads) {
    device->sizes.clear();
    Feed feed(device, words_rule(), threads, memory, budget);
    feed.run(
        0, texts.view(), [](std::size_t, const std::uint8_t*, const Digest*) {}, [](std::size_t) {});
    EXPECT_GT(budget.reserved(), 0U);
    return device->sizes.at(0).text_bytes;
  };
  EXPECT_EQ(lane_bytes(0, 4), std::size_t{2} << 20);
  EXPECT_EQ(lane_bytes(std::uint64_t{8} << 20, 4), std::size_t{1} << 20);
  EXPECT_EQ(budget.reserved(), 0U);
  try {
    lane_bytes(std::uint64_t{1} << 20, 4);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
    EXPECT_STREQ(error.what(), "`device_memory` 1.0 MiB: not enough for 4 threads; use at least 2.0 MiB");
  }
}

TEST(CudaFeed, WhatTakesLongestIsNamed) {
  const auto named = [](double staging, double cpu, double waiting, double copy) {
    DeviceReport report;
    report.staging_seconds = staging;
    report.cpu_seconds = cpu;
    report.waiting_seconds = waiting;
    report.copy_seconds = copy;
    report.kernel_seconds = 1;
    return bound_by(report, 10, 2);
  };
  EXPECT_EQ(named(1, 2, 3, 0), "reading");
  EXPECT_EQ(named(15, 2, 3, 0), "staging");
  EXPECT_EQ(named(1, 15, 3, 0), "cpu");
  EXPECT_EQ(named(1, 2, 15, 0), "kernel");
  EXPECT_EQ(named(1, 2, 15, 2), "copy");
}

TEST(CudaFeed, DigestsAreHandedOnWhereTheyAreWanted) {
  SketchRule rule = words_rule();
  rule.digests = true;
  Feed feed(std::make_shared<StandIn>(), rule, 1, {1500, 7});
  expect_all_right(feed, 0, some_texts(), true);
}

TEST(CudaFeed, ADeviceThatFailsIsAnErrorThatNamesIt) {
  const Column texts = some_texts();
  for (const std::string call : {"lane", "start", "wait"}) {
    const gpu_test::Faults faults(call, call == "lane" ? 1 : 2,
                                  [](const std::string& at) { throw Error(Errc::io, "stand-in: " + at); });
    Feed feed(std::make_shared<gpu_test::FailingDevice>(std::make_unique<StandIn>(), faults), words_rule(), 1,
              {1500, 100});
    try {
      feed.run(
          0, texts.view(), [](std::size_t, const std::uint8_t*, const Digest*) {}, [](std::size_t) {});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::io);
      EXPECT_EQ(error.what(), "stand-in: " + call);
    }
  }
}

TEST(CudaFeed, WhatADeviceCannotDoIsToldByTheFlagThatAsksForIt) {
  const auto why_not = [](const FingerprintOptions& options) {
    std::string why;
    const bool can = sketch_rule(options, why).has_value();
    EXPECT_EQ(can, why.empty());
    return why.substr(0, why.find(':'));
  };
  EXPECT_EQ(why_not({}), "");
  EXPECT_EQ(why_not(preset("fpga")->fingerprint), "");
  EXPECT_EQ(why_not({.window = 8}), "");
  EXPECT_EQ(why_not({.window = 9}), "`window`");
  EXPECT_EQ(why_not({.tokenizer = TokenizerKind::code}), "`tokenizer`");
  EXPECT_EQ(why_not({.hash = HashKind::jenkins}), "`hash`");
  EXPECT_EQ(why_not({.hash = HashKind::sdbm}), "`hash` sdbm");
  EXPECT_EQ(why_not({.stop_words = {"the"}}), "`stop_words`");
}

TEST(CudaFeed, ADeviceThatIsNotThereIsToldOnlyWhereItWasAskedFor) {
  EXPECT_EQ(open_device({}, true), nullptr);
  EXPECT_EQ(open_device({.kind = DeviceKind::automatic}, false), nullptr);
  const DeviceList list = devices();
  EXPECT_EQ(list.devices.empty(), !list.missing.empty());
  if (!list.devices.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(open_device({.kind = DeviceKind::automatic}, true), nullptr);
  try {
    open_device({.kind = DeviceKind::cuda}, false);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::unsupported);
    EXPECT_EQ(std::string(error.what()), "`device` cuda: " + list.missing + "; use `device` cpu");
  }
}

}  // namespace
}  // namespace refrain::cuda
