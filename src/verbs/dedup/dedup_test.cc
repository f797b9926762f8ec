#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

namespace fs = std::filesystem;

TEST_F(DedupTest, DecidesAsTheDefinitionSays) {
  std::mt19937_64 random(1);
  std::vector<std::string> texts;
  std::vector<Words> originals;
  for (int i = 0; i < 60; ++i) originals.push_back(random_words(random, 100 + random() % 400));
  for (int i = 0; i < 300; ++i) {
    Words words = originals[random() % originals.size()];
    if (random() % 3 != 0) words[random() % words.size()] = "changed" + std::to_string(random() % 4);
    if (random() % 20 == 0) words.resize(random() % 5);
    // Some documents have a run of text of their own, about as long as the loss that is allowed.
    if (random() % 3 == 0) {
      const Words own = random_words(random, 4 + random() % 8);
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(random() % (words.size() + 1)), own.begin(), own.end());
    }
    texts.push_back(join(words));
  }
  run(options(given(texts)));
  const std::vector<Decided> expected = plain(texts, 0.8);
  const std::vector<Decided> found = decided();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].keep, expected[i].keep) << i;
    EXPECT_EQ(found[i].reason, expected[i].reason) << i;
    EXPECT_EQ(found[i].match, expected[i].match) << i;
    EXPECT_NEAR(found[i].similarity, expected[i].similarity, 1e-5) << i;
    EXPECT_EQ(found[i].cluster, expected[i].cluster) << i;
  }
}

TEST_F(DedupTest, SaysWhatKeepsSimilarDocuments) {
  std::mt19937_64 random(17);
  const std::string text = join(random_words(random, 300));
  const std::string symbols = join(random_words(random, 60)) + " a == b c == d e == f g == h";
  std::string other = symbols;
  for (std::size_t at = 0; (at = other.find("==", at)) != std::string::npos;) other.replace(at, 2, "!=");
  const std::string file = "\n\n[attachment: a.pdf, application/pdf, 9 bytes, " + std::string(32, 'a') + "]";
  DedupOptions wanted = options(
      given(std::vector<std::string>{text, text + " " + join(random_words(random, 30)),
                                     text + " " + join(random_words(random, 60)), symbols, other, text + file}));
  const OwnTextReport by = run(wanted).own_text_by;
  EXPECT_EQ(by.attachments, 1U);
  EXPECT_EQ(by.symbols, 1U);
  EXPECT_EQ(by.loss, 2U);
  EXPECT_EQ(by.loss_median, 30U);
  EXPECT_EQ(by.loss_longest, 60U);
  EXPECT_EQ(kept(), "kkkkkk");
  // With this loss, as many documents are removed as the report says; with less, they are not.
  const std::vector<std::pair<std::uint32_t, std::string>> expected = {
      {29, "kkkkkk"}, {30, "k-kkkk"}, {59, "k-kkkk"}, {60, "k--kkk"}};
  for (const auto& [max_loss, stay] : expected) {
    wanted.max_loss = max_loss;
    run(wanted);
    EXPECT_EQ(kept(), stay) << max_loss;
  }
}

TEST_F(DedupTest, OwnTextThatRepeatsIsCutAndCountsNoMore) {
  std::mt19937_64 random(9);
  const Words shared = random_words(random, 200);
  const Words own = random_words(random, 30);
  const std::vector<std::string> texts = {join(shared) + " ", join(own) + " " + join(random_words(random, 300)),
                                          join(shared) + " " + join(own)};
  DedupOptions wanted = options(given(texts));
  EXPECT_EQ(run(wanted).own_text, 1U);
  EXPECT_EQ(decided()[2].reason, "own_text");
  EXPECT_EQ(decided()[2].match, "0");
  wanted.substrings = 50;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.own_text, 0U);
  EXPECT_EQ(report.removed_substring, 1U);
  EXPECT_EQ(decided()[2].reason, "substring");
}

