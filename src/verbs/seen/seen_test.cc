// Seen: answers as runs of dedup over the same documents in the same order, and loses nothing that it said was added.
#include "refrain/seen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "random_text.h"
#include "refrain/dedup.h"
#include "refrain/error.h"
#include "refrain/library.h"
#include "verbs/known/text_records.h"
#include "world.h"

namespace refrain::verbs::seen {
namespace {

namespace fs = std::filesystem;

struct Page {
  std::string id;
  std::string text;
};

// An answer as a line, to be compared.
struct Said {
  std::string status;  // "new", "exact", "near"
  std::string match;
  double similarity = 0;
  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said) {
    return out << said.status << ' ' << said.match << ' ' << said.similarity;
  }
};

class SeenTest : public testing::Test, public World {
 protected:
  static std::vector<Page> pages(std::uint64_t seed, std::size_t count) {
    std::vector<Page> out;
    for (const Words& words : texts_alike(seed, count)) {
      const std::size_t i = out.size();
      out.push_back({"https://host" + std::to_string(i % 3) + ".org/" + std::to_string(i),
                     join(words, i % 7 == 0 ? "\n\"\\ä" : " ")});
    }
    return out;
  }

  std::unique_ptr<Seen> open(bool add = true, unsigned threads = 2) {
    return std::make_unique<Seen>(
        SeenOptions{.library = at("library"),
                    .add = add,
                    .log = [this](std::string_view line) { told_ += std::string(line) + "\n"; }},
        context(threads));
  }
  static std::vector<SeenAnswer> ask(Seen& seen, std::span<const Page> pages) {
    std::vector<SeenDocument> documents;
    for (const Page& page : pages) documents.push_back({page.id, page.text});
    return seen.seen(documents);
  }
  static Said said(const SeenAnswer& answer) {
    return {std::string(seen_status_name(answer.status)), answer.match, answer.similarity};
  }

  // What dedup says of them, with a library of its own.
  std::vector<Said> by_dedup(std::span<const Page> pages, const std::string& library) {
    std::vector<std::string> records;
    for (const Page& page : pages) records.push_back(json_record({{"id", page.id}, {"text", page.text}}));
    DedupOptions options;
    options.input.paths = {write_lines("in.jsonl", records)};
    // Its texts must stay where they are.
    fs::rename(at("in.jsonl"), at("in" + std::to_string(++inputs_) + ".jsonl"));
    options.input.paths = {at("in" + std::to_string(inputs_) + ".jsonl")};
    options.input.id_field = "id";
    options.output = at("out");
    options.force = true;
    options.library = at(library);
    dedup(options, context());
    std::vector<Said> out;
    for (const std::string& line : lines("out/decisions.jsonl")) {
      const std::string reason = field(line, "reason");
      const std::string number = field(line, "similarity");
      out.push_back({reason == "exact" || reason == "near" ? reason : "new", field(line, "match"),
                     number.empty() ? 0 : std::stod(number)});
    }
    return out;
  }
  static std::string field(const std::string& line, const std::string& name) {
    const std::size_t key = line.find("\"" + name + "\": ");
    if (key == std::string::npos) return {};
    const std::size_t begin = key + name.size() + 4;
    std::string value = line.substr(begin, line.find_first_of(",}", begin) - begin);
    if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
    return value == "null" ? "" : value;
  }
  // Similarities are printed with a few digits.
  static void expect_same(const Said& one, const Said& other, const std::string& id) {
    EXPECT_EQ(one.status, other.status) << id << ": " << one << " / " << other;
    EXPECT_EQ(one.match, other.match) << id << ": " << one << " / " << other;
    EXPECT_NEAR(one.similarity, other.similarity, 1e-4) << id;
  }
  std::vector<std::string> ids_of_library() {
    std::vector<std::string> ids;
    library_export(at("library"), context(), [&](const LibraryDocument& document) { ids.push_back(document.id); });
    return ids;
  }
  static std::string message(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  std::string told_;
  int inputs_ = 0;
};

TEST_F(SeenTest, AnswersAsDedupDoes) {
  const std::vector<Page> all = pages(1, 400);
  std::mt19937_64 random(2);
  std::unique_ptr<Seen> seen = open();
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % 60, all.size() - first);
    const std::span<const Page> batch = std::span(all).subspan(first, count);
    const std::vector<SeenAnswer> answers = ask(*seen, batch);
    const std::vector<Said> expected = by_dedup(batch, "by_dedup");
    ASSERT_EQ(answers.size(), expected.size());
    for (std::size_t i = 0; i < count; ++i) {
      expect_same(said(answers[i]), expected[i], batch[i].id);
      EXPECT_EQ(answers[i].added, answers[i].status == SeenStatus::fresh);
    }
    first += count;
    if (random() % 3 == 0) {
      seen.reset();
      seen = open();
    }
  }
  seen.reset();
  EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
  // A run of dedup finds what was added, and reads the texts where they lie.
  for (const Said& one : by_dedup(all, "library")) EXPECT_NE(one.status, "new") << one;
}

