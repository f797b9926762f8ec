// Tests that Seen answers like runs of dedup over the same documents in the same order, and loses nothing that it
// reported as added.
#include "refrain/seen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "gzip.h"
#include "verbs/known/text_records.h"
#include "verbs/seen/test_seen.h"

namespace refrain::verbs::seen {
namespace {

TEST_F(SeenTest, AnswersAsDedupDoes) {
  const std::vector<Page> all = pages(1, 400);
  std::mt19937_64 random(2);
  std::unique_ptr<Seen> seen = open();
  for (std::size_t first = 0; first < all.size();) {
    const std::size_t count = std::min<std::size_t>(1 + random() % 60, all.size() - first);
    const std::span<const Page> batch = std::span(all).subspan(first, count);
    const std::vector<SeenAnswer> answers = ask(*seen, batch);
    const std::vector<PlainAnswer> expected = by_dedup(batch, "by_dedup");
    ASSERT_EQ(answers.size(), expected.size());
    for (std::size_t i = 0; i < count; ++i) {
      expect_same(plain_answer(answers[i]), expected[i], batch[i].id);
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
  // A run of dedup finds what was added and reads the texts from the library's files.
  for (const PlainAnswer& one : by_dedup(all, "library")) EXPECT_NE(one.status, "new") << one;
}

TEST_F(SeenTest, ADocumentIsNewIfAnAttachmentOfItIs) {
  std::string body;
  for (int i = 0; i < 200; ++i) body += "word" + std::to_string(i) + ' ';
  const auto with = [&](char sum) {
    return body + "\n\n[attachment: scan.pdf, application/pdf, 9 bytes, " + std::string(32, sum) + "]";
  };
  const std::vector<Page> all = {{"plain", body}, {"a", with('a')}, {"b", with('b')}, {"again", "Re: " + with('a')}};
  const std::unique_ptr<Seen> seen = open();
  std::vector<std::string> said_of;
  for (const SeenAnswer& answer : ask(*seen, all))
    said_of.push_back(plain_answer(answer).status + (answer.added ? "" : " " + answer.match));
  EXPECT_EQ(said_of, (std::vector<std::string>{"new", "new", "new", "near a"}));
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

TEST_F(SeenTest, ACallMayAskWithoutAdding) {
  const std::vector<Page> all = pages(4, 60);
  const std::unique_ptr<Seen> seen = open();
  std::vector<SeenDocument> documents;
  for (const Page& page : all) documents.push_back({page.id, page.text});
  seen->seen(std::span(documents).first(30));
  const std::uint64_t before = seen->stats().recent;
  const std::vector<SeenAnswer> asked = seen->seen(documents, {}, false);
  for (std::size_t i = 0; i < 30; ++i) EXPECT_NE(asked[i].status, SeenStatus::fresh) << i;
  for (const SeenAnswer& answer : asked) EXPECT_FALSE(answer.added);
  EXPECT_EQ(seen->stats().recent, before);
  const std::vector<SeenAnswer> added = seen->seen(documents);
  for (std::size_t i = 0; i < 60; ++i)
    if (asked[i].status != SeenStatus::fresh) expect_same(plain_answer(added[i]), plain_answer(asked[i]), all[i].id);
  EXPECT_GT(seen->stats().recent, before);
}

// A copy of the open library's folder is in the state that a killed process leaves on disk.
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
    fs::rename(at("library"), at("old"));  // the open server keeps working
    fs::rename(at("crashed"), at("library"));
    if (first == 100) {  // the file ends in the middle of a record
      const std::string name = known::text_file_names(at("library")).back();
      std::ofstream(at("library/" + name), std::ios::app) << known::make_text_record("torn", "torn").line.substr(0, 40);
    }
    EXPECT_EQ(library_stats(at("library")).waiting_documents, added.size() - ids_of_library().size());
    if (first == 0) {  // the next change of the library makes segments of the logs
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
    // The server is closed, then its library is deleted.
    seen.reset();
    fs::remove_all(at("library"));
    fs::rename(at("kept"), at("library"));
  }
  EXPECT_NE(log_text_.find("dropped 40 bytes that were being written"), std::string::npos) << log_text_;
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
  // From now on there is a copy whose text exists.
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
    const std::vector<PlainAnswer> expected = by_dedup(batch, "by_dedup");
    for (std::size_t k = 0; k < batch.size(); ++k) expect_same(plain_answer(answers[k]), expected[k], batch[k].id);
    EXPECT_EQ(answers[0].status, SeenStatus::fresh);
    EXPECT_EQ(answers[1].status, SeenStatus::near);
  }
}

// A process that does not see the lock makes a segment of the log and changes the library, while the server appends
// to the log.
TEST_F(SeenTest, WhatAnotherProcessTookUpIsNotLost) {
  std::vector<Page> all;
  std::mt19937_64 random(20);
  for (int i = 0; i < 40; ++i) all.push_back({"https://a.org/" + std::to_string(i), join(random_words(random, 60))});
  std::unique_ptr<Seen> seen = open();
  ask(*seen, std::span(all).first(10));
  fs::remove(at("library/lock"));
  by_dedup(std::span(all).subspan(10, 10), "library");
  for (const SeenAnswer& answer : ask(*seen, std::span(all).subspan(20, 10))) EXPECT_TRUE(answer.added);
  fs::remove(at("library/lock"));
  EXPECT_EQ(library_remove(at("library"), {.ids = {all[12].id}}, context()).removed, 1U);
  for (const SeenAnswer& answer : ask(*seen, std::span(all).last(10))) EXPECT_TRUE(answer.added);
  seen.reset();
  std::vector<std::string> ids = ids_of_library();
  EXPECT_EQ(ids.size(), 39U);
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 39U);
  EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
  EXPECT_EQ(library_stats(at("library")).waiting_documents, 0U);
  seen = open(false);
  const std::vector<SeenAnswer> answers = ask(*seen, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(answers[i].status, i == 12 ? SeenStatus::fresh : SeenStatus::exact) << i;
    EXPECT_EQ(answers[i].verified, i != 12) << i;
  }
}

// Similar pages, each with a paragraph of its own: more of them than are compared, and than are considered per key.
TEST_F(SeenTest, ACrowdHidesNoCopy) {
  std::mt19937_64 random(21);
  const Words shared = random_words(random, 320);
  std::vector<Page> all;
  for (int i = 0; i < 270; ++i) {
    Words words = shared;
    append(words, random_words(random, 20));
    all.push_back({"https://a.org/" + std::to_string(i), join(words)});
  }
  const auto expect_copies = [&](Seen& seen) {
    const std::vector<SeenAnswer> answers = ask(seen, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(answers[i].status, SeenStatus::exact) << i;
      EXPECT_EQ(answers[i].match, all[i].id) << i;
    }
  };
  templates_ = false;  // otherwise a run would treat the shared text as a template
  by_dedup(std::span(all).first(1), "library");
  std::unique_ptr<Seen> seen = open();
  for (const SeenAnswer& answer : ask(*seen, std::span(all).subspan(1, 134))) EXPECT_TRUE(answer.added);
  seen.reset();
  seen = open();
  for (const SeenAnswer& answer : ask(*seen, std::span(all).last(135))) EXPECT_TRUE(answer.added);
  expect_copies(*seen);  // half of them in a segment, half in memory
  seen.reset();
  seen = open();
  expect_copies(*seen);  // all in segments
  seen.reset();
  const std::vector<PlainAnswer> by_run = by_dedup(all, "library");
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(by_run[i].status, "exact") << i;
    EXPECT_EQ(by_run[i].match, all[i].id) << i;
  }
  EXPECT_EQ(ids_of_library().size(), all.size());
}

// There are many copies whose texts are gone, and one, the last, whose text exists.
TEST_F(SeenTest, ACrowdOfLostCopiesHidesNone) {
  std::vector<std::string> records;
  for (int i = 0; i < 700; ++i)
    records.push_back(json_record({{"id", "c" + std::to_string(i)}, {"text", "a short text"}}));
  DedupOptions options;
  options.input.paths = {write_lines("copies.jsonl", records)};
  options.input.id_field = "id";
  options.output = at("out");
  options.library = at("library");
  options.exact = false;
  dedup(options, context());
  ASSERT_EQ(ids_of_library().size(), 700U);
  fs::remove(at("copies.jsonl"));
  const Page copy{"copy", "a short text"};
  EXPECT_TRUE(ask(*open(), {&copy, 1})[0].added);
  const SeenAnswer answer = ask(*open(), {&copy, 1})[0];
  EXPECT_EQ(answer.status, SeenStatus::exact);
  EXPECT_EQ(answer.match, "copy");
}

// Returns the number of bytes that this process has read from files.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  file >> name >> bytes;
  return bytes;
}