TEST_F(DedupTest, RemovesNothingThroughAChain) {
  std::mt19937_64 random(2);
  const Words a = random_words(random, 104);
  Words b = a;
  b[20] = "other";
  Words c = b;
  c[60] = "different";
  const std::vector<std::string> texts = {join(a), join(b), join(c)};
  ASSERT_LT(similarity(texts[0], texts[2]), 0.85);
  ASSERT_GE(similarity(texts[0], texts[1]), 0.85);
  ASSERT_GE(similarity(texts[1], texts[2]), 0.85);
  DedupOptions wanted = options(given(texts));
  wanted.threshold = 0.85;
  run(wanted);
  EXPECT_EQ(kept(), "k-k");
  EXPECT_EQ(decided()[2].cluster, "0");
}

TEST_F(DedupTest, CopyOfARemovedDocumentIsRemovedForTheSameReason) {
  std::mt19937_64 random(3);
  const Words a = random_words(random, 200);
  Words b = a;
  b[100] = "other";
  run(options(given(std::vector<std::string>{join(a), join(b), join(b), join(a)})));
  const std::vector<Decided> rows = decided();
  EXPECT_EQ(kept(), "k---");
  EXPECT_EQ(rows[1].reason, "near");
  EXPECT_EQ(rows[2], rows[1]);
  EXPECT_EQ(rows[3].reason, "exact");
}

TEST_F(DedupTest, SameBytesForAnyThreadsAndMemory) {
  std::mt19937_64 random(4);
  std::vector<std::string> texts;
  for (int i = 0; i < 2000; ++i) {
    if (texts.size() > 10 && random() % 2 == 0) {
      texts.push_back(texts[random() % texts.size()]);
      if (random() % 2 == 0) texts.back() += " more";
    } else {
      texts.push_back(join(random_words(random, random() % 120)));
    }
  }
  const std::string input = given(texts);
  run(options(input, "one"), 1, kMinMemoryBytes);
  for (const unsigned threads : {2U, 3U, 8U}) {
    run(options(input, "other"), threads);
    EXPECT_EQ(bytes("other"), bytes("one")) << threads;
  }
}

TEST_F(DedupTest, PoliciesRankDocuments) {
  std::mt19937_64 random(5);
  const Words words = random_words(random, 300);
  const std::string text = join(words);
  const std::string input =
      given({{text, "a", "2020-01-01"}, {text + " tail of it", "b", "2024-05-01T10:00:00Z"}, {text + " x", "c", ""}});
  const auto kept_by = [&](const char* policy, const char* source_field = "source") {
    DedupOptions wanted = options(input);
    wanted.keep = parse_keep_policy(policy);
    wanted.source_field = source_field;
    run(wanted);
    return kept();
  };
  EXPECT_EQ(kept_by("first"), "k--");
  EXPECT_EQ(kept_by("longest"), "-k-");
  EXPECT_EQ(kept_by("shortest"), "k--");
  EXPECT_EQ(kept_by("newest:date"), "-k-");
  EXPECT_EQ(kept_by("source:c,b"), "--k");
  EXPECT_EQ(kept_by("source:b,c"), "-k-");
  for (const char* bad : {"", "oldest", "newest", "newest:", "source:"})
    EXPECT_THROW(parse_keep_policy(bad), Error) << bad;
  for (const char* good : {"first", "newest:date", "max:score", "min:a.b", "source:a,b"})
    EXPECT_EQ(to_string(parse_keep_policy(good)), good);
}

TEST_F(DedupTest, PagesOfATemplateBelowTheThresholdAllStay) {
  std::mt19937_64 random(6);
  const Words frame = random_words(random, 100);
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) texts.push_back(join(frame) + " " + join(random_words(random, 30)));
  ASSERT_LT(similarity(texts[0], texts[1]), 0.8);
  const DedupReport report = run(options(given(texts)));
  EXPECT_EQ(report.kept, 3000U);
  EXPECT_EQ(report.check.missed, 0U);
  // Each document gets a few pairs per band and round; not all 4.5 million pairs are compared.
  EXPECT_LT(report.candidates, 3000U * 30U * report.rounds);
}

