#include "verbs/dedup/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "refrain/error.h"
#include "refrain/explain.h"
#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

struct Named {
  std::string id;
  std::string text;
  std::string source = "a";
};

std::string words(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  return join(random_words(random, count));
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class DedupReportTest : public DedupTest {
 protected:
  std::string named(const std::vector<Named>& documents, const std::string& name = "in.jsonl") {
    std::vector<std::string> records;
    for (const Named& document : documents)
      records.push_back(json_record({{"id", document.id}, {"text", document.text}, {"source", document.source}}));
    return write_lines(name, records);
  }
  DedupReport run(const std::string& output = "out", unsigned threads = 2,
                  std::uint64_t memory = std::uint64_t{1} << 30, std::size_t substrings = 0) {
    DedupOptions wanted = options(input_, output);
    wanted.substrings = substrings;
    wanted.input.id_field = "id";
    wanted.source_field = "source";
    return DedupTest::run(wanted, threads, memory);
  }
  std::string page(const std::string& output = "out") { return read(output + "/report.html"); }
  // The page without the part that may differ between two runs.
  std::string lasting(const std::string& output) {
    std::string text = page(output);
    const std::size_t begin = text.find("from here -->");
    const std::size_t end = text.find("<!-- to here -->");
    EXPECT_LT(begin, end);
    EXPECT_NE(end, std::string::npos);
    return text.erase(begin, end - begin);
  }
  StoryReport story(const std::string& id) { return tell_story({.run = at("out"), .id = id}, {}); }

  const std::string input_ = at("in.jsonl");
};

TEST_F(DedupReportTest, TellsWhatWasFound) {
  const std::string text = words(1, 60);
  named({{"first", text}, {"copy", text}, {"close", text + " more"}, {"other", words(2, 80)}, {"again", words(2, 80)}});
  const DedupReport report = run();
  EXPECT_EQ(report.kept_bytes, text.size() + words(2, 80).size());
  const std::string html = page();
  EXPECT_NE(html.find("<h1>2 of 5 documents kept</h1>"), std::string::npos);
  EXPECT_NE(html.find("Kept: first "), std::string::npos);
  EXPECT_NE(html.find("Removed: close "), std::string::npos);
  EXPECT_NE(html.find("<del> more</del>"), std::string::npos);
  EXPECT_NE(html.find("<del>what is lost is struck through</del>"), std::string::npos);
  EXPECT_NE(html.find("\ndel { text-decoration: line-through"), std::string::npos);
  EXPECT_EQ(times(html, "<details class=\"cluster\""), 2U);
  // One cluster has three documents, one has two.
  EXPECT_NE(html.find("<title>2: 1 clusters</title>"), std::string::npos);
  EXPECT_NE(html.find("<title>3–4: 1 clusters</title>"), std::string::npos);
  EXPECT_NE(html.find("<title>a: 3 removed</title>"), std::string::npos);
}

// As std::list::emplace_back, of which no iterators are invalidated, goes for that of std::deque.
TEST_F(DedupReportTest, SmallDifferencesThatMayBeDecisiveComeFirst) {
  const auto page_of = [](std::uint64_t seed, const std::string& what) {
    return words(seed, 100) + " " + what + " " + words(seed + 1, 100);
  };
  named({{"deque", page_of(1, "in this case all iterators are invalidated")},
         {"may", page_of(3, "to be paid in 5 days")},
         {"less", page_of(5, "whenever a <= b holds")},
         {"plain", page_of(7, "as one likes")},
         {"more", page_of(7, "as one very likely likes")},
         {"greater", page_of(5, "whenever a >= b holds")},
         {"june", page_of(3, "to be paid in 6 days")},
         {"list", page_of(1, "in this case no iterators are invalidated")}});
  const DedupReport report = run();
  EXPECT_EQ(report.removed_near, 4U);
  EXPECT_EQ(report.loss.in_details, 3U);
  EXPECT_EQ(report.loss.in_numbers, 1U);
  EXPECT_EQ(report.loss.in_negations, 1U);
  EXPECT_EQ(report.loss.in_symbols, 1U);
  const std::string html = page();
  std::size_t at = html.find("<h2 id=\"details\">");
  for (const char* shown :
       {"<b>1. negation</b>", "<del> no </del>", "<b>2. number</b>", "<b>3. symbol</b>", "id=\"losses\""})
    EXPECT_NE(at = html.find(shown, at), std::string::npos) << shown;
  EXPECT_EQ(html.find("<b>4. "), html.find("<b>4. ", at)) << "only losses";
  const std::vector<std::string> rows = lines("out/decisions.jsonl");
  EXPECT_EQ(value_of(rows[7], "differs_in"), "negation");
  EXPECT_EQ(value_of(rows[6], "differs_in"), "number");
  EXPECT_EQ(value_of(rows[5], "differs_in"), "symbol");
  EXPECT_EQ(rows[4].find("differs_in"), std::string::npos);
  EXPECT_EQ(story("list").document.differs_in, "negation");
  for (const unsigned threads : {1U, 3U}) {
    run("again", threads, kMinMemoryBytes);
    EXPECT_EQ(lasting("again"), lasting("out"));
    EXPECT_EQ(bytes("again"), bytes("out"));
  }
}

TEST_F(DedupReportTest, NoTextOfADocumentBecomesMarkup) {
  const std::string hostile =
      "</script><script>alert(1)</script><img src=x onerror=alert(2)>{{kept}}{{#clusters}} &amp; \x1b[31m \xE2\x80\xAE";
  const std::string text = hostile + " " + words(3, 160);
  named({{"<b>id</b>\"'", text, "<i>source</i>"}, {"</title>", text + " " + hostile, "<i>source</i>"}});
  run();
  const std::string html = page();
  EXPECT_EQ(times(html, "<script"), 1U);
  EXPECT_EQ(times(html, "</script>"), 1U);
  EXPECT_EQ(times(html, "<img"), 0U);
  EXPECT_EQ(times(html, "<b>id"), 0U);
  EXPECT_EQ(times(html, "<i>"), 0U);
  EXPECT_EQ(html.find('\x1b'), std::string::npos);
  EXPECT_NE(html.find("&lt;img src=x onerror=alert(2)&gt;{{kept}}{{#clusters}} &amp;amp; \\x1b[31m \\u202e"),
            std::string::npos);
}

TEST_F(DedupReportTest, TheSameButForTimesAndMemory) {
  std::vector<Named> documents;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::string text = words(i / 3, 60);
    if (i % 3 == 2) text += " and more";
    documents.push_back({std::to_string(i), text, "s" + std::to_string(i % 30)});
  }
  named(documents);
  run("one", 1, kMinMemoryBytes);
  const std::string expected = lasting("one");
  for (const unsigned threads : {2U, 3U, 8U}) {
    run("other", threads);
    EXPECT_EQ(lasting("other"), expected) << threads;
  }
}

