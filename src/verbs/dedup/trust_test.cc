// Tests what a run must not do: trust an input that changed, a folder that was touched, or a flag that names
// nothing, or remove a document in favor of one that is not kept in the end.
#include <map>

#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

namespace fs = std::filesystem;

class DedupTrust : public DedupTest {
 protected:
  // Runs until `stage` begins, calls `then`, and continues.
  DedupReport run_and(const DedupOptions& options, const std::string& stage, const std::function<void()>& then) {
    Context context;
    context.threads = 2;
    bool done = false;
    context.progress = [&](const ProgressUpdate& update) {
      if (update.stage == stage && !done) done = true, then();
    };
    const DedupReport report = refrain::dedup(options, context);
    EXPECT_TRUE(done);
    return report;
  }
  std::vector<std::string> some_texts(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> texts;
    for (int i = 0; i < 30; ++i) texts.push_back(join(random_words(random, 60)));
    texts.push_back(texts[3]);
    return texts;
  }
  std::string message(const DedupOptions& options) {
    try {
      run(options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_input);
      return error.what();
    }
    return {};
  }
};

TEST_F(DedupTrust, AnInputThatChangedIsNotWrittenAgain) {
  for (const bool annotate : {false, true}) {
    const std::vector<std::string> texts = some_texts(1);
    const std::string input = given(texts);
    DedupOptions wanted = options(input);
    wanted.apply = !annotate;
    wanted.annotate = annotate;
    // Changes one letter, so that the size stays the same.
    EXPECT_THROW(run_and(wanted, "check",
                         [&] {
                           std::string changed = read(input);
                           changed[changed.find("w", changed.size() / 2)] = 'v';
                           write(input, changed);
                         }),
                 Error);
    EXPECT_FALSE(fs::exists(at("out/summary.json")));
    // Removes the last record.
    given(texts);
    EXPECT_THROW(run_and(wanted, "check", [&] { given(std::vector<std::string>(texts.begin(), texts.end() - 1)); }),
                 Error);
    EXPECT_FALSE(fs::exists(at(annotate ? "out/annotated" : "out/clean")));
  }
}

TEST_F(DedupTrust, ACleanFolderThatIsNotWholeIsWrittenAgain) {
  const std::string input = given(some_texts(2));
  DedupOptions wanted = options(input, "whole");
  wanted.apply = true;
  run(wanted);
  const std::string clean = read("whole/clean/in.jsonl");
  wanted.output = at("again");
  std::stop_source stop;
  Context context;
  context.stop = stop.get_token();
  context.progress = [&](const ProgressUpdate& update) {
    if (update.stage == "report") stop.request_stop();
  };
  EXPECT_THROW(refrain::dedup(wanted, context), Error);
  const std::string made = at("again/clean/in.jsonl");
  ASSERT_EQ(read(made), clean);
  fs::resize_file(made, clean.size() - 1);
  wanted.force = false;
  wanted.resume = true;
  const DedupReport report = run(wanted);
  EXPECT_EQ(std::count(report.resumed.begin(), report.resumed.end(), "write"), 1);
  EXPECT_EQ(std::count(report.resumed.begin(), report.resumed.end(), "apply"), 0);
  EXPECT_EQ(read(made), clean);
}

TEST_F(DedupTrust, WhatOthersWereRemovedForIsNeverEmptied) {
  std::mt19937_64 random(3);
  const std::string one = join(random_words(random, 60));
  const std::string two = join(random_words(random, 60));
  // The first document contains all of the second, and the third is removed in favor of the second.
  DedupOptions wanted = options(given(std::vector<std::string>{one + " " + two + " " + join(random_words(random, 300)),
                                                               one + " " + two, one + " " + two + " more"}));
  wanted.substrings = 50;
  wanted.apply = true;
  const DedupReport report = run(wanted);
  EXPECT_EQ(kept(), "kk-");
  EXPECT_EQ(decided()[2].match, "1");
  EXPECT_EQ(report.removed_substring, 0U);
  EXPECT_EQ(report.cut_bytes, 0U);
}

TEST_F(DedupTrust, WhatSubstringsEmptyCountsAsALossOfItsSource) {
  std::mt19937_64 random(4);
  std::vector<std::string> texts;
  std::string whole;
  for (int i = 0; i < 9; ++i) texts.push_back(join(random_words(random, 60)));
  for (const std::string& text : texts) whole += text + " ";
  std::vector<Given> documents{{whole + join(random_words(random, 300)), "large"}};
  for (const std::string& text : texts) documents.push_back({text, "parts"});
  documents.push_back({join(random_words(random, 60)), "parts"});
  DedupOptions wanted = options(given(documents));
  wanted.source_field = "source";
  wanted.substrings = 50;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.removed_substring, 9U);
  ASSERT_EQ(report.alarms.size(), 1U);
  EXPECT_EQ(report.alarms[0].source, "parts");
  EXPECT_EQ(report.alarms[0].removed, 9U);
  wanted.max_removed_per_source = 0.5;
  EXPECT_NE(message(wanted).find("9 of 10"), std::string::npos);
}