TEST_F(DedupTest, DuplicatesAmongManyPagesOfATemplateAreFound) {
  std::mt19937_64 random(7);
  const Words frame = random_words(random, 100);
  std::vector<std::string> texts;
  for (int i = 0; i < 2000; ++i) texts.push_back(join(frame) + " " + join(random_words(random, 30)));
  for (int i = 0; i < 100; ++i) texts.push_back(texts[static_cast<std::size_t>(i) * 17] + " end");
  const DedupReport report = run(options(given(texts)));
  EXPECT_GE(report.removed_near, 97U);
  EXPECT_LE(report.removed_near, 100U);
}

TEST_F(DedupTest, ManyCopiesCostAsManyAsTheyAre) {
  std::mt19937_64 random(8);
  const std::string text = join(random_words(random, 50));
  std::vector<std::string> texts(20000, text);
  for (int i = 0; i < 20000; ++i) texts.push_back(text + " number " + std::to_string(i));
  const DedupReport report = run(options(given(texts)));
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(report.removed_exact, 19999U);
  EXPECT_EQ(report.removed_near, 20000U);
  EXPECT_EQ(report.clusters, 1U);
  ASSERT_EQ(report.alarms.size(), 1U);
  EXPECT_EQ(report.alarms[0].removed, 39999U);
}

TEST_F(DedupTest, RefusesWhereASourceWouldLoseTooMuch) {
  std::mt19937_64 random(9);
  const std::string text = join(random_words(random, 50));
  DedupOptions wanted = options(given(std::vector<std::string>(20, text)));
  wanted.max_removed_per_source = 0.9;
  try {
    run(wanted);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find("19 of 20"), std::string::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(at("out")));
}

TEST_F(DedupTest, TheLimitOfASourceHoldsBelowTheAlarmToo) {
  std::mt19937_64 random(20);
  std::vector<std::string> texts;
  for (int i = 0; i < 12; ++i) texts.push_back(join(random_words(random, 50)));
  for (int i = 0; i < 8; ++i) texts.push_back(texts[0]);
  DedupOptions wanted = options(given(texts));
  wanted.max_removed_per_source = 0.3;
  EXPECT_THROW(run(wanted), Error);
}

TEST_F(DedupTest, InputAndOutputMustLieApart) {
  const std::string input = given(std::vector<std::string>{"one", "two"});
  fs::create_directories(at("out/clean"));
  fs::copy_file(input, at("out/clean/in.jsonl"));
  EXPECT_THROW(run(options(at("out/clean"))), Error);
  EXPECT_TRUE(fs::exists(at("out/clean/in.jsonl")));
  EXPECT_THROW(run(options(folder().string())), Error);
}

TEST_F(DedupTest, AppliedCorpusHoldsTheKeptRecordsByteForByte) {
  std::mt19937_64 random(10);
  std::vector<std::string> texts;
  for (int i = 0; i < 50; ++i) texts.push_back(join(random_words(random, 40)));
  texts.push_back(texts[3]);
  texts.push_back(texts[4] + " more");
  const std::string input = given(texts);
  DedupOptions wanted = options(input);
  wanted.apply = true;
  run(wanted);
  std::string whole = read(input);
  for (int line = 0; line < 2; ++line) whole.resize(whole.rfind('\n', whole.size() - 2) + 1);
  EXPECT_EQ(read("out/clean/in.jsonl"), whole);
  EXPECT_FALSE(fs::exists(at("out/work")));
}

