// Tests libraries: a run that looks into what earlier runs kept decides as one run over everything.
#include <filesystem>
#include <map>

#include "engines/library/folder.h"
#include "engines/library/reader.h"
#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

namespace fs = std::filesystem;

struct Page {
  std::string id;
  std::string text;
};

class DedupKnown : public DedupTest {
 protected:
  static std::vector<Page> world(std::uint64_t seed, std::size_t count) {
    std::vector<Page> documents;
    for (const Words& words : texts_alike(seed, count))
      documents.push_back({"d" + std::to_string(documents.size()), join(words)});
    return documents;
  }
  std::string written(const std::vector<Page>& documents, std::size_t first, std::size_t last,
                      const std::string& name) {
    std::vector<std::string> records;
    for (std::size_t i = first; i < last; ++i)
      records.push_back(json_record({{"id", documents[i].id}, {"text", documents[i].text}}));
    return write_lines(name, records);
  }
  DedupOptions with_ids(const std::string& input, const std::string& output) {
    DedupOptions wanted = options(input, output);
    wanted.input.id_field = "id";
    return wanted;
  }
  // The decisions by id, without clusters, which depend on the run.
  std::map<std::string, Decided> by_id(const std::vector<std::string>& outputs) {
    std::map<std::string, Decided> rows;
    for (const std::string& output : outputs)
      for (const std::string& line : lines(output + "/decisions.jsonl")) {
        const std::string number = value_of(line, "similarity");
        rows[value_of(line, "id")] = {value_of(line, "keep") == "true", value_of(line, "reason"),
                                      value_of(line, "match"), number.empty() ? 0 : std::stod(number), ""};
      }
    return rows;
  }
  static std::string message(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

TEST_F(DedupKnown, MonthsDecideAsOneRun) {
  for (const std::size_t months : {2U, 3U, 12U}) {
    SCOPED_TRACE(months);
    const std::vector<Page> all = world(months, 600);
    run(with_ids(written(all, 0, all.size(), "all.jsonl"), "all"));
    std::vector<std::string> grown;
    std::vector<std::string> runs;
    fs::remove_all(at("library"));
    for (std::size_t month = 0; month < months; ++month) {
      const std::string name = std::to_string(month);
      const std::string input =
          written(all, month * all.size() / months, (month + 1) * all.size() / months, "in" + name + ".jsonl");
      DedupOptions grows = with_ids(input, grown.emplace_back("grown" + name));
      grows.library = at("library");
      const DedupReport report = run(grows, 1 + static_cast<unsigned>(month % 3));
      EXPECT_EQ(report.known.added, report.kept);
      DedupOptions looks = with_ids(input, "known" + name);
      for (const std::string& before : runs) looks.known.emplace_back(at(before));
      run(looks);
      runs.push_back("known" + name);
    }
    const std::map<std::string, Decided> one = by_id({"all"});
    for (const std::vector<std::string>& outputs : {grown, runs}) {
      const std::map<std::string, Decided> several = by_id(outputs);
      ASSERT_EQ(several.size(), one.size());
      for (const auto& [id, row] : several) EXPECT_EQ(row, one.at(id)) << id;
    }
    MemoryBudget budget(context());
    library::check(at("library"), context(), budget);
    EXPECT_EQ(library::Reader(at("library"), budget).documents(),
              static_cast<std::uint64_t>(std::ranges::count_if(one, [](const auto& row) { return row.second.keep; })));
  }
}

TEST_F(DedupKnown, MergingChangesNoDecision) {
  const std::vector<Page> all = world(5, 500);
  for (int month = 0; month < 4; ++month) {
    DedupOptions grows = with_ids(written(all, static_cast<std::size_t>(month) * 100,
                                          static_cast<std::size_t>(month + 1) * 100, "in" + std::to_string(month)),
                                  "run" + std::to_string(month));
    grows.input.format = Format::jsonl;
    grows.library = at("library");
    run(grows);
  }
  DedupOptions last = with_ids(written(all, 400, 500, "last.jsonl"), "before");
  last.known = {at("library")};
  run(last);
  for (const std::pair<std::size_t, std::size_t> merge : {std::pair{1U, 3U}, {0U, 2U}, {0U, 2U}}) {
    MemoryBudget budget(context());
    TempSpace temp(context());
    library::LibraryWriter writing(at("library"));
    if (writing.manifest().segments.size() < merge.second) break;
    writing.merge(merge.first, merge.second, context(), budget, temp);
    writing.commit();
    last.output = at("after");
    run(last);
    EXPECT_EQ(read("after/decisions.jsonl"), read("before/decisions.jsonl"));
  }
}

TEST_F(DedupKnown, OldTextsAreReadOnlyWhereTheyMayMatch) {
  std::mt19937_64 random(3);
  std::vector<Page> old;
  for (int i = 0; i < 2000; ++i) old.push_back({"o" + std::to_string(i), join(random_words(random, 300))});
  std::vector<Page> fresh;
  for (int i = 0; i < 500; ++i) fresh.push_back({"n" + std::to_string(i), join(random_words(random, 300))});
  for (int i = 0; i < 20; ++i)
    fresh[static_cast<std::size_t>(i) * 7].text = old[static_cast<std::size_t>(i) * 90].text + " more";
  DedupOptions first = with_ids(written(old, 0, old.size(), "old.jsonl"), "old");
  first.library = at("library");
  const DedupReport before = run(first);
  DedupOptions second = with_ids(written(fresh, 0, fresh.size(), "new.jsonl"), "new");
  second.library = at("library");
  const DedupReport report = run(second);
  EXPECT_EQ(report.known.near, 20U);
  EXPECT_EQ(report.known.candidates, 20U);
  EXPECT_LT(report.known.bytes_read, before.read.text_bytes / 50);
  EXPECT_NE(read("new/decisions.jsonl").find(R"("match": "o90", "similarity": )"), std::string::npos);
  EXPECT_NE(read("new/decisions.jsonl").find(R"("known": )" + json_text(at("library"))), std::string::npos);
}

TEST_F(DedupKnown, TextsInPackedFilesAndWholeFilesAreFoundAgain) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20; ++i) {
    const std::string text = join(random_words(random, 100));
    write("pages/" + std::to_string(i) + ".html", "<html><body><main><p>" + text + "</p></main></body></html>");
    write("again/" + std::to_string(i) + ".html", "<html><body><main><h1>" + text + " x</h1></main></body></html>");
  }
  DedupOptions first = options(at("pages"), "old");
  first.library = at("library");
  run(first);
  DedupOptions second = options(at("again"), "new");
  second.library = at("library");
  const DedupReport report = run(second);
  EXPECT_EQ(report.known.near, 20U);
  EXPECT_EQ(report.known.gone, 0U);
}