TEST_F(SeenTest, OfCopiesThatArriveAtOnceOneIsNew) {
  const std::vector<Page> all = pages(3, 300);
  constexpr unsigned kThreads = 4;
  std::vector<std::vector<SeenAnswer>> answers(kThreads);
  {
    const std::unique_ptr<Seen> seen = open(true, 3);
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < all.size(); i += 10)
          for (const SeenAnswer& answer :
               ask(*seen, std::span(all).subspan(i, std::min<std::size_t>(10, all.size() - i))))
            answers[t].push_back(answer);
      });
    threads.clear();
    EXPECT_EQ(seen->stats().recent + seen->stats().documents, seen->stats().added);
  }
  std::set<std::string> added;
  std::set<std::string> texts;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (unsigned t = 0; t < kThreads; ++t) {
      if (!answers[t][i].added) continue;
      EXPECT_TRUE(added.insert(all[i].id).second) << all[i].id;
      EXPECT_TRUE(texts.insert(all[i].text).second) << all[i].id;
    }
  const std::vector<std::string> ids = ids_of_library();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()), added);
  EXPECT_EQ(ids.size(), added.size());
}

TEST_F(SeenTest, WithoutAddingNothingChanges) {
  EXPECT_NE(message([&] { open(false); }).find("not a library"), std::string::npos);
  const std::vector<Page> all = pages(4, 60);
  { ask(*open(), std::span(all).first(30)); }
  const std::unique_ptr<Seen> seen = open(false);
  const std::vector<std::string> before = ids_of_library();
  const std::vector<SeenAnswer> answers = ask(*seen, all);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NE(answers[i].status, SeenStatus::fresh) << i;
  for (const SeenAnswer& answer : answers) EXPECT_FALSE(answer.added);
  EXPECT_EQ(ids_of_library(), before);
}

// As the disk is when a process is killed: a copy of the folder, taken while it is open.
TEST_F(SeenTest, WhatWasAddedOutlastsACrash) {
  const std::vector<Page> all = pages(5, 200);
  std::vector<std::string> added;
  for (std::size_t first = 0; first < all.size(); first += 50) {
    std::unique_ptr<Seen> seen = open();
    const std::span<const Page> batch = std::span(all).subspan(first, 50);
    const std::vector<SeenAnswer> answers = ask(*seen, batch);
    for (std::size_t i = 0; i < batch.size(); ++i)
      if (answers[i].added) added.push_back(batch[i].id);
    fs::remove_all(at("crashed"));
    fs::copy(at("library"), at("crashed"), fs::copy_options::recursive);
    fs::rename(at("library"), at("old"));  // which its owner does not mind
    fs::rename(at("crashed"), at("library"));
    if (first == 100) {  // in the middle of a record
      const std::string name = known::all_texts(at("library")).back();
      std::ofstream(at("library/" + name), std::ios::app) << known::make_text_record("torn", "torn").line.substr(0, 40);
    }
    EXPECT_EQ(library_stats(at("library")).waiting_documents, added.size() - ids_of_library().size());
    if (first == 0) {  // whoever changes the library next takes it up
      library_merge(at("library"), context());
      EXPECT_EQ(ids_of_library(), added);
    }
    std::unique_ptr<Seen> again = open();
    EXPECT_EQ(ids_of_library(), added);
    EXPECT_EQ(again->stats().recent, 0U);
    for (const SeenAnswer& answer : ask(*again, batch)) EXPECT_FALSE(answer.added);
    again.reset();
    fs::rename(at("library"), at("kept"));
    fs::rename(at("old"), at("library"));
    // The owner goes, and then what it left.
    seen.reset();
    fs::remove_all(at("library"));
    fs::rename(at("kept"), at("library"));
  }
  EXPECT_NE(told_.find("dropped 40 bytes of a record"), std::string::npos) << told_;
}

