// Tests the small parts of the pipeline. The verbs themselves are tested through the programs, in tests/cli.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "refrain/error.h"
#include "refrain/hamming.h"
#include "refrain/input.h"
#include "refrain/report_json.h"
#include "refrain/version.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/columns/text_store.h"
#include "verbs/run/dir.h"
#include "verbs/run/input_identity.h"
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
  std::shuffle(order.begin() + 10, order.end(), random);  // the first ten stay in order
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
  // A text that comes last but was allotted its place first, an empty one, and one with the same place as the empty
  // one.
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
  target_ /= "";  // with a trailing slash
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

TEST_F(OutputDirs, FilesThatOnlyAnEarlierRunMadeAreRemoved) {
  OutputDirOptions both = options(true);
  both.outputs.emplace_back("b");
  {
    OutputDir dir(both);
    write(dir, "a", "1");
    write(dir, "b", "1");
    dir.publish(kOurs);
  }
  std::ofstream(target_ / "mine") << "precious";
  OutputDir dir(both);
  write(dir, "a", "2");
  EXPECT_EQ(read_file(target_ / "b"), "1");
  dir.publish(kOurs);
  EXPECT_EQ(read_file(target_ / "a"), "2");
  EXPECT_EQ(read_file(target_ / "mine"), "precious");
  EXPECT_FALSE(fs::exists(target_ / "b"));
}