// Libraries record how the content of pages is found. One that does not is of version 1, and stays so.
TEST_F(DedupKnown, PagesAreReadAsTheLibraryReadThem) {
  std::string links;
  for (int i = 0; i < 2000; ++i) links += "<a href=x>module</a> ";
  const auto page = [&](const std::string& content) { return "<nav>" + links + "</nav><p>" + content; };
  std::mt19937_64 random(14);
  const std::string content = join(random_words(random, 20));
  write("pages/a.html", page(content));
  write("again/a.html", "<header>" + content + "</header>" + page(content));
  for (const unsigned version : {1U, kMainVersion}) {
    const std::string library = "library" + std::to_string(version);
    DedupOptions first = options(at("pages"), "old");
    first.input.main_version = version;
    first.library = at(library);
    run(first);
    DedupOptions second = options(at("again"), "new");
    second.library = at(library);
    EXPECT_EQ(run(second).removed_exact, version == 1 ? 0U : 1U);
    EXPECT_NE(read("new/summary.json").find("\"main_version\": " + std::to_string(version)), std::string::npos);
  }
  DedupOptions third = options(at("again"), "new");
  third.known = {at("library1"), at("library2")};
  EXPECT_NE(message([&] { run(third); }).find("made with main-version 2, but this run has none"), std::string::npos);
}

