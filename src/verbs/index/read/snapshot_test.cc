// Readers run alongside a writer: every answer is consistent with a single commit.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "refrain/error.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"
#include "world.h"

namespace refrain::verbs::index {
namespace {

constexpr int kReaders = 8;
constexpr int kPairs = 12;
constexpr int kSteps = 60;
constexpr int kLeastAnswers = 20;  // per reader

// Both documents of a pair have the same text, which is the same every time they are added.
std::string text_of(int pair) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "w" + std::to_string(pair) + "x" + std::to_string(i % 50) + " ";
  return text;
}
std::string id_of(int pair, char which) {
  return std::to_string(pair) + which;
}

// Whether the ids form complete pairs.
bool are_pairs(const std::set<std::string>& ids) {
  for (std::string id : ids) {
    id.back() = id.back() == 'a' ? 'b' : 'a';
    if (!ids.contains(id)) return false;
  }
  return true;
}

class Collect : public PassageSink {
 public:
  void begin(const PassageHead& /*head*/) override {}
  void occurrence(const Occurrence& occurrence) override { ids.insert(occurrence.id); }
  void end() override {}
  std::set<std::string> ids;
};

// The documents that hold the current blot.
std::set<std::string> ids_of(Snapshot::Blots& blots, Snapshot& snapshot) {
  std::set<std::string> ids;
  for (auto blocks = blots.blocks(); !blocks.empty(); blocks = blots.blocks())
    for (const std::uint64_t block : blocks) ids.insert(snapshot.id(snapshot.document_at(block)));
  return ids;
}

class IndexSnapshot : public testing::Test, public World {
 protected:
  void SetUp() override {
    create_index({path, InputOptions{.paths = {write("empty.jsonl", "")}}, {.blot_bits = 16, .shards = 2}}, context);
  }

  const std::string path = at("index");
  const Context context{.memory_bytes = std::uint64_t{64} << 20U, .threads = 1};
};

TEST_F(IndexSnapshot, CanBeClonedWhenItsFilesAreGone) {
  Index index(path);
  index.add({{"a", text_of(1)}, {"b", text_of(1)}}, false, context);
  index.add({{"c", text_of(2)}}, false, context);
  const Snapshot before(path);
  index.remove({"a", "c"}, context);
  index.merge(context);
  const std::unique_ptr<Snapshot> clone = before.clone();
  EXPECT_EQ(clone->live(), 3U);
  EXPECT_EQ(clone->text(0), text_of(1));
  EXPECT_EQ(clone->text(2), text_of(2));
  EXPECT_EQ(clone->find("c"), DocId{2});
  std::set<std::string> ids;
  for (Snapshot::Blots blots(*clone, 0, std::uint64_t{1} << 16U); blots.next();) ids.merge(ids_of(blots, *clone));
  EXPECT_EQ(ids, (std::set<std::string>{"a", "b", "c"}));
}

TEST_F(IndexSnapshot, OpensTheFileOfItsDocumentsOnceWhileItHoldsIt) {
  const std::string lines =
      write("in.jsonl", "{\"text\": \"" + text_of(1) + "\"}\n{\"text\": \"" + text_of(2) + "\"}\n");
  create_index({at("lines"), InputOptions{.paths = {lines}}, {}}, context);
  Snapshot snapshot(at("lines"));
  {
    MemoryBudget budget(context);
    const std::uint64_t before = budget.reserved();
    Snapshot::Holding holding(snapshot);
    EXPECT_EQ(budget.reserved(), before);
    holding.hold_pages(budget, 1);
    EXPECT_GT(budget.reserved(), before);
    EXPECT_EQ(snapshot.text(0), text_of(1));
    std::filesystem::remove(lines);
    EXPECT_EQ(snapshot.text(1), text_of(2));
  }
  EXPECT_THROW(snapshot.text(0), Error);
}

TEST_F(IndexSnapshot, ReadersBesideAWriterSeeWholeCommits) {
  Index index(path);
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  std::atomic<int> some{0};  // answers that contained a pair
  const auto expect = [&](bool holds, const char* what) {
    if (holds) return;
    ++failures;
    ADD_FAILURE() << what;
  };
  const auto read = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int answers = 0; answers < kLeastAnswers || !done.load(); ++answers) {
      const int pair = static_cast<int>(random() % kPairs);
      switch (random() % 4) {
        case 0: {
          Collect found;
          index.query({.documents = {{"q", text_of(pair)}}, .limits = {}}, context, found);
          expect(found.ids.empty() || found.ids == std::set{id_of(pair, 'a'), id_of(pair, 'b')}, "query");
          if (!found.ids.empty()) ++some;
          break;
        }
        case 1: {
          Snapshot snapshot(path);
          const std::optional<DocId> a = snapshot.find(id_of(pair, 'a'));
          const std::optional<DocId> b = snapshot.find(id_of(pair, 'b'));
          expect(a.has_value() == b.has_value(), "find");
          if (a && b) {
            expect(snapshot.text(*a) == text_of(pair) && snapshot.text(*b) == text_of(pair), "text");
            ++some;
          }
          break;
        }
        case 2: {
          Snapshot snapshot(path);
          for (Snapshot::Blots blots(snapshot, 0, std::uint64_t{1} << 16U); blots.next();) {
            const std::set<std::string> ids = ids_of(blots, snapshot);
            expect(!ids.empty() && are_pairs(ids), "blots");
          }
          break;
        }
        default: {
          Collect found;
          index.extract({}, context, found);
          expect(are_pairs(found.ids), "extract");
        }
      }
    }
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i)
    readers.emplace_back([&, i] {
      try {
        read(static_cast<unsigned>(i));
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    });

  std::mt19937 random(99);
  std::set<int> there;
  for (int step = 0; step < kSteps; ++step) {
    const int pair = static_cast<int>(random() % kPairs);
    if (step % 10 == 9) {
      index.merge(context);
    } else if (there.contains(pair) && random() % 2 == 0) {
      EXPECT_EQ(index.remove({id_of(pair, 'a'), id_of(pair, 'b')}, context).removed, 2U);
      there.erase(pair);
    } else {
      index.add({{id_of(pair, 'a'), text_of(pair)}, {id_of(pair, 'b'), text_of(pair)}}, true, context);
      there.insert(pair);
    }
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_GT(some.load(), 0);
  EXPECT_EQ(Snapshot(path).live(), 2 * there.size());
  EXPECT_EQ(check_index(path, false, context).damages, std::vector<std::string>());
}

}  // namespace
}  // namespace refrain::verbs::index
