// Tests templates in dedup: text that many documents of a source share does not make them duplicates.
#include <algorithm>
#include <filesystem>
#include <map>
#include <stop_token>

#include "refrain/explain.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

class DedupTemplates : public DedupTest {
 protected:
  // A page with `own` between the two halves of the navigation.
  static std::string page(const Words& own, const Words& navigation) {
    Words words = part(navigation, 0, navigation.size() / 2);
    append(words, own);
    append(words, part(navigation, navigation.size() / 2, navigation.size() / 2));
    return join(words);
  }
  static Words edited(Words words) {
    words[words.size() / 2] = "edited";
    return words;
  }
  // Sites with a navigation (the first has none), and articles that appear on several sites, edited or not.
  std::vector<Given> world(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Given> documents;
    std::vector<Words> articles;
    for (int i = 0; i < 60; ++i) articles.push_back(random_words(random, 60 + random() % 100));
    for (int site = 0; site < 5; ++site) {
      const Words navigation = random_words(random, 200 * static_cast<std::size_t>(site));
      for (int i = 0; i < 25; ++i) {
        const Words& article = articles[random() % articles.size()];
        documents.push_back(
            {page(random() % 2 == 0 ? article : edited(article), navigation), "s" + std::to_string(site)});
      }
    }
    std::shuffle(documents.begin(), documents.end(), random);
    return documents;
  }
  DedupOptions by_source(const std::string& input, const std::string& output = "out") {
    DedupOptions wanted = options(input, output);
    wanted.source_field = "source";
    return wanted;
  }
};

TEST_F(DedupTemplates, ANavigationMakesNoDuplicatesAndHidesNone) {
  std::mt19937_64 random(1);
  const Words navigation = random_words(random, 300);
  const Words elsewhere = random_words(random, 300);
  std::vector<Given> documents;
  std::vector<Words> articles;
  for (int i = 0; i < 200; ++i)
    documents.push_back({page(articles.emplace_back(random_words(random, 100)), navigation)});
  documents.push_back({page(edited(articles[17]), navigation)});
  for (int i = 0; i < 40; ++i) documents.push_back({page(random_words(random, 100), elsewhere), "b"});
  documents.push_back({page(articles[18], elsewhere), "b"});  // a copy within another navigation
  documents.push_back({join(articles[19]), "c"});             // and a copy without any
  const DedupReport report = run(by_source(given(documents)));
  EXPECT_EQ(report.removed_near, 3U);
  const std::vector<Decided> rows = decided();
  EXPECT_EQ(rows[200].match, "17");
  EXPECT_EQ(rows[241].match, "18");
  EXPECT_EQ(rows[242].match, "19");
  EXPECT_EQ(report.templates.sources, 2U);
  EXPECT_EQ(report.templates.windows, 4U * 146);
  EXPECT_EQ(report.templates.documents, 242U);
  EXPECT_NEAR(report.templates.share, 292.0 / 396, 0.01);
  EXPECT_EQ(report.check.missed, 0U);
  EXPECT_EQ(report.check.below, 0U);
  DedupOptions off = by_source(at("in.jsonl"), "off");
  off.templates = false;
  EXPECT_EQ(run(off).templates.sources, 0U);
  EXPECT_TRUE(decided("off")[241].keep);
}

TEST_F(DedupTemplates, APageIsNotRemovedForItsNavigation) {
  std::mt19937_64 random(2);
  const Words navigation = random_words(random, 600);
  std::vector<Given> documents;
  for (int i = 0; i < 40; ++i) documents.push_back({page(random_words(random, 60), navigation)});
  // Each has two short texts of its own: more in total than a removal may lose in one place.
  for (int i = 0; i < 10; ++i)
    documents.push_back({page(random_words(random, 14), navigation) + " " + join(random_words(random, 14))});
  DedupOptions wanted = options(given(documents));
  wanted.max_loss = 16;
  EXPECT_EQ(run(wanted).removed_near, 0U);
  wanted.templates = false;
  EXPECT_GT(run(wanted).removed_near, 0U);
}