TEST_F(DedupKnown, WordsAreJoinedAsInTheLibrary) {
  std::mt19937_64 random(15);
  const std::string text = join(random_words(random, 60));
  written({{"a", text + " generation"}}, 0, 1, "old.jsonl");
  written({{"b", text + " gen-\n eration"}, {"c", "other"}}, 0, 2, "new.jsonl");
  DedupOptions first = with_ids(at("old.jsonl"), "old");
  first.input.join_hyphens = true;
  run(first);
  DedupOptions second = with_ids(at("new.jsonl"), "new");
  second.known = {at("old")};
  EXPECT_NE(message([&] { run(second); }).find("made with `join_hyphens` true, but this run has none"),
            std::string::npos);
  second.input.join_hyphens = true;
  second.apply = true;
  EXPECT_EQ(run(second).removed_exact, 1U);
  second.known = {};
  run(second);
  EXPECT_EQ(read("new/clean/new.jsonl"), read("new.jsonl"));
  second.substrings = 100;
  EXPECT_NE(message([&] { run(second); }).find("`substrings`"), std::string::npos);
}

TEST_F(DedupKnown, WhatIsGoneIsKeptOrTrustedAsAskedFor) {
  std::mt19937_64 random(6);
  const std::string copied = join(random_words(random, 200));
  const std::string edited = join(random_words(random, 200));
  DedupOptions first = with_ids(written({{"a", copied}, {"b", edited}}, 0, 2, "old.jsonl"), "old");
  run(first);
  DedupOptions second = with_ids(written({{"c", copied}, {"d", edited + " more"}}, 0, 2, "new.jsonl"), "new");
  second.known = {at("old")};
  EXPECT_EQ(run(second).kept, 0U);
  for (const bool changed : {true, false}) {
    if (changed)
      written({{"a", edited}, {"b", copied}}, 0, 2, "old.jsonl");
    else
      fs::remove(at("old.jsonl"));
    second.trust_signatures = false;
    const DedupReport kept = run(second);
    EXPECT_EQ(kept.kept, 2U);
    EXPECT_EQ(kept.known.unverified, 2U);
    EXPECT_NE(lines("new/decisions.jsonl")[0].find(R"("unverified": "a", "known": )"), std::string::npos);
    second.trust_signatures = true;
    const DedupReport trusted = run(second);
    EXPECT_EQ(trusted.kept, 0U);
    EXPECT_EQ(trusted.removed_exact, 1U);
    EXPECT_EQ(trusted.removed_near, 1U);
    EXPECT_NE(lines("new/decisions.jsonl")[1].find(R"("verified": false)"), std::string::npos);
  }
}

TEST_F(DedupKnown, ACopyIsComparedWithEveryKnownOneUntilATextIsThere) {
  std::mt19937_64 random(7);
  const std::string text = join(random_words(random, 200));
  const auto month = [&](const std::string& id) {
    DedupOptions wanted = with_ids(written({{id, text}}, 0, 1, id + ".jsonl"), "out-" + id);
    wanted.library = at("library");
    return run(wanted).kept;
  };
  EXPECT_EQ(month("a"), 1U);
  fs::remove(at("a.jsonl"));
  EXPECT_EQ(month("b"), 1U);
  EXPECT_EQ(month("c"), 0U);
  EXPECT_EQ(value_of(lines("out-c/decisions.jsonl")[0], "match"), "b");
}

TEST_F(DedupKnown, PagesThatAreFetchedAgainRaiseNoAlarm) {
  std::vector<Page> pages;
  std::mt19937_64 random(8);
  for (int i = 0; i < 30; ++i) pages.push_back({"p" + std::to_string(i), join(random_words(random, 100))});
  DedupOptions wanted = with_ids(written(pages, 0, 20, "old.jsonl"), "old");
  wanted.library = at("library");
  run(wanted);
  wanted = with_ids(written(pages, 0, 30, "new.jsonl"), "new");
  wanted.library = at("library");
  wanted.max_removed_per_source = 0.1;
  EXPECT_TRUE(run(wanted).alarms.empty());
  // Near copies count as lost, unlike exact ones.
  for (Page& page : pages) page.text += " more";
  wanted = with_ids(written(pages, 0, 30, "changed.jsonl"), "changed");
  wanted.known = {at("library")};
  ASSERT_EQ(run(wanted).alarms.size(), 1U);
}