TEST_F(DedupTest, InterruptedAnywhereItGoesOnToTheSameBytes) {
  std::mt19937_64 random(11);
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    texts.push_back(join(random_words(random, 60)));
    if (i % 3 == 0) texts.push_back(texts.back() + " more");
    if (i % 7 == 0) texts.push_back(texts.back());
  }
  const std::string input = given(texts);
  DedupOptions whole = options(input, "whole");
  whole.apply = true;
  run(whole);
  for (const std::string stage : {"read", "exact", "near", "verify", "check", "write", "report"}) {
    DedupOptions wanted = options(input, "again");
    wanted.apply = true;
    std::stop_source stop;
    Context context;
    context.threads = 2;
    context.stop = stop.get_token();
    context.progress = [&](const ProgressUpdate& update) {
      if (update.stage == stage) stop.request_stop();
    };
    bool interrupted = false;
    try {
      refrain::dedup(wanted, context);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::interrupted);
      interrupted = true;
    }
    EXPECT_TRUE(interrupted) << stage;
    EXPECT_FALSE(fs::exists(at("again/summary.json")));
    wanted.force = false;
    EXPECT_THROW(run(wanted), Error) << "neither resumed nor forced";
    wanted.resume = true;
    DedupOptions other = wanted;
    other.threshold = 0.7;
    EXPECT_THROW(run(other), Error) << "other options";
    const DedupReport report = run(wanted, 1);
    if (stage != "read") {
      EXPECT_FALSE(report.resumed.empty()) << stage;
    }
    EXPECT_EQ(bytes("again"), bytes("whole")) << stage;
    EXPECT_EQ(read("again/clean/in.jsonl"), read("whole/clean/in.jsonl"));
  }
}

TEST_F(DedupTest, BegunAnewNothingOfTheEarlierRunIsLeft) {
  std::mt19937_64 random(18);
  const std::string input = given(std::vector<std::string>{join(random_words(random, 60)), "other"});
  DedupOptions first = options(input);
  first.apply = true;
  first.substrings = 50;
  run(first);
  write("out/mine.txt", "kept");
  run(options(input));
  EXPECT_FALSE(fs::exists(at("out/clean")));
  EXPECT_FALSE(fs::exists(at("out/substring_bytes.tsv")));
  EXPECT_EQ(read("out/mine.txt"), "kept");
}

TEST_F(DedupTest, AFolderCalledWorkThatNoRunMadeIsLeftAlone) {
  const std::string input = given(std::vector<std::string>{"one", "two"});
  write("out/work/mine.txt", "kept");
  EXPECT_THROW(run(options(input)), Error);
  EXPECT_EQ(read("out/work/mine.txt"), "kept");
}

TEST_F(DedupTest, DamagedWorkIsDoneAgain) {
  std::mt19937_64 random(12);
  std::vector<std::string> texts;
  for (int i = 0; i < 100; ++i) texts.push_back(join(random_words(random, 60)));
  texts.push_back(texts[5] + " x");
  const std::string input = given(texts);
  run(options(input, "whole"));
  std::stop_source stop;
  Context context;
  context.stop = stop.get_token();
  context.progress = [&](const ProgressUpdate& update) {
    if (update.stage == "check") stop.request_stop();
  };
  EXPECT_THROW(refrain::dedup(options(input, "again"), context), Error);
  {
    std::fstream file(at("again/work/heads"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8);
    file.put('\x63');
  }
  DedupOptions wanted = options(input, "again");
  wanted.force = false;
  wanted.resume = true;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.resumed, std::vector<std::string>{"read"});
  EXPECT_EQ(bytes("again"), bytes("whole"));
}

TEST_F(DedupTest, EmptyAndShortInputs) {
  EXPECT_EQ(run(options(given(std::vector<std::string>{}))).kept, 0U);
  EXPECT_EQ(run(options(given(std::vector<std::string>{"one"}))).kept, 1U);
  const DedupReport report = run(options(given(std::vector<std::string>{"", "a b", "", "a b", "a b c d", "A B c d"})));
  EXPECT_EQ(kept(), "kk--kk");
  EXPECT_EQ(report.too_short, 6U);
}

}  // namespace
}  // namespace refrain::verbs::dedup
