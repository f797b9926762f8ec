// A query that all threads answer gives the same result as on one thread, whatever fails on the way.
#include "verbs/index/query/query_workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "refrain/error.h"
#include "verbs/index/query/query.h"
#include "verbs/index/test_index.h"

namespace refrain::verbs::index {
namespace {

class QueryCrew : public testing::Test {
 protected:
  // Makes a query of many phrases, and documents that contain a few each, with every tenth word replaced.
  QueryCrew() {
    Words question;
    std::vector<Words> phrases;
    for (std::size_t i = 0; i < 60; ++i) {
      phrases.push_back(random_words(random_, 40, 1000000));
      append(question, phrases.back());
    }
    question_ = join(question);
    for (std::size_t i = 0; i < 120; ++i) {
      Words text = random_words(random_, 300, 1000000);
      for (std::size_t k = 0; k < 4; ++k) {
        Words noisy = phrases[random_() % phrases.size()];
        for (std::string& word : noisy)
          if (random_() % 10 == 0) word = "other";
        append(text, noisy);
        append(text, random_words(random_, 30, 1000000));
      }
      texts_.push_back(join(text));
    }
  }
  QueryOptions asking(Edits edits) const {
    QueryOptions options;
    options.documents = {{"query", question_}};
    options.limits.edits = edits;
    options.limit = 0;
    return options;
  }
  static std::vector<double> figures(const std::vector<Passage>& passages) {
    std::vector<double> figures;
    for (const Passage& passage : passages) {
      figures.push_back(passage.head.score);
      for (const Occurrence& occurrence : passage.occurrences)
        figures.insert(figures.end(), {occurrence.score, occurrence.query_share, occurrence.document_share});
    }
    return figures;
  }
  // Expects the same result on any number of threads as on one.
  static void expect_the_same(const TestIndex& index, const QueryOptions& options, QueryReport& alone,
                              std::vector<Passage>& expected) {
    alone = index.query(options, expected, 1);
    index.on_any_threads(options, [&](const QueryReport& report, const std::vector<Passage>& passages) {
      EXPECT_EQ(passages, expected);
      EXPECT_EQ(figures(passages), figures(expected));
      EXPECT_EQ(report.compared, alone.compared);
      EXPECT_EQ(report.cursor, alone.cursor);
      EXPECT_EQ(report.changed_documents, alone.changed_documents);
      ASSERT_EQ(report.changed.size(), alone.changed.size());
      for (std::size_t i = 0; i < report.changed.size(); ++i) {
        EXPECT_EQ(report.changed[i].id, alone.changed[i].id);
        EXPECT_EQ(report.changed[i].reason, alone.changed[i].reason);
      }
    });
  }

  std::mt19937_64 random_{7};
  std::string question_;
  std::vector<std::string> texts_;
};

TEST_F(QueryCrew, AnswersAsOneThreadDoes) {
  const TestIndex index(texts_);
  for (const Edits edits : {Edits::none, Edits::light, Edits::heavy}) {
    QueryOptions options = asking(edits);
    for (options.limit = 0; options.limit < 40; options.limit += 20) {
      QueryReport alone;
      std::vector<Passage> expected;
      expect_the_same(index, options, alone, expected);
      if (options.limit == 0) {
        ASSERT_GT(expected.size(), QueryWorkers::kItemsPerWorker * 2) << "too few for a crew";
      }
    }
  }
}

TEST_F(QueryCrew, NamesTheChangedDocumentsAsOneThreadDoes) {
  for (const Edits edits : {Edits::light, Edits::heavy}) {
    const TestIndex index(texts_);
    // A third of the documents are longer now; in another third, one word has changed, far from the first phrase.
    for (std::size_t i = 0; i < texts_.size(); i += 3) index.write(index.path(i), texts_[i] + "!");
    for (std::size_t i = 1; i < texts_.size(); i += 3) {
      std::string text = texts_[i];
      text.back() = '!';
      index.write(index.path(i), text);
    }
    QueryReport alone;
    std::vector<Passage> expected;
    expect_the_same(index, asking(edits), alone, expected);
    EXPECT_GT(alone.changed_documents, 20U);
    EXPECT_GT(expected.size(), QueryWorkers::kItemsPerWorker * 2) << "too few for a crew";
  }
}

// If there is enough memory for one thread, there is enough for all.
TEST_F(QueryCrew, TakesNoMoreMemoryThanThereIs) {
  const TestIndex index(texts_);
  const QueryOptions options = asking(Edits::light);
  const auto answer = [&](std::uint64_t memory, unsigned threads) -> std::optional<std::vector<Passage>> {
    Snapshot snapshot(index.path());
    KeptPassages kept;
    try {
      query_index(snapshot, options, {.memory_bytes = memory, .threads = threads}, kept);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::over_budget) << error.what();
      return std::nullopt;
    }
    return kept.passages;
  };
  const auto expected = answer(0, 1);
  ASSERT_TRUE(expected);
  for (const unsigned threads : {1U, 2U, 4U}) EXPECT_EQ(answer(kMinMemoryBytes, threads), expected) << threads;
}

TEST_F(QueryCrew, TakesIdleThreadsAndGivesThemBack) {
  const TestIndex index({"one text"});
  Snapshot snapshot(index.path());
  IdleThreads idle(4);
  {
    QueryWorkers query_workers(snapshot, idle);  // counts as one of them
    QueryWorkers other(snapshot, idle);
    std::vector<std::atomic<int>> done(200);
    std::atomic<unsigned> highest{0};
    query_workers.run(done.size(), [&](unsigned worker, Snapshot& used, std::size_t item) {
      EXPECT_EQ(&used == &snapshot, worker == 0);
      EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 0U);
      ++done[item];
      for (unsigned seen = highest; seen < worker && !highest.compare_exchange_weak(seen, worker);) continue;
    });
    for (const std::atomic<int>& count : done) EXPECT_EQ(count, 1);
    EXPECT_LE(highest, 2U);
    const IdleThreads::Taken again(idle);  // a thread whose place was taken
    EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 1U);
  }
  {
    const QueryWorkers query_workers(snapshot, idle);
    const QueryWorkers other(snapshot, idle);
    EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 2U);
  }
  EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 4U);
  EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 4U) << "the first ones were not given back";
}

TEST_F(QueryCrew, FewItemsAreLeftToOneThread) {
  const TestIndex index({"one text"});
  Snapshot snapshot(index.path());
  IdleThreads idle(8);
  QueryWorkers query_workers(snapshot, idle);
  query_workers.run(2 * QueryWorkers::kItemsPerWorker - 1,
                    [](unsigned worker, Snapshot&, std::size_t) { EXPECT_EQ(worker, 0U); });
}

TEST_F(QueryCrew, HandsOnWhatAWorkerThrows) {
  const TestIndex index({"one text"});
  Snapshot snapshot(index.path());
  IdleThreads idle(4);
  QueryWorkers query_workers(snapshot, idle);
  const auto fails = [](unsigned, Snapshot&, std::size_t item) {
    if (item == 77) throw Error(Errc::io, "a disk");
  };
  EXPECT_THROW(query_workers.run(100, fails), Error);
  EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 3U);
}

}  // namespace
}  // namespace refrain::verbs::index