TEST_F(DedupKnown, OtherOptionsAreRefusedByName) {
  DedupOptions first = with_ids(written(world(7, 20), 0, 20, "old.jsonl"), "old");
  first.library = at("library");
  first.windows.tokenizer = TokenizerKind::code_bare;
  run(first);
  DedupOptions second = with_ids(at("old.jsonl"), "new");
  second.known = {at("library")};
  second.windows.tokenizer = first.windows.tokenizer;
  second.windows.window = 8;
  EXPECT_EQ(message([&] { run(second); }),
            at("library") + ": made with `window` 5, but this run has 8; use the same, or another library");
  second.windows.window = 5;
  second.windows.tokenizer = TokenizerKind::alpha;
  EXPECT_NE(message([&] { run(second); }).find("made with `tokenizer` code, but this run has alpha"),
            std::string::npos);
  second.windows.tokenizer = first.windows.tokenizer;
  second.threshold = 0.7;
  EXPECT_NE(message([&] { run(second); }).find("made with `threshold` 0.8, but this run has 0.7"), std::string::npos);
  second.threshold = 0.9;  // a library with a lower threshold serves a higher one
  EXPECT_EQ(message([&] { run(second); }), "nothing was thrown");
  second.known.clear();
  second.library = at("library");  // but the run cannot add to it
  EXPECT_NE(message([&] { run(second); }).find("`threshold`"), std::string::npos);
  second.threshold = 0.8;
  second.near = NearMethod::simhash;
  EXPECT_NE(message([&] { run(second); }).find("use `near` minhash"), std::string::npos);
}

TEST_F(DedupKnown, AFolderThatIsNoLibraryIsNotMadeOne) {
  DedupOptions wanted = with_ids(written(world(7, 20), 0, 20, "in.jsonl"), "out");
  wanted.library = at("mine");
  fs::create_directory(at("mine"));
  EXPECT_EQ(message([&] { run(wanted); }), at("mine") + ": already exists, and is not a library; name another folder");
}

TEST_F(DedupKnown, AKeepPolicyThatWouldChangeWhatWasKeptIsRefused) {
  std::mt19937_64 random(8);
  const std::string text = join(random_words(random, 100));
  const auto dated = [&](const std::string& name, const std::string& date) {
    return write_lines(name, {json_record({{"id", name}, {"text", text + " " + name}, {"date", date}})});
  };
  DedupOptions first = with_ids(dated("a.jsonl", "2026-01-01"), "a");
  first.keep = parse_keep_policy("newest:date");
  first.library = at("library");
  run(first);
  DedupOptions newer = with_ids(dated("b.jsonl", "2026-02-01"), "b");
  newer.keep = first.keep;
  newer.library = at("library");
  EXPECT_NE(message([&] { run(newer); }).find("what was kept stays"), std::string::npos);
  DedupOptions older = with_ids(dated("c.jsonl", "2025-01-01"), "c");
  older.keep = first.keep;
  older.library = at("library");
  EXPECT_EQ(run(older).removed_near, 1U);
  DedupOptions longest = with_ids(at("b.jsonl"), "d");
  longest.keep = parse_keep_policy("longest");
  longest.library = at("library");
  EXPECT_NE(message([&] { run(longest); }).find("made with `keep` newest:date"), std::string::npos);
}

TEST_F(DedupKnown, ASourceKeepsTheTemplatesThatTheLibraryKnows) {
  std::mt19937_64 random(9);
  const Words navigation = random_words(random, 300);
  std::vector<Words> articles;
  const auto pages = [&](const std::string& name, std::size_t first, std::size_t count) {
    std::vector<std::string> records;
    for (std::size_t i = first; i < first + count; ++i) {
      while (articles.size() <= i) articles.push_back(random_words(random, 100));
      Words words = navigation;
      append(words, articles[i]);
      const std::string id = "https://example.org/" + name + std::to_string(i);
      records.push_back(json_record({{"id", id}, {"text", join(words)}}));
    }
    return write_lines(name, records);
  };
  DedupOptions first = with_ids(pages("a.jsonl", 0, 50), "a");
  first.library = at("library");
  EXPECT_EQ(run(first).templates.sources, 1U);
  // There are too few pages to find a template, and without one they are all similar; the first three are known
  // already.
  DedupOptions second = with_ids(pages("b.jsonl", 47, 6), "b");
  second.library = at("library");
  const DedupReport report = run(second);
  EXPECT_EQ(report.templates.sources, 1U);
  EXPECT_EQ(report.kept, 3U);
  EXPECT_EQ(report.known.exact, 3U);
  EXPECT_EQ(report.removed_near, 0U);
}

}  // namespace
}  // namespace refrain::verbs::dedup
