// One question that all threads answer: the same as one thread does, whatever fails on the way.
#include "verbs/index/query/crew.h"

#include <gtest/gtest.h>

#include <atomic>
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
  // Phrases that a question is made of, and documents that hold a few each, with every tenth word another one.
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
  static std::vector<double> scores(const std::vector<Passage>& passages) {
    std::vector<double> scores;
    for (const Passage& passage : passages)
      for (const Occurrence& occurrence : passage.occurrences) scores.push_back(occurrence.score);
    return scores;
  }

  std::mt19937_64 random_{7};
  std::string question_;
  std::vector<std::string> texts_;
};

TEST_F(QueryCrew, AnswersAsOneThreadDoes) {
  const TestIndex index(texts_);
  for (const Edits edits : {Edits::none, Edits::light, Edits::heavy}) {
    std::vector<Passage> expected;
    const QueryReport alone = index.query(asking(edits), expected, 1);
    ASSERT_GT(expected.size(), Crew::kItemsAWorker * 2) << "too few for a crew";
    index.on_any_threads(asking(edits), [&](const QueryReport& report, const std::vector<Passage>& passages) {
      EXPECT_EQ(passages, expected);
      EXPECT_EQ(scores(passages), scores(expected));
      EXPECT_EQ(report.compared, alone.compared);
    });
  }
}

TEST_F(QueryCrew, NamesTheChangedDocumentsAsOneThreadDoes) {
  const TestIndex index(texts_);
  for (std::size_t i = 0; i < texts_.size(); i += 3) index.write(index.path(i), texts_[i] + "!");
  std::vector<Passage> expected;
  const QueryReport alone = index.query(asking(Edits::light), expected, 1);
  EXPECT_GT(alone.changed_documents, 20U);
  index.on_any_threads(asking(Edits::light), [&](const QueryReport& report, const std::vector<Passage>& passages) {
    EXPECT_EQ(passages, expected);
    EXPECT_EQ(report.changed_documents, alone.changed_documents);
    ASSERT_EQ(report.changed.size(), alone.changed.size());
    for (std::size_t i = 0; i < report.changed.size(); ++i) {
      EXPECT_EQ(report.changed[i].id, alone.changed[i].id);
      EXPECT_EQ(report.changed[i].reason, alone.changed[i].reason);
    }
  });
}

TEST_F(QueryCrew, TakesIdleThreadsAndGivesThemBack) {
  const TestIndex index({"one text"});
  Snapshot snapshot(index.path());
  IdleThreads idle(4);
  {
    Crew crew(snapshot, idle);  // which is one of them
    Crew other(snapshot, idle);
    std::vector<std::atomic<int>> done(200);
    std::atomic<unsigned> highest{0};
    crew.run(done.size(), [&](unsigned worker, Snapshot& used, std::size_t item) {
      EXPECT_EQ(&used == &snapshot, worker == 0);
      ++done[item];
      for (unsigned seen = highest; seen < worker && !highest.compare_exchange_weak(seen, worker);) continue;
    });
    for (const std::atomic<int>& count : done) EXPECT_EQ(count, 1);
    EXPECT_LE(highest, 2U);
    EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 2U);
  }
  EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 4U);
  EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 4U) << "the first ones were not given back";
}

TEST_F(QueryCrew, FewItemsAreLeftToOneThread) {
  const TestIndex index({"one text"});
  Snapshot snapshot(index.path());
  IdleThreads idle(8);
  Crew crew(snapshot, idle);
  crew.run(2 * Crew::kItemsAWorker - 1, [](unsigned worker, Snapshot&, std::size_t) { EXPECT_EQ(worker, 0U); });
}

TEST_F(QueryCrew, HandsOnWhatAWorkerThrows) {
  const TestIndex index({"one text"});
  Snapshot snapshot(index.path());
  IdleThreads idle(4);
  Crew crew(snapshot, idle);
  const auto fails = [](unsigned, Snapshot&, std::size_t item) {
    if (item == 77) throw Error(Errc::io, "a disk");
  };
  EXPECT_THROW(crew.run(100, fails), Error);
  EXPECT_EQ(IdleThreads::Taken(idle, 9).count(), 3U);
}

}  // namespace
}  // namespace refrain::verbs::index
