// The small parts of the pipeline; the verbs themselves are tested through the programs, in tests/cli.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/files/random_file.h"
#include "refrain/error.h"
#include "refrain/hamming.h"
#include "refrain/report_json.h"
#include "refrain/version.h"
#include "verbs/run/columns/id_store.h"
#include "verbs/run/columns/striped_file.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/tsv.h"
#include "world.h"

namespace refrain::verbs::run {
namespace {

namespace fs = std::filesystem;

TEST(Tsv, EscapesWhatWouldBreakARow) {
  std::string out;
  append_escaped(out, "a\tb\nc\rd\\e");
  EXPECT_EQ(out, "a\\tb\\nc\\rd\\\\e");
}

TEST(Tsv, ReadsRowsBack) {
  EXPECT_EQ(parse_hash_row("x y\t12")->id, "x y");
  EXPECT_EQ(parse_hash_row("x\t18446744073709551615")->hash, UINT64_MAX);
  EXPECT_EQ(parse_hash_row("x\t5\t-1\r")->hash, 5U);
  EXPECT_EQ(parse_hash_row("x\t")->hash, std::nullopt);
  EXPECT_FALSE(parse_hash_row("x"));
  EXPECT_FALSE(parse_hash_row("x\t-1"));
  EXPECT_FALSE(parse_hash_row("x\t18446744073709551616"));
  EXPECT_FALSE(parse_hash_row("x\t0x10"));
  EXPECT_TRUE(is_hash_header("id\thash\tcluster"));
  EXPECT_TRUE(is_hash_header("id\thash"));
  EXPECT_TRUE(is_hash_header("id\tsimhash\r"));
  EXPECT_FALSE(is_hash_header("id\thashish"));
  EXPECT_FALSE(is_hash_header("id\tdigest\tcluster"));
  EXPECT_TRUE(is_digest_header("id\tdigest\tcluster"));
}

TEST(IdStore, MixesOrdinalsAndGivenIds) {
  Context context;
  MemoryBudget budget(context);
  IdStore ids(budget);
  ids.add({}, 0);
  ids.add({}, 1000);
  corpus::BatchIds given;
  given.ordinals = false;
  given.bytes = "ab\tc";
  given.ends = {2, 2, 4};
  ids.add(given, 2000);
  ids.add({}, 2003);
  EXPECT_EQ(ids.id(1999), "1999");
  EXPECT_EQ(ids.id(2000), "ab");
  EXPECT_EQ(ids.id(2001), "");
  EXPECT_EQ(ids.id(2002), "\tc");
  EXPECT_EQ(ids.id(2003), "2003");
}

class OutputDirs : public testing::Test {
 protected:
  void write(OutputDir& dir, const std::string& name, const std::string& text) {
    OutputFile file = dir.create(name);
    file.write(text);
    file.close();
  }
  OutputDirOptions options(bool force) const {
    return {.target = target_, .force = force, .verb = "near", .outputs = {"a", "clean"}};
  }
  static constexpr const char* kOurs = R"({"verb": "near"})";
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(world_.folder()), {}));
  }
  const World world_;
  fs::path target_ = world_.at("out");
};

TEST(StripedFiles, TextThatIsWrittenBeforeItsTurnIsReadInOrder) {
  const World world;
  MemoryBudget budget(Context{});
  RunDir dir({.target = world.folder() / "run", .verb = "dedup", .identity = "x"}, budget);
  std::mt19937_64 random(7);
  std::string all;
  std::vector<std::string> pieces(40);
  for (std::string& piece : pieces) {
    piece.resize(random() % 3 == 0 ? 0 : random() % 600'000);
    for (char& byte : piece) byte = static_cast<char>(random());
    all += piece;
  }
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 10, order.end(), random);  // the first few come in their turn
  StripedWriter writer(dir, "text", budget);
  std::vector<std::uint64_t> places(pieces.size());
  for (const std::size_t i : order) {
    places[i] = writer.allot(pieces[i].size());
    writer.write_at(places[i], pieces[i]);
  }
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(writer.put_in_order(places[i], pieces[i].size()), begin);
    begin += pieces[i].size();
  }
  // Another that ran ahead, an empty one, and one that was allotted the same place as that.
  const std::string ahead(70, 'c');
  const std::string behind(50, 'x');
  const std::uint64_t ahead_place = writer.allot(ahead.size());
  const std::uint64_t empty_place = writer.allot(0);
  const std::uint64_t behind_place = writer.allot(behind.size());
  ASSERT_EQ(empty_place, behind_place);
  writer.write_at(ahead_place, ahead);
  writer.write_at(behind_place, behind);
  writer.put_in_order(empty_place, 0);
  writer.put_in_order(behind_place, behind.size());
  writer.put_in_order(ahead_place, ahead.size());
  all += behind + ahead;
  writer.close(dir);
  const StripedFile file(dir, "text", budget);
  ASSERT_EQ(file.size(), all.size());
  std::string part;
  for (int round = 0; round < 300; ++round) {
    const std::size_t from = random() % (all.size() + 1);
    part.resize(std::min<std::size_t>(random() % 2'000'000, all.size() - from));
    file.read(from, part);
    ASSERT_EQ(part, all.substr(from, part.size()));
  }
  EXPECT_THROW(file.read(all.size() - 1, std::span(part.data(), 2)), Error);
}