// Most pages have enough content to be compared by it alone, so the navigation is in no template.
TEST_F(DedupTemplates, PagesWithLittleContentAreComparedByIt) {
  std::string links;
  for (int i = 0; i < 2000; ++i) links += "- <a href=x>m" + std::to_string(i) + "</a><br>";
  const auto page = [&](const std::string& content) {
    return "<title>Policy</title><div id=menu>" + links + "</div><h1>" + content + "</h1>";
  };
  std::mt19937_64 random(13);
  const auto name = [](char kind, int i) { return std::string("pages/") + kind + std::to_string(10 + i) + ".html"; };
  for (int i = 0; i < 90; ++i) write(name('a', i), page(join(random_words(random, 100))));
  for (int i = 0; i < 8; ++i) write(name('b', i), page(join(random_words(random, 20))));
  for (int i = 0; i < 8; ++i) write(name('c', i), page("Index " + std::to_string(i)));
  write("pages/d1.html", "<nav>Up</nav>" + read("pages/b10.html"));
  write("pages/d2.html", read("pages/c10.html"));
  DedupOptions wanted = options(at("pages"));
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.removed_near, 0U);
  EXPECT_EQ(report.removed_exact, 2U);
  EXPECT_EQ(report.too_short, 9U);
  wanted.input.main_version = 1;
  EXPECT_GE(run(wanted).removed_near, 7U);
}