TEST_F(SeenTest, ACompressedFileIsReadOnceForAllOfItsDocuments) {
  std::vector<Page> all;
  std::mt19937_64 random(22);
  std::vector<std::string> records;
  for (int i = 0; i < 100; ++i) {
    all.push_back({"https://a.org/" + std::to_string(i), join(random_words(random, 4000))});
    records.push_back(json_record({{"id", all.back().id}, {"text", all.back().text}}));
  }
  std::string text;
  for (const std::string& record : records) text += record + "\n";
  DedupOptions options;
  options.input.paths = {write("in.jsonl.gz", gzip(text))};
  options.input.id_field = "id";
  options.output = at("out");
  options.library = at("library");
  dedup(options, context());
  const std::uint64_t size = fs::file_size(at("in.jsonl.gz"));
  const std::unique_ptr<Seen> seen = open(false);
  const std::uint64_t before = bytes_read();
  std::shuffle(all.begin(), all.end(), random);
  for (const Page& page : all) {
    const SeenAnswer answer = ask(*seen, {&page, 1})[0];
    EXPECT_EQ(answer.status, SeenStatus::exact);
    EXPECT_TRUE(answer.verified);
  }
  EXPECT_LT(bytes_read() - before, 10 * size);
  // The file is read again once it has changed. Texts that it no longer contains are gone.
  const std::size_t half = text.find('\n', text.size() / 2) + 1;
  write("in.jsonl.gz", gzip(text.substr(0, half)));
  const std::uint64_t later = bytes_read();
  std::size_t gone = 0;
  for (int round = 0; round < 2; ++round)
    for (const Page& page : all) gone += ask(*seen, {&page, 1})[0].verified ? 0 : 1;
  EXPECT_GT(gone, 80U);
  EXPECT_LT(gone, 120U);
  EXPECT_LT(bytes_read() - later, 10 * size);
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