TEST_F(SeenTest, ADamagedRecordIsTold) {
  const std::vector<Page> all = pages(6, 40);
  std::string texts;
  {
    const std::unique_ptr<Seen> seen = open();
    ask(*seen, all);
    texts = read("library/" + known::all_texts(at("library")).back());
  }
  const std::size_t records = static_cast<std::size_t>(std::ranges::count(texts, '\n'));
  for (const std::size_t place : {texts.size() / 2, texts.size() - 10}) {
    std::string damaged = texts;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    write("library/texts/000002.jsonl", damaged);
    const std::string where = at("library/texts/000002.jsonl") + ": damaged at byte";
    EXPECT_NE(message([&] { open(); }).find(where), std::string::npos);
    const LibraryCheckReport report = library_check(at("library"), context());
    ASSERT_EQ(report.damages.size(), 1U);
    EXPECT_NE(report.damages[0].find(where), std::string::npos);
    EXPECT_THROW(library_merge(at("library"), context()), Error);
    EXPECT_EQ(ids_of_library().size(), records);
  }
  fs::remove(at("library/texts/000002.jsonl"));
  EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
}

TEST_F(SeenTest, WhatIsRemovedIsForgotten) {
  const std::string text = "one two three four five six seven eight nine ten eleven";
  const std::vector<Page> all = {{"https://a.org/1", text},
                                 {"https://b.org/2", "another text that says another thing"}};
  { ask(*open(), all); }
  EXPECT_EQ(library_remove(at("library"), {.sources = {"a.org"}}, context()).removed, 1U);
  const std::string left = read("library/texts/000001.jsonl");
  EXPECT_EQ(left.find("seven"), std::string::npos);
  EXPECT_NE(left.find("says another thing"), std::string::npos);
  EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
  const std::unique_ptr<Seen> seen = open();
  const std::vector<SeenAnswer> answers = ask(*seen, all);
  EXPECT_TRUE(answers[0].added);
  EXPECT_EQ(answers[1].status, SeenStatus::exact);
  EXPECT_TRUE(answers[1].verified);
}

TEST_F(SeenTest, TextsThatAreGoneAreNewOrTrusted) {
  const std::vector<Page> all = pages(7, 20);
  { ask(*open(), all); }
  fs::remove_all(at("library/texts"));
  const Page copy{"https://c.org/copy", all[0].text};
  SeenOptions options{.library = at("library"), .trust_signatures = true};
  {
    Seen seen(options, context());
    const SeenAnswer answer = ask(seen, {&copy, 1})[0];
    EXPECT_EQ(answer.status, SeenStatus::exact);
    EXPECT_FALSE(answer.verified);
  }
  const std::unique_ptr<Seen> seen = open();
  const SeenAnswer answer = ask(*seen, {&copy, 1})[0];
  EXPECT_EQ(answer.status, SeenStatus::fresh);
  EXPECT_EQ(answer.match, all[0].id);
  EXPECT_FALSE(answer.verified);
  EXPECT_TRUE(answer.added);
  // From then on there is one whose text is there.
  EXPECT_EQ(ask(*seen, {&copy, 1})[0].match, copy.id);
}

TEST_F(SeenTest, ASourceKeepsTheTemplatesThatTheLibraryKnows) {
  std::mt19937_64 random(8);
  const Words navigation = random_words(random, 300);
  std::vector<Page> all;
  for (int i = 0; i < 60; ++i) {
    Words words = navigation;
    append(words, random_words(random, 100));
    all.push_back({"https://example.org/" + std::to_string(i), join(words)});
  }
  by_dedup(std::span(all).first(50), "library");
  by_dedup(std::span(all).first(50), "by_dedup");
  for (std::size_t i = 50; i < all.size(); ++i) {
    const std::unique_ptr<Seen> seen = open();
    const std::vector<Page> batch = {all[i], {all[i].id + "/edited", all[i].text + " more"}, all[i - 1]};
    const std::vector<SeenAnswer> answers = ask(*seen, batch);
    const std::vector<Said> expected = by_dedup(batch, "by_dedup");
    for (std::size_t k = 0; k < batch.size(); ++k) expect_same(said(answers[k]), expected[k], batch[k].id);
    EXPECT_EQ(answers[0].status, SeenStatus::fresh);
    EXPECT_EQ(answers[1].status, SeenStatus::near);
  }
}

TEST(TextRecords, Golden) {
  const known::TextRecord record = known::make_text_record("a\"b", "line\nnext \xC3\xA4");
  EXPECT_EQ(record.line,
            "{\"texts\":1,\"checksum\":\"4cc2b6d2fda4646f\",\"id\":\"a\\\"b\",\"text\":\"line\\nnext \xC3\xA4\"}\n");
  EXPECT_EQ(record.line.substr(record.begin, record.bytes), "line\\nnext \xC3\xA4");
}

TEST_F(SeenTest, OneWriterAtATime) {
  const std::unique_ptr<Seen> seen = open();
  EXPECT_NE(message([&] { open(); }).find(at("library")), std::string::npos);
  EXPECT_THROW(open(), Error);
  EXPECT_THROW(library_merge(at("library"), context()), Error);
  EXPECT_NO_THROW(open(false));
}

}  // namespace
}  // namespace refrain::verbs::seen
