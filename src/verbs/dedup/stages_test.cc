#include "verbs/dedup/stages.h"

#include <fstream>
#include <map>
#include <set>

#include "corpus/files/parquet_module.h"
#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

class DedupStages : public DedupTest {
 protected:
  // False in a build without Arrow.
  static bool has_parquet() {
    try {
      MemoryBudget budget(Context{});
      corpus::prepare_parquet(budget);
      return true;
    } catch (const Error&) {
      return false;
    }
  }
  static std::vector<Stage> stages() {
    std::vector<Stage> here;
    for (const Stage& stage : all_stages())
      if (stage.name != "tables" || has_parquet()) here.push_back(stage);
    return here;
  }
  // Options with which every stage runs.
  DedupOptions everything() {
    std::mt19937_64 random(31);
    std::vector<std::string> texts;
    for (int i = 0; i < 50; ++i) texts.push_back(join(random_words(random, 60)));
    texts.push_back(texts[3] + " more");
    texts.push_back(texts[3]);
    DedupOptions wanted = options(given(texts));
    wanted.input.id_field = "source";
    wanted.apply = wanted.annotate = wanted.read_back = true;
    wanted.attributes = Attributes::dolma;
    if (has_parquet()) wanted.tables = Tables::parquet;
    wanted.substrings = 50;
    wanted.against.paths = {given({{texts[7]}}, "other.jsonl")};
    wanted.library = at("library");
    wanted.overrides = at("people.jsonl");
    std::ofstream(wanted.overrides) << "";
    return wanted;
  }
};

TEST_F(DedupStages, HaveNamesAndWeightsOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Stage& stage : all_stages()) {
    EXPECT_TRUE(names.insert(stage.name).second) << stage.name;
    EXPECT_NE(stage.work, nullptr) << stage.name;
    EXPECT_GT(stage.weight, 0) << stage.name;
    EXPECT_GT(stage.idle_weight, 0) << stage.name;
    EXPECT_TRUE(stage.part > 0 && stage.part <= 1) << stage.name;
  }
}

TEST_F(DedupStages, AllRunInTheOrderOfTheTable) {
  const DedupReport report = run(everything());
  const std::vector<Stage> expected = stages();
  ASSERT_EQ(report.stages.size(), expected.size());
  for (std::size_t i = 0; i < report.stages.size(); ++i) EXPECT_EQ(report.stages[i].stage, expected[i].name);
}

// write.cc sizes a shuffle by this: with copies left out, a corpus of nothing but copies would be one large partition.
TEST_F(DedupStages, CountExactCopiesAmongTheMatches) {
  EXPECT_EQ(run(everything()).matches, 2U);  // a copy, and a pair of similar texts
}

TEST_F(DedupStages, ReportHowFarTheyAreUnderTheSectionThatTheTableNames) {
  std::map<std::string, std::set<std::string>> told;
  Context context;
  context.progress = [&](const ProgressUpdate& update) {
    if (update.total != 0) told[std::string(update.run.stage)].insert(std::string(update.stage));
  };
  refrain::dedup(everything(), context);
  for (const Stage& stage : stages()) {
    if (stage.weight <= 2) continue;  // too short to send progress reports
    const std::string section(stage.section.empty() ? stage.name : stage.section);
    EXPECT_TRUE(told[std::string(stage.name)].contains(section)) << stage.name;
  }
}

TEST_F(DedupStages, RunOnlyWhereTheOptionsAskForThem) {
  DedupOptions least;
  least.near = NearMethod::off;
  std::vector<std::string> names;
  double weight = 0;
  for (const run::RunStage& stage : stages_of(least)) {
    names.push_back(stage.name);
    weight += stage.weight;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"read", "exact", "near", "verify", "cluster", "decide", "check", "write",
                                             "library", "report"}));
  EXPECT_EQ(weight, 60 + 7 + 1 + 1 + 1 + 1 + 1 + 20 + 8 + 2);
}

TEST_F(DedupStages, AResumedRunNamesTheFactThatItsMarkerLacks) {
  DedupOptions wanted = everything();
  Context context;
  context.progress = [](const ProgressUpdate& update) {
    if (update.stage == "write") throw Error(Errc::io, "the disk is gone");
  };
  EXPECT_THROW(refrain::dedup(wanted, context), Error);
  for (const char* marker : {"check.done", "substrings.done"}) {
    const std::string name = std::string("out/work/") + marker;
    std::string text = read(name);
    const std::size_t at = text.find("run.report.check.recall\t");
    ASSERT_NE(at, std::string::npos) << text;
    write(name, text.erase(at, text.find('\n', at) + 1 - at));
  }
  wanted.force = false;
  wanted.resume = true;
  try {
    run(wanted);
    ADD_FAILURE() << "believed it";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::corrupt);
    EXPECT_STREQ(error.what(), "work/: 'run.report.check.recall' is missing; start again with `force`");
  }
}

}  // namespace
}  // namespace refrain::verbs::dedup