TEST_F(DedupReportTest, AFewMegabytesWhateverTheCorpus) {
  std::vector<Named> documents;
  for (std::uint64_t i = 0; i < 60; ++i) {
    // Control characters and special signs take several bytes each in a page, and ids are long.
    std::string text = words(i, 300) + " ";
    for (int part = 0; part < 3000; ++part) text += "\x01<&" + std::string(part % 7 == 0 ? " w" : "\"");
    for (std::uint64_t copy = 0; copy < 4; ++copy)
      documents.push_back({std::string(100000, '<') + std::to_string(4 * i + copy), text + std::to_string(copy),
                           std::string(5000, '&') + std::to_string(i)});
  }
  named(documents);
  run("out", 2, kMinMemoryBytes);
  EXPECT_LT(page().size(), 4U << 20);
  EXPECT_EQ(times(page(), "<details class=\"cluster\""), 20U);
}

TEST_F(DedupReportTest, OfLongTextsTheBeginningsAreCompared) {
  const std::string text = words(1, 200000);
  named({{"long", text}, {"longer", text + " more"}});
  run("out", 2, kMinMemoryBytes);
  EXPECT_NE(page().find("; the first 256 KiB of each are compared here"), std::string::npos);
  EXPECT_EQ(page().find("<del> more"), std::string::npos);
  EXPECT_LT(page().size(), 100000U);
}