TEST_F(DedupTrust, IdsThatAreNotUniqueAreTold) {
  const std::vector<std::string> texts = some_texts(11);
  DedupOptions wanted = options(
      given({{texts[0], "a"}, {texts[1], "b"}, {texts[2], "b"}, {texts[3], "c"}, {texts[4], "a"}, {texts[5], "b"}}));
  EXPECT_EQ(run(wanted).shared_ids, 0U);
  wanted.input.id_field = "source";
  wanted.force = true;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.shared_ids, 3U);
  EXPECT_EQ(report.shared_id, "b");
}

TEST_F(DedupTrust, AFieldThatNoDocumentHasIsAnError) {
  const std::string text = some_texts(5)[0];
  const std::string input = given({{text, "a", "2024"}, {text + " more", "b", ""}, {text + " and more", "b", "2025"}});
  DedupOptions wanted = options(input);
  wanted.keep = parse_keep_policy("newest:dat");
  EXPECT_NE(message(wanted).find("newest:dat"), std::string::npos);
  wanted.keep = parse_keep_policy("newest:date");
  EXPECT_EQ(run(wanted).unranked, 1U);
  EXPECT_EQ(kept(), "--k");
  wanted.keep = parse_keep_policy("source:x,y");
  wanted.source_field = "source";
  EXPECT_NE(message(wanted).find("source:x,y"), std::string::npos);
  wanted.keep = {};
  wanted.source_field = "origin";
  EXPECT_NE(message(wanted).find("origin"), std::string::npos);
  // Then there are no sources to name.
  wanted.keep = parse_keep_policy("source:x,y");
  EXPECT_NE(message(wanted).find("`source_field` origin: no document has this field"), std::string::npos);
}

TEST_F(DedupTrust, ASourceThatNoDocumentHasIsAnErrorThatListsThoseThereAre) {
  const std::string text = some_texts(5)[0];
  std::vector<Given> documents;
  for (const auto& [source, count] : std::map<std::string, int>{{"books", 2}, {"news", 5}, {"web", 2}})
    for (int i = 0; i < count; ++i) documents.push_back({text, source});
  DedupOptions wanted = options(given(documents));
  wanted.source_field = "source";
  wanted.keep = parse_keep_policy("source:x");
  EXPECT_NE(
      message(wanted).find("`keep` source:x: no document has one of these sources; there are 'news' (5 documents), "
                           "'books' (2) and 'web' (2); name those,"),
      std::string::npos)
      << message(wanted);
  for (const char* source : {"a", "b", "c", "d"}) documents.push_back({text, source});
  wanted.input.paths = {given(documents)};
  EXPECT_NE(
      message(wanted).find("'news' (5 documents), 'books' (2), 'web' (2), 'a' (1), 'b' (1) and 2 more; name those,"),
      std::string::npos)
      << message(wanted);
  wanted.input.paths = {given(std::vector<Given>{{text, "only"}})};
  EXPECT_NE(message(wanted).find("there are 'only' (1 document); name those,"), std::string::npos) << message(wanted);
}

TEST_F(DedupTrust, RecordsThatAreAllBadAreAnError) {
  DedupOptions wanted = options(given(some_texts(6)));
  wanted.input.text_field = "body";
  const std::string told = message(wanted);
  EXPECT_NE(told.find("no record could be read"), std::string::npos) << told;
  EXPECT_NE(told.find("`text_field`"), std::string::npos) << told;
}

TEST_F(DedupTrust, AnOutputInsideTheInputIsNoticedFromInside) {
  given(some_texts(9));
  const fs::path before = fs::current_path();
  fs::current_path(folder());
  DedupOptions wanted = options(".");
  for (const char* inside : {"run", "new/run", "none/../run"}) {
    wanted.output = inside;
    EXPECT_THROW(run(wanted), Error) << inside;
    EXPECT_FALSE(fs::exists("run")) << inside;
  }
  fs::current_path(before);
}

TEST_F(DedupTrust, WhatNoRunMadeIsNotReplaced) {
  DedupOptions wanted = options(given(some_texts(10)));
  wanted.apply = true;
  write("out/clean/mine", "kept");
  EXPECT_THROW(run(wanted), Error);
  // A run of another verb does not own the folder.
  write("out/summary.json", "{\n  \"verb\": \"near\"\n}\n");
  EXPECT_THROW(run(wanted), Error);
  EXPECT_EQ(read("out/clean/mine"), "kept");
}

