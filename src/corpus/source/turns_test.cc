// Simulates the rules of turns.h with workers whose time is a number. Without a clock, the result is the same
// everywhere.
#include "corpus/source/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <vector>

namespace refrain::corpus {
namespace {

// Times are in microseconds.
struct File {
  std::uint64_t pieces = 1;
  std::uint64_t read = 50;  // per piece
  std::uint64_t work = 3000;
  std::uint64_t result_bytes = 6000;
  bool ranged = true;  // otherwise compressed: a piece is read after the previous one
  unsigned slow = 0;   // one in `slow` pieces takes thirty times as long
  std::uint64_t work_on(std::uint64_t piece) const { return slow != 0 && piece % slow == slow - 1 ? 30 * work : work; }
};

struct SimulationResult {
  std::uint64_t makespan = 0;
  std::uint64_t most_bytes = 0;  // that waited
  std::vector<PieceId> booked;
};

class Simulation {
 public:
  Simulation(const std::vector<File>& files, unsigned workers, const Turns::Limits& limits)
      : files_(files), turns_(limits), idle_(workers) {
    std::iota(idle_.begin(), idle_.end(), 0U);
    std::reverse(idle_.begin(), idle_.end());
  }

  SimulationResult run() {
    wake();
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.time;
      event.read ? read_done(event) : done(event);
      wake();
    }
    played_.makespan = now_;
    return played_;
  }

 private:
  struct Event {
    std::uint64_t time;
    std::uint64_t number;  // events at the same time occur in the order of creation
    bool read;
    unsigned worker;
    PieceId piece;
    bool operator>(const Event& other) const { return std::pair(time, number) > std::pair(other.time, other.number); }
  };

  void at(std::uint64_t time, bool read, unsigned worker, PieceId piece) {
    events_.push({time, events_made_++, read, worker, piece});
  }

  void wake() {
    while (!idle_.empty()) {
      std::optional<PieceId> piece = turns_.claim();
      if (!piece && opened_ < files_.size() && turns_.may_open()) {
        ++opened_;
        piece = turns_.open(false);
      }
      if (!piece) return;
      at(now_ + files_[piece->first].read, true, idle_.back(), *piece);
      idle_.pop_back();
    }
  }

  void read_done(const Event& event) {
    const File& file = files_[event.piece.first];
    if (!file.ranged)
      turns_.read_done(event.piece, event.piece.second + 1 == file.pieces);
    else if (event.piece.second == 0)
      turns_.read_done_of(event.piece, file.pieces);
    at(now_ + file.work_on(event.piece.second), false, event.worker, event.piece);
  }

  void done(const Event& event) {
    turns_.hand_in(files_[event.piece.first].result_bytes);
    waiting_.insert(event.piece);
    played_.most_bytes = std::max(played_.most_bytes, turns_.waiting_bytes());
    while (waiting_.erase(turns_.turn()) != 0) {
      const PieceId piece = turns_.turn();
      played_.booked.push_back(piece);
      const File& file = files_[piece.first];
      turns_.booked(file.result_bytes, piece.second + 1 == file.pieces);
    }
    idle_.push_back(event.worker);
  }