TEST_F(DedupReportTest, TellsWhatIsCutOutOfKeptDocuments) {
  const std::string passage = words(1, 40);
  named({{"first", words(2, 100) + " " + passage}, {"second", words(3, 100) + " " + passage}, {"all", passage}});
  const DedupReport report = run("out", 2, std::uint64_t{1} << 30, 100);
  ASSERT_GE(report.cut_bytes, passage.size());
  EXPECT_EQ(report.cut_documents, 1U);
  EXPECT_EQ(report.removed_substring, 1U);
  EXPECT_EQ(report.kept, 2U);
  EXPECT_NE(page().find("<b>Cut</b>: "), std::string::npos);
  EXPECT_NE(page().find("from 1 kept document;"), std::string::npos);
  EXPECT_NE(page().find("only repeated text"), std::string::npos);
  const StoryReport second = story("second");
  EXPECT_TRUE(second.document.keep);
  ASSERT_EQ(second.document.spans.size(), 1U);
  EXPECT_EQ(report.kept_bytes, words(2, 100).size() + 1 + passage.size() + words(3, 100).size() + 1 + passage.size() -
                                   (second.document.spans[0].end - second.document.spans[0].begin));
  const StoryReport all = story("all");
  EXPECT_EQ(all.document.reason, "substring");
  EXPECT_TRUE(all.document.match.empty());
  EXPECT_TRUE(all.problems.empty());
}

// A character whose last byte differs from those of 63 others, so that the bytes around it do not agree by chance.
std::string seam(std::uint64_t i) {
  return "\xE4\xB8" + std::string(1, static_cast<char>(0x80 + i));
}

TEST_F(DedupReportTest, TellsThePassagesThatAreCutOutMost) {
  const std::string often = "often " + words(1, 40) + " <end>";
  const std::string seldom = "seldom " + words(2, 50) + " end";
  std::vector<Named> documents;
  for (std::uint64_t i = 0; i < 60; ++i)
    documents.push_back({"d" + std::to_string(i),
                         words(100 + i, 90) + seam(i) + (i % 4 == 3 ? seldom : often) + seam(i) + words(300 + i, 90)});
  named(documents);
  const DedupReport report = run("out", 2, std::uint64_t{1} << 30, 60);
  const std::string html = page();
  ASSERT_EQ(times(html, "<details class=\"passage\""), 2U) << "no more than were planted";
  const std::size_t first = html.find("<details class=\"passage\"");
  const std::size_t second = html.find("<details class=\"passage\"", first + 1);
  EXPECT_NE(html.substr(first, second - first).find("<span>cut 44 times</span>"), std::string::npos);
  EXPECT_NE(html.substr(first, second - first).find(">often " + words(1, 40) + " &lt;end&gt;</div>"),
            std::string::npos);
  EXPECT_NE(html.substr(first, second - first).find("Cut from <code>d1</code>"), std::string::npos);
  EXPECT_NE(html.find("<span>cut 14 times</span>", second), std::string::npos);
  EXPECT_NE(html.find(">" + seldom + "</div>", second), std::string::npos);
  EXPECT_EQ(report.cut_bytes, 44 * often.size() + 14 * seldom.size());
  run("small", 3, kMinMemoryBytes, 60);
  EXPECT_EQ(lasting("small"), lasting("out"));
}

TEST_F(DedupReportTest, PartsOfAPassageAreNoOtherPassages) {
  // The text beside the passage agrees by chance in places, so first copies extend into it, and only parts of some
  // are cut.
  const std::string passage = words(1, 60);
  std::vector<Named> documents;
  for (std::uint64_t i = 0; i < 300; ++i)
    documents.push_back({"d" + std::to_string(i), words(1000 + i, 60) + " " + passage + " " + words(2000 + i, 60)});
  named(documents);
  run("out", 2, std::uint64_t{1} << 30, 60);
  EXPECT_EQ(times(page(), "<details class=\"passage\""), 1U);
  EXPECT_NE(page().find(passage), std::string::npos) << "all of it is shown";
}

