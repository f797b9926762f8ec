#include "verbs/run/progress.h"

#include <gtest/gtest.h>

#include <vector>

#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

run::RunProgress three() {
  return run::RunProgress({{.name = "read", .weight = 6},
                           {.name = "look", .weight = 3, .section = "sample", .part = 0.5},
                           {.name = "write", .weight = 1}});
}

ProgressUpdate report(std::string_view stage, std::uint64_t done, std::uint64_t total) {
  return {.stage = stage, .unit = "bytes", .done = done, .total = total};
}

TEST(RunProgress, AddsUpTheStagesByTheirWeights) {
  run::RunProgress progress = three();
  progress.begin("read");
  ProgressUpdate::Run run = progress.update(report("read", 50, 100), 3);
  EXPECT_EQ(run.stage, "read");
  EXPECT_EQ(run.number, 1U);
  EXPECT_EQ(run.stages, 3U);
  EXPECT_DOUBLE_EQ(run.share, 0.3);
  EXPECT_DOUBLE_EQ(run.seconds_left, 7);
  progress.begin("look");
  run = progress.update(report("look", 0, 0), 6);
  EXPECT_EQ(run.number, 2U);
  EXPECT_DOUBLE_EQ(run.share, 0.6);
  EXPECT_DOUBLE_EQ(run.seconds_left, 4);
  EXPECT_DOUBLE_EQ(progress.update(report("sample", 10, 10), 7.5).share, 0.75);
  EXPECT_DOUBLE_EQ(progress.update(report("other", 10, 10), 7.5).share, 0.75);
  progress.begin("write");
  EXPECT_DOUBLE_EQ(progress.update(report("write", 0, 10), 9).share, 0.9);
  run = progress.update(report("write", 10, 10), 10);
  EXPECT_DOUBLE_EQ(run.share, 1);
  EXPECT_DOUBLE_EQ(run.seconds_left, 0);
}

TEST(RunProgress, CorrectsItselfByTheTimeThatHasGoneBy) {
  run::RunProgress progress = three();
  progress.begin("read");
  EXPECT_DOUBLE_EQ(progress.update(report("read", 100, 100), 6).seconds_left, 4);
  progress.begin("look");
  // The stage takes ten times as long as predicted, so the rest is expected to take longer, too.
  EXPECT_DOUBLE_EQ(progress.update(report("sample", 10, 10), 21).seconds_left, 7);
}

TEST(RunProgress, NeverGoesBack) {
  run::RunProgress progress = three();
  progress.begin("read");
  EXPECT_DOUBLE_EQ(progress.update(report("read", 90, 100), 1).share, 0.54);
  EXPECT_DOUBLE_EQ(progress.update(report("read", 10, 100), 2).share, 0.54);
  EXPECT_DOUBLE_EQ(progress.update(report("read", 300, 100), 3).share, 0.6);
}

TEST(RunProgress, StagesOfAnEarlierRunTookNoTime) {
  run::RunProgress progress = three();
  progress.skip("read");
  progress.begin("look");
  ProgressUpdate::Run run = progress.update(report("look", 0, 0), 1);
  EXPECT_DOUBLE_EQ(run.share, 0.6);
  EXPECT_LT(run.seconds_left, 0) << "nothing was done yet";
  run = progress.update(report("sample", 10, 10), 3);
  EXPECT_DOUBLE_EQ(run.share, 0.75);
  EXPECT_DOUBLE_EQ(run.seconds_left, 5);
}

class WholeRunTest : public DedupTest {};

TEST_F(WholeRunTest, EveryStageOfARunIsCounted) {
  std::mt19937_64 random(31);
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back(join(random_words(random, 60)));
  texts.push_back(texts[3] + " more");
  for (const bool all : {false, true}) {
    DedupOptions wanted = options(given(texts));
    wanted.apply = wanted.annotate = all;
    if (all) {
      wanted.input.id_field = "source";
      wanted.attributes = Attributes::dolma;
      wanted.substrings = 50;
      wanted.against.paths = {given({{texts[7]}}, "other.jsonl")};
    }
    std::vector<ProgressUpdate::Run> told;
    std::vector<std::string> names;
    Context context;
    context.progress = [&](const ProgressUpdate& update) {
      if (told.empty() || update.run.number != told.back().number) names.emplace_back(update.run.stage);
      told.push_back(update.run);
    };
    const DedupReport report = refrain::dedup(wanted, context);
    ASSERT_EQ(names.size(), report.stages.size());
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], report.stages[i].stage);
    for (std::size_t i = 0; i < told.size(); ++i) {
      EXPECT_EQ(told[i].stages, report.stages.size());
      EXPECT_GE(told[i].share, i == 0 ? 0 : told[i - 1].share);
      EXPECT_LE(told[i].share, 1);
    }
    EXPECT_EQ(told.back().number, report.stages.size());
    EXPECT_GT(told.back().share, 0.99);
  }
}

TEST(RunProgress, SaysNothingOfTheTimeBeforeThereIsAPace) {
  run::RunProgress progress = three();
  progress.begin("read");
  EXPECT_LT(progress.update(report("read", 1, 1000), 1).seconds_left, 0);
  EXPECT_LT(progress.update(report("read", 1000, 0), 1).seconds_left, 0) << "the total is unknown";
  EXPECT_GT(progress.update(report("read", 20, 1000), 1).seconds_left, 0);
}

}  // namespace
}  // namespace refrain::verbs::dedup