  const std::vector<File>& files_;
  Turns turns_;
  std::vector<unsigned> idle_;
  std::size_t opened_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t events_made_ = 0;
  std::uint64_t now_ = 0;
  std::set<PieceId> waiting_;
  SimulationResult played_;
};

std::vector<PieceId> all_pieces(const std::vector<File>& files) {
  std::vector<PieceId> pieces;
  for (std::size_t f = 0; f < files.size(); ++f)
    for (std::uint64_t p = 0; p < files[f].pieces; ++p) pieces.emplace_back(f, p);
  return pieces;
}

// A lower bound for the time of any schedule: all work divided among all workers, the longest file that must be read
// piece by piece, or the longest piece.
std::uint64_t ideal(const std::vector<File>& files, unsigned workers) {
  std::uint64_t total = 0;
  std::uint64_t longest = 0;
  for (const File& file : files) {
    std::uint64_t last = 0;
    for (std::uint64_t p = 0; p < file.pieces; ++p) {
      total += file.read + file.work_on(p);
      last = std::max(last, file.work_on(p));
    }
    longest =
        std::max(longest, file.ranged ? file.read + last : file.read * file.pieces + file.work_on(file.pieces - 1));
  }
  return std::max((total + workers - 1) / workers, longest);
}

const Turns::Limits kSmall{.workers = 16, .waiting = 65536, .bytes = std::uint64_t{64} << 20};  // fingerprints
const Turns::Limits kTexts{.workers = 16, .waiting = 18, .bytes = UINT64_MAX};                  // whole texts

std::vector<File> files_of(std::size_t count, std::uint64_t pieces, const File& like) {
  std::vector<File> files(count, like);
  for (File& file : files) file.pieces = pieces;
  return files;
}

TEST(Turns, SixteenWorkersAreNeverIdleOnFilesOfLines) {
  for (const Turns::Limits& limits : {kSmall, kTexts})
    for (const auto& files : {files_of(1, 8000, {}), files_of(8, 1000, {}), files_of(400, 20, {}),
                              files_of(8, 1000, {.work = 300}), files_of(3, 2000, {.slow = 100})}) {
      if (limits.waiting == kTexts.waiting && files.front().slow != 0) continue;  // there is no room to run ahead
      const SimulationResult played = Simulation(files, 16, limits).run();
      EXPECT_EQ(played.booked, all_pieces(files));
      EXPECT_LE(static_cast<double>(played.makespan), 1.15 * static_cast<double>(ideal(files, 16)))
          << files.size() << " files, " << limits.waiting << " may wait";
    }
}

TEST(Turns, SixteenWorkersAreNeverIdleOnCompressedFilesWhereResultsAreSmall) {
  for (const auto& files :
       {files_of(8, 1000, {.read = 1200, .ranged = false}), files_of(400, 20, {.read = 1200, .ranged = false}),
        files_of(16, 500, {.read = 3000, .work = 1000, .ranged = false})}) {
    const SimulationResult played = Simulation(files, 16, kSmall).run();
    EXPECT_EQ(played.booked, all_pieces(files));
    EXPECT_LE(static_cast<double>(played.makespan), 1.15 * static_cast<double>(ideal(files, 16))) << files.size();
  }
}

// If the slot whose turn it is could not continue, all workers but one would stop when few pieces may wait.
TEST(Turns, AFullWaitingRoomStopsNobodyFromReadingTheSlotWhoseTurnItIs) {
  Turns turns({.workers = 4, .waiting = 1, .bytes = UINT64_MAX});
  const PieceId first = turns.open(false);
  turns.read_done_of(first, 10);
  const PieceId other = turns.open(false);
  turns.read_done_of(other, 10);
  turns.hand_in(1);
  ASSERT_TRUE(turns.is_full());
  EXPECT_FALSE(turns.may_open());
  for (std::uint64_t piece = 1; piece < 8; ++piece) EXPECT_EQ(turns.claim(), (PieceId{0, piece}));
  EXPECT_EQ(turns.claim(), std::nullopt);  // too far ahead of its turn
}

TEST(Turns, AnyInputAndAnyNumberOfWorkersComesToItsEndInOrderAndInBoundedMemory) {
  std::mt19937 random(11);
  for (unsigned round = 0; round < 300; ++round) {
    const unsigned workers = round % 10 == 0 ? 1 : 1 + random() % 256;
    std::vector<File> files(1 + random() % 40);
    std::uint64_t largest = 0;
    for (File& file : files) {
      file = {.pieces = 1 + random() % (random() % 4 == 0 ? 300 : 5),
              .read = 1 + random() % 2000,
              .work = 1 + random() % 5000,
              .result_bytes = random() % 100000,
              .ranged = random() % 2 == 0,
              .slow = random() % 3 == 0 ? 2 + static_cast<unsigned>(random() % 50) : 0};
      largest = std::max(largest, file.result_bytes);
    }
    const Turns::Limits limits{.workers = workers, .waiting = 1 + random() % 300, .bytes = 1 + random() % 5000000};
    const SimulationResult played = Simulation(files, workers, limits).run();
    ASSERT_EQ(played.booked, all_pieces(files)) << "round " << round;
    EXPECT_LE(played.most_bytes, limits.bytes + 3 * std::uint64_t{workers} * largest) << "round " << round;
  }
}

}  // namespace
}  // namespace refrain::corpus