TEST_F(OutputDirs, WhatNoRunMadeIsNeverReplaced) {
  fs::create_directories(target_ / "clean");
  std::ofstream(target_ / "clean" / "letter.txt") << "mine";
  EXPECT_THROW(OutputDir{options(true)}, Error);
  // A run of another verb does not own them.
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

class RunDirs : public testing::Test, public World {
 protected:
  RunDir open(const std::string& identity, bool resume, bool force) {
    return {{.target = at("run"),
             .verb = "dedup",
             .identity = "refrain dedup " + identity,
             .resume = resume,
             .force = force,
             .outputs = {"a", "b", "annotated", "clean"}},
            budget_};
  }
  static void put(RunDir& dir, const std::string& name, const std::string& text) {
    RunFile file = dir.create_output(name);
    file.write(text);
    dir.close(file);
  }
  std::vector<std::string> left() const { return list_folder(at("run")); }

  MemoryBudget budget_{Context{}};
};

TEST_F(RunDirs, WhatAnEarlierRunLeftGoesAlsoWhereTheNewOneWasKilledInItsFirstStage) {
  for (const bool whole : {false, true}) {
    {
      RunDir old = open("old", false, true);
      old.stage("write", [&] {
        put(old, "a", "old");
        put(old, "b", "old");
        write("run/clean/x", "old");
        write("run/.clean.files", "x\n");
        write("run/.annotated.files", "x\n");  // its folder was removed, and then the power failed
      });
      if (whole) old.finish(R"({"verb": "dedup"})");
    }
    open("new", false, true);  // killed at once
    if (whole) {
      EXPECT_THROW(open("new", true, false), Error);  // the old run is complete
      continue;
    }
    RunDir resumed = open("new", true, false);
    resumed.stage("read", [] {});
    resumed.stage("write", [&] { put(resumed, "a", "new"); });
    resumed.finish(R"({"verb": "dedup"})");
    EXPECT_EQ(left(), (std::vector<std::string>{"a", "summary.json"}));
    EXPECT_EQ(read("run/a"), "new");
  }
}

// `removed` is the number of steps after which the removal of the old outputs was interrupted.
TEST_F(RunDirs, ARemovalThatWasCutShortIsFinishedWhereverItEnded) {
  const std::vector<std::string> steps{"clean/part/x", "clean/part", "clean/y", "clean"};
  for (const bool resume : {false, true}) {
    for (std::size_t removed = 0; removed <= steps.size(); ++removed) {
      fs::remove_all(at("run"));
      {
        RunDir dir = open("new", false, true);
        dir.stage("read", [] {});  // removes what an old run left
      }
      write("run/clean/part/x", "old");
      write("run/clean/y", "old");
      write("run/.clean.files", "part/x\ny\n");
      for (std::size_t i = 0; i < removed; ++i) fs::remove(at("run/" + steps[i]));
      RunDir next = open("new", resume, !resume);
      EXPECT_EQ(next.stage("read", [] {}), !resume);
      next.finish(R"({"verb": "dedup"})");
      EXPECT_EQ(left(), (std::vector<std::string>{"summary.json"})) << removed;
    }
  }
}

TEST_F(RunDirs, AnEmptyFolderThatNoRunMadeIsNotRemovedWithItsOutput) {
  { RunDir dir = open("x", false, false); }
  write("run/clean/part/x", "old");
  write("run/.clean.files", "part/x\n");
  fs::create_directory(at("run/clean/mine"));
  EXPECT_THROW(open("x", false, true), Error);
  // A file in the place of a folder is not removed either.
  fs::remove_all(at("run/clean"));
  write("run/clean/part", "mine");
  EXPECT_THROW(open("x", false, true), Error);
}

TEST_F(RunDirs, AnEmptyWorkFolderOfAFinishedRunIsRemovedByResuming) {
  open("x", false, false).finish(R"({"verb": "dedup"})");
  fs::create_directory(at("run/work"));  // the run was killed before it could remove this
  EXPECT_THROW(open("x", true, false), Error);
  EXPECT_EQ(left(), (std::vector<std::string>{"summary.json"}));
}

TEST_F(RunDirs, AResumedRunKeepsWhatItsEndedStagesMade) {
  {
    RunDir dir = open("x", false, false);
    dir.stage("write", [&] { put(dir, "a", "kept"); });
    dir.stage("apply", [&] {
      write("run/clean/x", "kept");
      write("run/.clean.files", "x\n");
      dir.close_folder("clean");
      fs::create_directory(at("run/annotated"));
      write("run/.annotated.files", "");
      dir.close_folder("annotated");
    });
    write("run/b", "half of it");
  }
  RunDir resumed = open("x", true, false);
  EXPECT_FALSE(resumed.stage("write", [] { FAIL(); }));
  EXPECT_FALSE(resumed.stage("apply", [] { FAIL(); }));
  resumed.finish(R"({"verb": "dedup"})");
  EXPECT_EQ(left(),
            (std::vector<std::string>{".annotated.files", ".clean.files", "a", "annotated", "clean", "summary.json"}));
  EXPECT_EQ(read("run/a") + read("run/clean/x"), "keptkept");
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
  EXPECT_EQ(to_json({.distance = 3}, report),
            "{\n  \"verb\": \"explain\",\n  \"version\": \"" + std::string(kVersion) +
                "\",\n"
                "  \"a\": {\n    \"id\": \"a\",\n    \"text\": \"x\\\"y\",\n"
                "    \"digest\": \"2e8e27d42380be19edb6e256765b012b\",\n    \"tokens\": 2,\n    \"windows\": 1,\n"
                "    \"fingerprint\": \"18446744073709551615\",\n    \"shared\": [\n      [\n        0,\n        3\n   "
                "   ]\n    ]\n  },\n"
                "  \"b\": {\n    \"id\": \"b\",\n    \"text\": \"\",\n"
                "    \"digest\": \"99aa06d3014798d86001c324468d497f\",\n    \"tokens\": 0,\n    \"windows\": 0,\n"
                "    \"fingerprint\": null,\n    \"shared\": []\n  },\n"
                "  \"difference\": null,\n  \"shared_windows\": 0,\n  \"similarity\": 0,\n  \"distance\": 3,\n  "
                "\"match\": null,\n  \"verified\": {\n    \"distance\": 10,\n    \"threshold\": 0.8,\n"
                "    \"match\": null\n  },\n  \"dedup\": {\n    \"window\": 0,\n    \"threshold\": 0,\n"
                "    \"similarity\": null,\n    \"match\": false,\n    \"change\": {}\n  }\n}\n");
}

TEST(InputIdentity, IsTheSameForAListing) {
  const World world;
  for (const char* name : {"in/a.txt", "in/b/c.txt", "in/b/.d/e.txt", "in/.f", "other/g.txt"}) world.write(name, name);
  fs::create_directory_symlink(world.folder() / "other", world.folder() / "in" / "link");
  fs::create_directories(world.folder() / "in" / "empty");
  const InputOptions input{.paths = {world.at("in"), world.at("other/g.txt"), world.at("in") + "/"}};
  InputOptions listed = input;
  listed.listing = list_input(input, world.context());
  ASSERT_NE(listed.listing, nullptr);
  EXPECT_EQ(input_identity(listed), input_identity(input));
  world.write("in/b/c.txt", "more text");
  EXPECT_NE(input_identity(listed), input_identity(input));
}

TEST(InputIdentity, NamesAFileThatChangedEvenWithItsSizeAndTime) {
  const World world;
  world.write("in/a.txt", "some text");
  const fs::path file = world.write("in/b.txt", "some text");
  InputOptions input;
  input.paths = {world.at("in")};
  const std::string identity = input_identity(input);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  EXPECT_EQ(changed_since(input, now), std::nullopt);
  const fs::file_time_type time = fs::last_write_time(file);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than a tick of the file system's clock
  world.write("in/b.txt", "more text");
  fs::last_write_time(file, time);
  EXPECT_EQ(input_identity(input), identity);
  EXPECT_EQ(changed_since(input, now), file.string());
}

TEST(RunDir, SaysWhatKeepsARunFromBeingResumed) {
  const World world;
  MemoryBudget budget(world.context());
  RunDirOptions options{.target = world.folder() / "run", .verb = "dedup", .identity = "refrain dedup 1\nwindow 3\n"};
  { const RunDir begun(options, budget); }
  options.resume = true;
  { const RunDir resumed(options, budget); }
  const auto refusal = [&] {
    try {
      const RunDir resumed(options, budget);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  options.identity = "refrain dedup 1\nwindow 5\n";
  EXPECT_NE(refusal().find("run: was started with `window` 3, not 5; use the same"), std::string::npos) << refusal();
  options.identity = "refrain dedup 2\nwindow 3\n";
  EXPECT_NE(refusal().find("was started with another version of refrain;"), std::string::npos) << refusal();
  options.identity = "refrain dedup 1\nwindow 3\ninput a.txt 5\n";
  options.changed_input = [](const timespec&) { return std::optional<std::string>("in/a.txt"); };
  EXPECT_EQ(refusal().find("in/a.txt: changed after the run"), 0U) << refusal();
}

TEST(RunDir, SaysWhichOptionKeepsARunFromBeingResumedAndHow) {
  const World world;
  MemoryBudget budget(world.context());
  const std::string head = "refrain dedup 1\nexact true\n";
  const std::string tail = "max_loss 16\ninput in/a.txt\t5\ninput in/b.txt\t7\n";
  const auto refusal = [&](const std::string& before, const std::string& now) {
    RunDirOptions options{.target = world.folder() / "run", .verb = "dedup", .identity = before, .force = true};
    { const RunDir begun(options, budget); }
    options.identity = now;
    options.force = false;
    options.resume = true;
    try {
      const RunDir resumed(options, budget);
    } catch (const Error& error) {
      const std::string message = error.what();
      const std::size_t begin = message.find("was started ");
      return message.substr(begin, message.find(';') - begin);
    }
    return std::string("none");
  };
  const auto with = [&](const std::string& lines) { return head + lines + tail; };
  EXPECT_EQ(refusal(with(""), with("")), "none");
  EXPECT_EQ(refusal(with("threshold 0.8\n"), with("threshold 0.7\n")), "was started with `threshold` 0.8, not 0.7");
  EXPECT_EQ(refusal(with("keep source:a b,c\n"), with("keep first\n")),
            "was started with `keep` source:a b,c, not first");
  EXPECT_EQ(refusal(with("charset koi8-r\n"), with("")), "was started with `charset` koi8-r");
  EXPECT_EQ(refusal(with(""), with("charset koi8-r\n")), "was started without `charset` koi8-r");
  EXPECT_EQ(refusal(with("source_field \n"), with("source_field site\n")), "was started without `source_field` site");
  EXPECT_EQ(refusal(with("apply false\n"), with("apply true\n")), "was started without `apply`");
  EXPECT_EQ(refusal(with("apply\n"), with("")), "was started with `apply`");
  EXPECT_EQ(refusal(with("known a\nknown b\n"), with("known a\n")), "was started with `known` b");
  EXPECT_EQ(refusal(with("known a\nknown b\n"), with("known b\nknown a\n")), "was started with `known` a, b, not b, a");
  EXPECT_EQ(refusal(with("stop_words a\nstop_words b\nstop_words c\nstop_words d\n"), with("stop_words e\n")),
            "was started with `stop_words` a, b, c, ..., not e");
  // Of several, the first.
  EXPECT_EQ(refusal(with("window 3\nseed 1\n"), with("window 5\nseed 2\n")), "was started with `window` 3, not 5");
  EXPECT_EQ(refusal(with(""), with("") + "input in/c.txt\t1\n"), "was started with other input");
  EXPECT_EQ(refusal(with("") + "input in/c.txt\t1\n", with("")), "was started with other input (in/c.txt)");
  EXPECT_EQ(refusal(with("") + "input in/c.txt\t1\n", with("") + "input in/c.txt\t2\n"),
            "was started with a different version of in/c.txt");
  EXPECT_EQ(refusal(with("known a\t1\nknown b\t1\n"), with("known a\t1\nknown b\t2\n")),
            "was started with a different version of b");
  EXPECT_EQ(refusal(with("against a\t1\nagainst c\t4\n"), with("against b\t2\nagainst c\t4\n")),
            "was started with `against` a, not b");
  EXPECT_EQ(refusal(with("tokenizer code-bare\n"), with("tokenizer code\n")),
            "was started with `tokenizer` code, not code with comments");
  EXPECT_EQ(refusal(with("window 3\n") + "input in/c.txt\t1\n", with("window 5\n")),
            "was started with `window` 3, not 5");
}

}  // namespace
}  // namespace refrain::verbs::run