TEST_F(DedupTemplates, CopiesWithAnotherDateAllGoButOne) {
  std::mt19937_64 random(3);
  const Words article = random_words(random, 150);
  std::vector<std::string> texts;
  for (int i = 0; i < 20'000; ++i) texts.push_back(page({"on", std::to_string(i), "may"}, article));
  DedupOptions wanted = options(given(texts));
  wanted.sample = 20;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(report.templates.sources, 0U);
}

TEST_F(DedupTemplates, ADocumentThatIsAllTemplateIsComparedAsAWhole) {
  std::mt19937_64 random(4);
  const Words navigation = random_words(random, 200);
  std::vector<Given> documents;
  for (int i = 0; i < 30; ++i) documents.push_back({page(random_words(random, 80), navigation)});
  documents.push_back({join(part(navigation, 0, 100))});
  documents.push_back({join(part(navigation, 1, 98))});
  documents.push_back({join(part(navigation, 0, 40))});
  documents.push_back({""});
  documents.push_back({"word"});
  const DedupReport report = run(options(given(documents)));
  EXPECT_EQ(kept(), std::string(31, 'k') + "-kkk");
  EXPECT_EQ(decided()[31].match, "30");
  EXPECT_EQ(report.templates.sources, 1U);
  EXPECT_EQ(report.templates.documents, 30U);
  EXPECT_EQ(report.too_short, 2U);
}

TEST_F(DedupTemplates, ALineOfItsOwnKeepsAPage) {
  std::mt19937_64 random(12);
  const Words navigation = random_words(random, 300);
  std::vector<Given> documents;
  for (int i = 0; i < 20; ++i) documents.push_back({page(random_words(random, 80), navigation)});
  for (int i = 0; i < 20; ++i) {
    const std::string land = std::to_string(i);
    documents.push_back({page({"the", "capital", "of", land, "is", "town" + land}, navigation)});
  }
  // The same lines again, on pages that are a little shorter.
  Words shorter = navigation;
  shorter.pop_back();
  shorter.pop_back();
  for (int i = 0; i < 3; ++i) {
    const std::string land = std::to_string(i);
    Words words = part(navigation, 0, 150);
    append(words, {"the", "capital", "of", land, "is", "town" + land});
    append(words, part(shorter, 150, 148));
    documents.push_back({join(words)});
  }
  const DedupReport report = run(options(given(documents)));
  EXPECT_EQ(kept(), std::string(40, 'k') + "---");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(decided()[40 + i].match, std::to_string(20 + i));
  EXPECT_EQ(report.check.missed, 0U);
  EXPECT_EQ(report.check.below, 0U);
}

TEST_F(DedupTemplates, SourcesOfOneDocumentHaveNone) {
  std::mt19937_64 random(5);
  const Words navigation = random_words(random, 100);
  std::vector<Given> documents;
  for (int i = 0; i < 50; ++i)
    documents.push_back({page(random_words(random, 80), navigation), "s" + std::to_string(i)});
  EXPECT_EQ(run(by_source(given(documents))).templates.sources, 0U);
  EXPECT_EQ(run(options(at("in.jsonl"))).templates.sources, 1U);  // all of one file
}

TEST_F(DedupTemplates, TheSourceIsTheHostOfAnIdThatIsAnAddress) {
  std::mt19937_64 random(6);
  std::vector<std::string> records;
  std::map<std::string, Words> navigation;
  for (const char* host : {"a.org", "b.org", "c.org"}) navigation[host] = random_words(random, 100);
  for (int i = 0; i < 30; ++i)
    for (const auto& [host, words] : navigation)
      records.push_back(json_record(
          {{"url", "https://www." + host + "/" + std::to_string(i)}, {"text", page(random_words(random, 60), words)}}));
  DedupOptions wanted = options(write_lines("in.jsonl", records));
  wanted.input.id_field = "url";
  EXPECT_EQ(run(wanted).templates.sources, 3U);
}

TEST(DedupSites, AHostIsWhatAnAddressNames) {
  EXPECT_EQ(host_of("https://www.Example.org/a/b?c#d"), "example.org");
  EXPECT_EQ(host_of("HTTP://example.org"), "example.org");
  EXPECT_EQ(host_of("http://me:secret@example.org:8080/x@y:z"), "example.org");
  EXPECT_EQ(host_of("http://[::1]:80/x"), "[::1]");
  EXPECT_EQ(host_of("http://[::1]/x"), "[::1]");
  for (const char* id : {"", "17", "folder/file.txt", "ftp://example.org/a", "http:/example.org", "://x"})
    EXPECT_EQ(host_of(id), "") << id;
}

TEST_F(DedupTemplates, AreTheSameForAnyThreadsAndMemory) {
  const std::string input = given(world(7));
  for (const NearMethod method : {NearMethod::minhash, NearMethod::simhash}) {
    DedupOptions wanted = by_source(input);
    wanted.near = method;
    const DedupReport report = run(wanted, 1);
    EXPECT_GE(report.templates.sources, 3U);
    EXPECT_EQ(report.check.below, 0U);
    const std::string once = bytes("out");
    const std::string found = read("out/templates.bin");
    for (const unsigned threads : {2U, 3U, 8U}) {
      run(wanted, threads, threads == 2 ? std::uint64_t{64} << 20 : std::uint64_t{1} << 30);
      EXPECT_EQ(bytes("out"), once) << threads;
      EXPECT_EQ(read("out/templates.bin"), found) << threads;
    }
  }
}

TEST_F(DedupTemplates, AreTheSameWhereARunIsResumed) {
  const std::string input = given(world(8));
  DedupOptions wanted = by_source(input);
  run(wanted);
  const std::string once = bytes("out");
  Context stopping = context(2, std::uint64_t{1} << 30);
  std::stop_source stop;
  stopping.stop = stop.get_token();
  stopping.progress = [&](const ProgressUpdate& update) {
    if (update.run.stage == "verify") stop.request_stop();
  };
  EXPECT_THROW(refrain::dedup(wanted, stopping), Error);
  wanted.force = false;
  wanted.resume = true;
  const DedupReport report = run(wanted);
  EXPECT_NE(std::find(report.resumed.begin(), report.resumed.end(), "templates"), report.resumed.end());
  EXPECT_EQ(bytes("out"), once);
}

TEST_F(DedupTemplates, AnExplanationLeavesOutWhatTheRunDid) {
  std::vector<Given> documents = world(10);
  const std::string input = given(documents);
  write(input, "no record\n" + read(input));  // has no row in decisions.jsonl
  DedupOptions wanted = by_source(input);
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.read.bad_records, 1U);
  std::size_t told = 0;
  for (const std::string& line : lines("out/decisions.jsonl")) {
    if (value_of(line, "reason") != "near") continue;
    const StoryReport story =
        tell_story({.run = at("out"), .id = value_of(line, "id")}, context(2, std::uint64_t{1} << 30));
    ASSERT_TRUE(story.texts);
    EXPECT_NEAR(story.texts->similarity, std::stod(value_of(line, "similarity")), 1e-6) << line;
    ++told;
  }
  EXPECT_GT(told, 10U);
  // A damaged file is rejected.
  std::string bytes = read("out/templates.bin");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write("out/templates.bin", bytes);
  for (const std::string& line : lines("out/decisions.jsonl"))
    if (value_of(line, "reason") == "near") {
      EXPECT_THROW(tell_story({.run = at("out"), .id = value_of(line, "id")}, context(2, std::uint64_t{1} << 30)),
                   Error);
      break;
    }
}

TEST_F(DedupTemplates, WithoutThemNothingChanges) {
  const std::vector<std::string> texts = texts_with_copies(400, 60, 9);
  DedupOptions wanted = options(given(texts));
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.templates.sources, 0U);
  EXPECT_FALSE(std::filesystem::exists(at("out/templates.bin")));
  const std::string with = bytes("out");
  wanted.templates = false;
  run(wanted);
  EXPECT_EQ(bytes("out"), with);
}

}  // namespace
}  // namespace refrain::verbs::dedup