TEST_F(DedupTrust, ASlipInTheOptionsLeavesTheEarlierRunAsItWas) {
  DedupOptions wanted = options(given(some_texts(11)));
  wanted.apply = true;
  run(wanted);
  const std::string all = bytes("out") + read("out/summary.json");
  DedupOptions slip = wanted;
  slip.keep = parse_keep_policy("max:typo");
  EXPECT_THROW(run(slip), Error);
  EXPECT_EQ(bytes("out") + read("out/summary.json"), all);
  EXPECT_TRUE(fs::exists(at("out/clean/in.jsonl")));
  EXPECT_FALSE(fs::exists(at("out/work")));
}

TEST_F(DedupTrust, NumbersAreNoYears) {
  const std::string text = some_texts(12)[0];
  const std::string input = "{\"text\": \"" + text + "\", \"rev\": 999}\n{\"text\": \"" + text + "\", \"rev\": 1000}\n";
  DedupOptions wanted = options(write("rev.jsonl", input));
  wanted.keep = parse_keep_policy("newest:rev");
  run(wanted);
  EXPECT_EQ(kept(), "-k");
}

TEST_F(DedupTrust, TheLimitOfASourceHoldsForSmallOnesToo) {
  DedupOptions wanted = options(given(std::vector<std::string>(3, some_texts(13)[0])));
  wanted.max_removed_per_source = 0.5;
  EXPECT_NE(message(wanted).find("2 of 3"), std::string::npos);
  wanted.max_removed_per_source = 1;
  EXPECT_TRUE(run(wanted).alarms.empty()) << "too few to be alarmed";
}

TEST_F(DedupTrust, SourcesThatNoDocumentIsOfAreTold) {
  DedupOptions wanted = options(given(some_texts(14)));
  wanted.source_field = "source";
  wanted.keep = parse_keep_policy("source:typo,a");
  EXPECT_EQ(run(wanted).absent_sources, "typo");
}

TEST_F(DedupTrust, WhatARunLeftThatWasKilledAtOnceIsNoBar) {
  write("out/work/run.txt.partial-refrain-17-0", "refrain de");
  EXPECT_EQ(run(options(given(some_texts(8)))).kept, 30U);
  EXPECT_FALSE(fs::exists(at("out/work")));
}

TEST_F(DedupTrust, WhatCannotBeAnnotatedIsRefusedBeforeAnythingIsMade) {
  DedupOptions wanted = options(given(some_texts(7)));
  wanted.input.format = Format::lines;
  wanted.annotate = true;
  EXPECT_THROW(run(wanted), Error);
  EXPECT_FALSE(fs::exists(at("out")));
  wanted.input.format = Format::automatic;
  write("mixed/a.jsonl", R"({"id": "1", "text": "one two"})"
                         "\n");
  write("mixed/notes", "a text without fields");
  wanted.input.paths.push_back(at("mixed"));
  EXPECT_THROW(run(wanted), Error);
  EXPECT_FALSE(fs::exists(at("out")));
  wanted.input.paths.pop_back();
  wanted.lanes = 17;
  EXPECT_THROW(run(wanted), Error);
  wanted.lanes = kDefaultLanes;
  wanted.against.paths = {"none"};
  EXPECT_THROW(run(wanted), Error);
  EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(DedupTrust, WhatIsPassedOverInAFolderIsNoBarToAnnotating) {
  write("mixed/a.jsonl", R"({"id": "1", "text": "one two", "s": "x"})"
                         "\n");
  write("mixed/b.gz", "\x1f\x8b\x08\x00 damaged");
  write("mixed/c.bin", std::string("\0binary", 7));
  DedupOptions wanted = options(at("mixed"));
  wanted.annotate = true;
  wanted.source_field = "s";
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(report.read.bad_records, 1U);
  EXPECT_EQ(report.read.binary_skipped, 1U);
  EXPECT_TRUE(fs::exists(at("out/annotated/mixed/a.jsonl")));
  EXPECT_FALSE(fs::exists(at("out/annotated/mixed/c.bin")));
}

TEST_F(DedupTrust, SimHashMeetsMoreThanTheFirstOfEqualFingerprints) {
  // Three of five tokens decide every bit: the first two texts have the fingerprint of "a" but are not similar. The
  // third is similar to the second only.
  DedupOptions wanted = options(given(std::vector<std::string>{"a", "a a a b c", "a a a b c d e"}));
  wanted.near = NearMethod::simhash;
  wanted.windows.window = 1;
  wanted.distance = 20;
  wanted.threshold = 0.5;
  run(wanted);
  EXPECT_EQ(kept(), "kk-");
  EXPECT_EQ(decided()[2].match, "1");
}

}  // namespace
}  // namespace refrain::verbs::dedup