TEST_F(DedupReportTest, NoMoreThanTenPassagesAreShown) {
  std::vector<Named> documents;
  std::vector<std::string> passages;
  for (std::uint64_t i = 0; i < 15; ++i) passages.push_back(words(i, 30 + i));
  for (std::uint64_t i = 0; i < 60; ++i)
    documents.push_back({"d" + std::to_string(i), words(100 + i, 90) + seam(i) + passages[i % 15]});
  named(documents);
  run("out", 2, std::uint64_t{1} << 30, 60);
  EXPECT_EQ(times(page(), "<details class=\"passage\""), 10U);
  std::sort(passages.begin(), passages.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(times(page(), ">" + passages[i] + "</div>"), i < 10 ? 1U : 0U) << i;
}

TEST_F(DedupReportTest, WithoutRepeatedPassagesThePageSaysSo) {
  named({{"a", words(1, 60)}, {"b", words(2, 60)}});
  run("out", 2, std::uint64_t{1} << 30, 100);
  EXPECT_NE(page().find("No range of 100 bytes or more repeats in the kept documents."), std::string::npos);
  run("out");
  EXPECT_EQ(page().find("id=\"passages\""), std::string::npos);
  EXPECT_EQ(page().find("id=\"against\""), std::string::npos);
}

TEST_F(DedupReportTest, TellsTheItemsOfTheOtherSetAndWhereTheyStand) {
  const std::string often = "an item <b>that</b> several documents hold, word for word";
  const std::string once = words(7, 12);
  std::vector<Named> documents;
  for (std::uint64_t i = 0; i < 6; ++i)
    documents.push_back({"d" + std::to_string(i), "é" + words(10 + i, 70) + " 重 " + (i < 2 ? "" : often + " ") +
                                                      words(30 + i, 70) + (i == 1 ? " " + once : "")});
  named(documents);
  std::vector<Named> items;
  for (const std::string& text : {words(8, 20), once, often}) items.push_back({"q-" + text.substr(0, 2), text});
  DedupOptions wanted = options(input_);
  wanted.input.id_field = "id";
  wanted.against.paths = {named(items, "quiz.jsonl")};
  wanted.against.id_field = "id";
  DedupTest::run(wanted, 2, kMinMemoryBytes);
  const std::string html = page();
  EXPECT_NE(html.find("2 of 3 items in the --against set occur in 5 documents of this corpus"), std::string::npos);
  const std::size_t table = html.find("<table id=\"items\">");
  ASSERT_NE(table, std::string::npos);
  const std::size_t first = html.find("<code>q-an</code></th><td class=\"n\">4</td>", table);
  const std::size_t second = html.find("<code>q-w", table);
  ASSERT_LT(first, second);
  EXPECT_NE(html.find("<code>d2</code>", first), std::string::npos);
  EXPECT_NE(html.substr(first, second - first)
                .find("重 <mark>an item &lt;b&gt;that&lt;/b&gt; several documents hold, word for word</mark> w"),
            std::string::npos);
  EXPECT_NE(html.substr(second).find("<td class=\"n\">1</td><td class=\"wide\"><code>d1</code>"), std::string::npos);
  EXPECT_NE(html.substr(second).find("<mark>" + once + "</mark></div>"), std::string::npos);
}

TEST_F(DedupReportTest, OfNothingThereIsAPageToo) {
  named({});
  run();
  EXPECT_NE(page().find("<h1>0 of 0 documents kept</h1>"), std::string::npos);
  EXPECT_NE(page().find("No two documents match."), std::string::npos);
}

TEST_F(DedupReportTest, TheStoryOfARemovedDocument) {
  const std::string text = words(1, 60);
  named({{"first", text}, {"copy", text}, {"close", text + " more"}, {"other", words(2, 80)}});
  run();
  const StoryReport close = story("close");
  EXPECT_FALSE(close.document.keep);
  EXPECT_EQ(close.document.reason, "near");
  EXPECT_EQ(close.document.match, "first");
  EXPECT_EQ(close.cluster_size, 3U);
  EXPECT_EQ(close.cluster_kept, 1U);
  ASSERT_EQ(close.members.size(), 3U);
  EXPECT_EQ(close.members[1].reason, "exact");
  ASSERT_TRUE(close.texts);
  EXPECT_EQ(close.texts->a.text, text + " more");
  EXPECT_EQ(close.texts->b.text, text);
  EXPECT_NEAR(close.texts->similarity, close.document.similarity, 1e-6);
  // 56 of 57 windows are shared.
  EXPECT_EQ(close.change.threshold, 0.983);
  EXPECT_EQ(close.change.max_loss, 0U);
}

TEST_F(DedupReportTest, TheStoryOfAKeptDocument) {
  const std::string text = words(1, 60);
  named({{"first", text}, {"copy", text}, {"close", text + " more"}, {"other", words(2, 80)}});
  run();
  const StoryReport first = story("first");
  EXPECT_TRUE(first.document.keep);
  EXPECT_EQ(first.removed_for_it, 2U);
  ASSERT_TRUE(first.texts);
  EXPECT_EQ(first.texts->b.id, "close") << "the least similar of them";
  const StoryReport other = story("other");
  EXPECT_TRUE(other.document.keep);
  EXPECT_FALSE(other.document.cluster);
  EXPECT_FALSE(other.texts);
  EXPECT_TRUE(other.problems.empty());
}

TEST_F(DedupReportTest, OfDocumentsWithOneIdTheTextsAreToldApart) {
  const std::string text = words(1, 60);
  named({{"same", text}, {"same", text + " more"}, {"close", text + " and more"}});
  run();
  EXPECT_EQ(story("same").same_id, 1U);
  const StoryReport close = story("close");
  ASSERT_TRUE(close.texts);
  EXPECT_EQ(close.texts->b.text, text);
}

TEST_F(DedupReportTest, ATextThatHasChangedIsNotShown) {
  const std::string text = words(1, 60);
  named({{"first", text}, {"close", text + " more"}});
  run();
  named({{"first", text + "!"}, {"close", text + " more"}});
  const StoryReport changed = story("close");
  EXPECT_EQ(changed.document.match, "first");
  EXPECT_FALSE(changed.texts);
  ASSERT_EQ(changed.problems.size(), 1U);
  EXPECT_EQ(changed.problems[0], "first: has changed since the run");
  named({{"close", text + " more"}});
  EXPECT_EQ(story("close").problems, std::vector<std::string>{"first: is no longer in the input"});
  std::filesystem::remove(input_);
  const StoryReport gone = story("close");
  EXPECT_EQ(gone.document.match, "first");
  EXPECT_FALSE(gone.texts);
  ASSERT_EQ(gone.problems.size(), 1U);
  EXPECT_NE(gone.problems[0].find(input_), std::string::npos);
}

TEST_F(DedupReportTest, WhatIsNotThereHasNoStory) {
  named({{"first", words(1, 60)}});
  const auto refused = [&](const std::string& id) {
    try {
      story(id);
    } catch (const Error& error) {
      return error.code();
    }
    return Errc::interrupted;
  };
  EXPECT_EQ(refused("first"), Errc::not_found) << "no run yet";
  run();
  EXPECT_EQ(refused("second"), Errc::not_found);
  EXPECT_EQ(refused("fir"), Errc::not_found);
  write("out/decisions.jsonl", "{\"id\": \"first\", \"keep\": tr\n");
  EXPECT_EQ(refused("first"), Errc::corrupt);
  write("out/summary.json", "{}");
  EXPECT_EQ(refused("first"), Errc::corrupt);
}

}  // namespace
}  // namespace refrain::verbs::dedup