TEST_F(OutputDirs, AppearWholeOrNotAtAll) {
  {
    OutputDir dir(options(false));
    write(dir, "a", "1");
    EXPECT_FALSE(fs::exists(target_));
  }
  EXPECT_EQ(entries(), 0U);
  target_ /= "";  // with a slash behind it
  OutputDir dir(options(false));
  write(dir, "a", "1");
  dir.publish(kOurs);
  EXPECT_EQ(read_file(target_ / "a"), "1");
  EXPECT_EQ(read_file(target_ / kSummaryName), kOurs);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(OutputDirs, ThatExistAreRefusedUnlessForcedAndKeepWhatIsNotOurs) {
  fs::create_directory(target_);
  std::ofstream(target_ / "mine") << "precious";
  std::ofstream(target_ / kSummaryName) << kOurs;
  std::ofstream(target_ / "a") << "old";
  EXPECT_THROW(OutputDir{options(false)}, Error);
  {
    OutputDir dir(options(true));
    write(dir, "a", "never published");
  }
  EXPECT_EQ(read_file(target_ / "a"), "old");
  OutputDir dir(options(true));
  write(dir, "a", "1");
  dir.publish(kOurs);
  EXPECT_EQ(read_file(target_ / "a"), "1");
  EXPECT_EQ(read_file(target_ / "mine"), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(target_), {}), 3);
}

TEST_F(OutputDirs, WhatNoRunMadeIsNeverReplaced) {
  fs::create_directories(target_ / "clean");
  std::ofstream(target_ / "clean" / "letter.txt") << "mine";
  EXPECT_THROW(OutputDir{options(true)}, Error);
  // The run of another verb has no say in it.
  std::ofstream(target_ / kSummaryName) << R"({"verb": "other"})";
  EXPECT_THROW(OutputDir{options(true)}, Error);
  std::ofstream(target_ / kSummaryName) << "no summary of ours";
  fs::remove_all(target_ / "clean");
  EXPECT_THROW(OutputDir{options(true)}, Error);
}

TEST_F(OutputDirs, WhatWasPutIntoAFolderAfterTheRunIsNeverReplacedAlsoNotInACopy) {
  {
    OutputDir dir(options(false));
    std::ofstream(dir.create_folder("clean") / "a.txt") << "ours";
    dir.publish(kOurs);
  }
  { OutputDir dir(options(true)); }
  std::ofstream(target_ / "clean" / "note.txt") << "mine";
  EXPECT_THROW(OutputDir{options(true)}, Error);
  EXPECT_EQ(read_file(target_ / "clean" / "note.txt"), "mine");
  fs::copy(target_, world_.at("copy"), fs::copy_options::recursive);
  target_ = world_.at("copy");
  EXPECT_THROW(OutputDir{options(true)}, Error);
  fs::remove(target_ / "clean" / "note.txt");
  { OutputDir dir(options(true)); }
}

TEST_F(OutputDirs, AnInputIsNeverReplaced) {
  {
    OutputDir dir(options(false));
    std::ofstream(dir.create_folder("clean") / "a.txt") << "ours";
    dir.publish(kOurs);
  }
  OutputDirOptions reads = options(true);
  reads.inputs = {(target_ / "clean" / "a.txt").string()};
  EXPECT_THROW(OutputDir{reads}, Error);
}

TEST_F(OutputDirs, ARunThatWasKilledWhileItReplacedFilesLeavesThemOurs) {
  fs::create_directory(target_);
  std::ofstream(target_ / "a") << "ours";
  EXPECT_THROW(OutputDir{options(true)}, Error);
  std::ofstream(target_ / ".summary.json.replacing") << "";
  OutputDir dir(options(true));
  write(dir, "a", "1");
  dir.publish(kOurs);
  EXPECT_FALSE(fs::exists(target_ / ".summary.json.replacing"));
}

TEST(FingerprintIndex, AnswersFromTheLibrary) {
  const std::vector<std::uint64_t> stored{0b1000, 0b1111, 0b1000};
  FingerprintIndex index(stored, 1, Context{});
  EXPECT_EQ(index.size(), 3U);
  std::vector<FingerprintIndex::Match> found;
  index.find(0b1001, found);
  EXPECT_EQ(found, (std::vector<FingerprintIndex::Match>{{0, 1}, {2, 1}}));
  index.add(0b1001);
  const FingerprintIndex::Best best = index.best(0b1001);
  EXPECT_EQ(best.match, (FingerprintIndex::Match{3, 0}));
  EXPECT_EQ(best.count, 3U);
}

TEST(ReportJson, OfAnExplanationIsOneObject) {
  ExplainReport report;
  report.a = {.id = "a", .text = "x\"y", .tokens = 2, .windows = 1, .fingerprint = UINT64_MAX, .shared = {{0, 3}}};
  report.b.id = "b";
  EXPECT_EQ(to_json(report, 3),
            "{\n  \"verb\": \"explain\",\n  \"version\": \"" + std::string(kVersion) +
                "\",\n"
                "  \"a\": {\n    \"id\": \"a\",\n    \"text\": \"x\\\"y\",\n    \"tokens\": 2,\n    \"windows\": 1,\n"
                "    \"fingerprint\": \"18446744073709551615\",\n    \"shared\": [\n      [\n        0,\n        3\n   "
                "   ]\n    ]\n  },\n"
                "  \"b\": {\n    \"id\": \"b\",\n    \"text\": \"\",\n    \"tokens\": 0,\n    \"windows\": 0,\n"
                "    \"fingerprint\": null,\n    \"shared\": []\n  },\n"
                "  \"difference\": null,\n  \"shared_windows\": 0,\n  \"similarity\": 0,\n  \"distance\": 3,\n  "
                "\"match\": null\n}\n");
}

}  // namespace
}  // namespace refrain::verbs::run
