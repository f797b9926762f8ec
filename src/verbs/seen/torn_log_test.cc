// Tests the logs of a server that was killed or lost power: what was confirmed as added is there, or its loss is
// reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "verbs/known/text_records.h"
#include "verbs/seen/test_seen.h"

namespace refrain::verbs::seen {
namespace {

// The log of a server that was cut off, as batches: the ids of each batch, and where it begins in the file.
struct Batches {
  std::string log;
  std::vector<std::vector<std::string>> ids;
  std::vector<std::size_t> begins;
};

class TornLog : public SeenTest {
 protected:
  // Makes a library with a log of several batches of documents that are in no segment yet.
  Batches crashed(std::size_t batches) {
    Batches out;
    const std::vector<Page> all = pages(6, batches * 12);
    std::unique_ptr<Seen> seen = open();
    for (std::size_t i = 0; i < batches; ++i) {
      const std::span<const Page> batch = std::span(all).subspan(i * 12, 12);
      out.begins.push_back(i == 0 ? 0 : read("library/texts/000001.jsonl").size());
      out.ids.emplace_back();
      const std::vector<SeenAnswer> answers = ask(*seen, batch);
      for (std::size_t k = 0; k < batch.size(); ++k)
        if (answers[k].added) out.ids.back().push_back(batch[k].id);
    }
    fs::copy(at("library"), at("crashed"), fs::copy_options::recursive);
    seen.reset();
    out.log = read("crashed/texts/000001.jsonl");
    return out;
  }
  // Restores the library to its state when the power failed, but with this log.
  void restore(const std::string& log) {
    fs::remove_all(at("library"));
    fs::copy(at("crashed"), at("library"), fs::copy_options::recursive);
    write("library/texts/000001.jsonl", log);
  }
  static std::vector<std::string> joined(std::span<const std::vector<std::string>> batches) {
    std::vector<std::string> all;
    for (const std::vector<std::string>& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }
};

// In the batch that was never confirmed, bytes are zero or wrong, or the file ends.
TEST_F(TornLog, WhatWasNotSyncedBlocksNothing) {
  const Batches made = crashed(4);
  const std::vector<std::string> synced = joined(std::span(made.ids).first(3));
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 12; ++trial) {
    std::string torn = made.log;
    const std::size_t begin = made.begins[3] + random() % (torn.size() - made.begins[3]);
    const std::size_t end = std::min(torn.size(), begin + 1 + random() % 4096);
    if (trial % 3 == 0)
      torn.resize(begin);
    else
      std::fill(torn.begin() + static_cast<std::ptrdiff_t>(begin), torn.begin() + static_cast<std::ptrdiff_t>(end),
                trial % 3 == 1 ? '\0' : 'x');
    if (trial == 4) torn.append(std::size_t{3} << 20, '\0');  // the file is longer than what was written
    restore(torn);
    EXPECT_GE(library_stats(at("library")).waiting_documents, synced.size());
    EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
    if (trial % 2 == 0)
      library_merge(at("library"), context());
    else
      open();
    const std::vector<std::string> ids = ids_of_library();
    ASSERT_GE(ids.size(), synced.size());
    EXPECT_EQ(std::vector<std::string>(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(synced.size())), synced);
    EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
    // Texts can still be overwritten, and the file remains intact.
    EXPECT_EQ(library_remove(at("library"), {.ids = {synced[0]}}, context()).removed, 1U);
    EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
  }
}

TEST_F(TornLog, DamageToWhatWasSyncedIsToldAndCanBeDropped) {
  const Batches made = crashed(4);
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 6; ++trial) {
    std::string damaged = made.log;
    const std::size_t batch = trial % 3;
    const std::size_t place = made.begins[batch] + random() % (made.begins[batch + 1] - made.begins[batch]);
    damaged[place] = static_cast<char>(trial % 2 == 0 ? '\0' : damaged[place] ^ 1);
    restore(damaged);
    const std::string where = at("library/texts/000001.jsonl") + ": damaged at byte";
    EXPECT_NE(message([&] { open(); }).find(where), std::string::npos);
    EXPECT_NE(message([&] { library_merge(at("library"), context()); }).find(where), std::string::npos);
    const LibraryCheckReport report = library_check(at("library"), context());
    ASSERT_EQ(report.damages.size(), 1U) << place;
    EXPECT_NE(report.damages[0].find(where), std::string::npos);
    EXPECT_NE(report.damages[0].find("library check --repair"), std::string::npos);
    const LibraryCheckReport repair = library_check(at("library"), context(), true);
    EXPECT_EQ(repair.damages, report.damages);
    EXPECT_TRUE(repair.repaired);
    EXPECT_EQ(repair.dropped, 1U);
    EXPECT_EQ(library_check(at("library"), context()).damages, std::vector<std::string>());
    EXPECT_EQ(fs::file_size(at("library/texts/000001.jsonl")), made.log.size());
    // One line was damaged, or two if the line break between them was.
    library_merge(at("library"), context());
    const std::vector<std::string> ids = ids_of_library();
    const std::vector<std::string> all = joined(made.ids);
    EXPECT_GE(ids.size() + 2, all.size());
    EXPECT_TRUE(std::ranges::includes(std::set(all.begin(), all.end()), std::set(ids.begin(), ids.end())));
    const std::unique_ptr<Seen> seen = open();  // the texts of the other documents are still in place
    for (const Page& page : pages(6, 48)) {
      const SeenAnswer answer = ask(*seen, {&page, 1})[0];
      EXPECT_TRUE(answer.verified || answer.match.empty()) << page.id;
    }
  }
}

// In a log without sync marks, all damage is reported and can be dropped.
TEST_F(TornLog, AnOlderLogIsReadAndRepaired) {
  const std::vector<Page> all = pages(9, 30);
  { ask(*open(), {}); }
  std::string log;
  std::vector<std::size_t> begins;
  for (const Page& page : all) {
    begins.push_back(log.size());
    log += known::make_text_record(page.id, page.text).line;
  }
  write("library/texts/000007.jsonl", log + "{\"texts\":1,\"che");
  EXPECT_EQ(library_stats(at("library")).waiting_documents, all.size());
  std::fill_n(log.begin() + static_cast<std::ptrdiff_t>(begins[20]) + 30, 200, '\0');
  write("library/texts/000007.jsonl", log);
  EXPECT_NE(message([&] { open(); }).find("000007.jsonl: damaged at byte " + std::to_string(begins[20])),
            std::string::npos);
  EXPECT_TRUE(library_check(at("library"), context(), true).repaired);
  library_merge(at("library"), context());
  const std::vector<std::string> ids = ids_of_library();
  EXPECT_EQ(ids.front(), all.front().id);
  EXPECT_EQ(ids.back(), all.back().id);
}

TEST(TextRecords, GoldenMark) {
  EXPECT_EQ(known::make_sync_mark(0x1234ABCD),
            "{\"texts\":2,\"checksum\":\"e49b8eb10c230748\",\"synced\":\"000000001234abcd\"}\n");
}

TEST(TextRecords, Golden) {
  const known::TextRecord record = known::make_text_record("a\"b", "line\nnext \xC3\xA4");
  EXPECT_EQ(record.line,
            "{\"texts\":1,\"checksum\":\"4cc2b6d2fda4646f\",\"id\":\"a\\\"b\",\"text\":\"line\\nnext \xC3\xA4\"}\n");
  EXPECT_EQ(record.line.substr(record.begin, record.bytes), "line\\nnext \xC3\xA4");
}

}  // namespace
}  // namespace refrain::verbs::seen
