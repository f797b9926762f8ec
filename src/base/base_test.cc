// Tests of base: the budget, files, temporary folders, threads, progress, memory, checksums, JSON.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/temp.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/progress.h"
#include "base/threads.h"
#include "random_text.h"
#include "refrain/error.h"
#include "world.h"

namespace refrain {
namespace {

namespace fs = std::filesystem;

Context with(std::uint64_t memory, unsigned threads = 1) {
  Context context;
  context.memory_bytes = memory;
  context.threads = threads;
  return context;
}

template <class Fn>
Errc code_of(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return Errc::io;
}

class Folder : public testing::Test, public World {};
using Files = Folder;
using TempDirs = Folder;

// ---- budget

TEST(Budget, RefusesACeilingBelowTheLeast) {
  EXPECT_EQ(code_of([] { MemoryBudget budget(with(kMinMemoryBytes - 1)); }), Errc::invalid_argument);
}

TEST(Budget, RefusesThreadsThatWouldEatIt) {
  EXPECT_EQ(code_of([] { MemoryBudget budget(with(kMinMemoryBytes, 1000)); }), Errc::over_budget);
}

TEST(Budget, NamesWhatWouldBeNeeded) {
  MemoryBudget budget(with(std::uint64_t{100} << 20U));
  try {
    budget.reserve(std::uint64_t{1} << 30U, "a gigabyte of nothing");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
    EXPECT_EQ(std::string(error.what()),
              "`memory` 100 MiB: not enough for a gigabyte of nothing; needs more than 1.1 GiB");
  }
}

TEST(Budget, GivesBackWhatWasReserved) {
  MemoryBudget budget(with(kMinMemoryBytes));
  const std::uint64_t before = budget.available();
  {
    Reservation one = budget.reserve(1000, "one");
    Reservation two = std::move(one);
    two.resize(5000, "two");
    EXPECT_EQ(budget.available(), before - 5000);
    two.resize(10, "two");
    EXPECT_EQ(budget.available(), before - 10);
  }
  EXPECT_EQ(budget.available(), before);
}

TEST(Budget, KeepsOnceWhatStaysForGood) {
  Context context;
  context.memory_bytes = kMinMemoryBytes;
  context.threads = 1;
  MemoryBudget budget(context);
  const std::uint64_t available = budget.available();
  budget.keep("a", 1000, "a library");
  budget.keep("a", 1000, "a library");
  budget.keep("b", 10, "another");
  EXPECT_EQ(budget.kept(), 1010U);
  EXPECT_EQ(budget.available(), available - 1010);
  EXPECT_THROW(budget.keep("c", available, "one that is too large"), Error);
  EXPECT_EQ(budget.kept(), 1010U);
}

TEST(Budget, IsNeverOverdrawnByManyThreads) {
  MemoryBudget budget(with(kMinMemoryBytes, 4));
  const std::uint64_t share = budget.available() / 10;
  std::atomic<int> held{0};
  std::atomic<int> most{0};
  run_workers(4, [&](unsigned /*worker*/) {
    for (int i = 0; i < 2000; ++i) {
      try {
        const Reservation reservation = budget.reserve(share, "a share");
        const int now = ++held;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        --held;
      } catch (const Error&) {
      }
    }
  });
  EXPECT_LE(most, 10);
}

TEST(Budget, DefaultIsAtMostHalfOfTheMachine) {
  EXPECT_GE(default_memory_bytes(), kMinMemoryBytes);
  EXPECT_LE(default_memory_bytes(), static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                        static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 2);
}

TEST(HumanBytes, ReadLikeAPersonWouldWriteThem) {
  EXPECT_EQ(human_bytes(7), "7 bytes");
  EXPECT_EQ(human_bytes(12 << 10), "12.0 KiB");
  EXPECT_EQ(human_bytes(640 << 20), "640 MiB");
  EXPECT_EQ(human_bytes((640 << 20) + 1), "641 MiB");
  EXPECT_EQ(human_bytes((12 << 10) + 1), "12.1 KiB");
  EXPECT_EQ(human_bytes(std::uint64_t{3} << 29U), "1.5 GiB");
}

// ---- threads

TEST(Threads, HandTheFirstExceptionToTheCaller) {
  EXPECT_EQ(code_of([] {
              run_workers(4, [](unsigned worker) {
                if (worker == 2) throw Error(Errc::corrupt, "two");
              });
            }),
            Errc::corrupt);
}

TEST(Threads, ParallelForDoesEveryItemOnce) {
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_for(threads, done.size(), [&](unsigned worker, std::size_t item) {
      EXPECT_LT(worker, threads);
      ++done[item];
    });
    for (const auto& times : done) ASSERT_EQ(times, 1);
  }
  parallel_for(4, 0, [](unsigned, std::size_t) { FAIL(); });
}

TEST(Threads, ParallelForBeginsNothingNewAfterAnException) {
  std::atomic<std::size_t> done{0};
  EXPECT_EQ(code_of([&] {
              parallel_for(2, 1'000'000, [&](unsigned, std::size_t item) {
                if (item == 10) throw Error(Errc::io, "ten");
                ++done;
              });
            }),
            Errc::io);
  EXPECT_LT(done, 1'000'000U);
}

TEST(Progress, ReportsTheEndAndStopsWhenAsked) {
  std::stop_source stop;
  Context context;
  context.stop = stop.get_token();
  std::uint64_t last = 0;
  context.progress = [&](const ProgressUpdate& update) {
    EXPECT_EQ(update.stage, "count");
    EXPECT_EQ(update.total, 10U);
    last = update.done;
  };
  Progress progress(context, "count", "things", 10);
  for (int i = 0; i < 10; ++i) progress.add(1);
  progress.finish();
  EXPECT_EQ(last, 10U);
  stop.request_stop();
  EXPECT_EQ(code_of([&] { progress.add(1); }), Errc::interrupted);
}

// ---- files

TEST_F(Files, AtomicFileAppearsWholeOrNotAtAll) {
  const std::string target = at("result");
  {
    AtomicFile file(target);
    file.out().write("half");
    file.out().flush();
    EXPECT_FALSE(fs::exists(target));
  }
  EXPECT_TRUE(fs::is_empty(folder()));
  AtomicFile file(target);
  file.out().write("whole");
  file.commit();
  EXPECT_EQ(read_file(target), "whole");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), {}), 1);
}

TEST_F(Files, AFileThatIsReplacedIsAtNoTimeOpenToMore) {
  const auto mode_of = [](const fs::path& path) { return fs::status(path).permissions() & fs::perms::all; };
  const std::string target = at("result");
  std::ofstream(target) << "secret";
  const mode_t old_mask = umask(0);
  for (const auto mode : {fs::perms::owner_read | fs::perms::owner_write, fs::perms::owner_all, fs::perms::all}) {
    const std::string aside = at("aside");
    ASSERT_TRUE(OutputFile::create_new(aside, static_cast<unsigned>(mode)));
    EXPECT_EQ(mode_of(aside), mode);
    fs::remove(aside);
    fs::permissions(target, mode);
    AtomicFile file(target);
    file.commit();
    EXPECT_EQ(mode_of(target), mode);
  }
  umask(old_mask);
}

TEST_F(Files, OutputCountsAndWritesEverything) {
  const std::string big(1'000'000, 'b');
  OutputFile out(at("out"));
  out.write("a");
  out.write(big);
  out.write_decimal(18446744073709551615U);
  out.close();
  EXPECT_EQ(out.bytes(), 1'000'021U);
  EXPECT_EQ(read_file(at("out")), "a" + big + "18446744073709551615");
}

TEST_F(Files, AFullDiskIsALimitNotAFailure) {
  OutputFile full("/dev/full");
  full.write("x");
  EXPECT_EQ(code_of([&] { full.flush(); }), Errc::over_budget);
}

TEST_F(Files, WhatCannotBeOpenedIsNamed) {
  EXPECT_EQ(code_of([&] { InputFile file(at("nothing")); }), Errc::not_found);
  EXPECT_EQ(code_of([&] { InputFile file(folder().string()); }), Errc::not_found);
  EXPECT_EQ(code_of([&] { OutputFile file(at("no/such/folder")); }), Errc::io);
}

TEST(Checksum, IsStable) {
  EXPECT_EQ(checksum(""), 0x2d06800538d394c2U);
  EXPECT_NE(checksum("refrain"), checksum("refraim"));
}

// ---- temporary folders

TEST_F(TempDirs, AreGoneWithAllTheyHold) {
  fs::path where;
  {
    const TempDir temp(folder(), "work");
    where = temp.path();
    fs::create_directories(where / "deep" / "er");
    std::ofstream(where / "deep" / "file") << "x";
  }
  EXPECT_FALSE(fs::exists(where));
}

TEST_F(TempDirs, OfTheDeadAreRemovedAndOfTheLivingAreNot) {
  const TempDir living(folder(), "work");
  const fs::path foreign = at("work-of-somebody-else");
  fs::create_directory(foreign);
  fs::path dead;
  const pid_t child = fork();
  if (child == 0) {
    auto* abandoned = new TempDir(folder(), "work");
    static_cast<void>(abandoned);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  dead = at("work.partial-refrain-" + std::to_string(child) + "-0");
  ASSERT_TRUE(fs::exists(dead));
  const TempDir next(folder(), "work");
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(living.path()));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST(StagingNames, AreKnown) {
  EXPECT_TRUE(is_staging_name(".out.partial-refrain-12-0"));
  for (const char* name :
       {"out.partial-refrain-12-0", ".out.partial-refrain-", ".out.partial-refrain-x", ".out.partial-12-0",
        ".out.partial-2024-01-05", ".out.partial-refrain-012-0", ".out.partial-refrain-12-1000",
        ".out.partial-refrain-12", ".out.partial-refrain-12-0.txt", ".out.partial-refrain-99999999999-0"})
    EXPECT_FALSE(is_staging_name(name)) << name;
}

TEST_F(TempDirs, CanBePublished) {
  const fs::path target = at("target");
  {
    TempDir temp(folder(), "work");
    std::ofstream(temp.path() / "file") << "x";
    temp.publish(target);
  }
  EXPECT_EQ(read_file((target / "file").string()), "x");
}

// ---- JSON

TEST(RssWatch, SeesWhatWasHeldSinceItWasLastAsked) {
  RssWatch watch;
  const std::uint64_t before = watch.take();
  EXPECT_GT(before, 0U);
  {
    // Mapped straight from the system and unmapped again, because the allocator may keep what is freed.
    constexpr std::size_t kBytes = std::size_t{64} << 20U;
    void* const held = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(held, MAP_FAILED);
    std::memset(held, 'x', kBytes);
    // The watch's thread samples on its own.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (watch.most() < before + (std::uint64_t{56} << 20U) && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    munmap(held, kBytes);
  }
  EXPECT_GE(watch.take(), before + (std::uint64_t{56} << 20U));
  EXPECT_LT(watch.take(), before + (std::uint64_t{56} << 20U));
}

// Both versions of control groups; the limit is the least of a group and those above it.
TEST(ControlGroups, GrantMemoryAndCpus) {
  World unified;
  const std::string root = unified.folder().string();
  EXPECT_EQ(cgroup_cpus(root), UINT64_MAX);
  unified.write("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(cgroup_cpus(root), UINT64_MAX);
  unified.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_cpus(root), UINT64_MAX);
  unified.write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(cgroup_cpus(root), 3U);
  unified.write("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_cpus(root), 1U);
  EXPECT_EQ(cgroup_memory_bytes(root), UINT64_MAX);
  unified.write("sys/fs/cgroup/a/b/memory.max", "max\n");
  unified.write("sys/fs/cgroup/memory.max", "1000000\n");
  EXPECT_EQ(cgroup_memory_bytes(root), 1000000U);

  World old;
  const std::string old_root = old.folder().string();
  old.write("proc/self/cgroup", "4:memory:/m\n2:cpuacct,cpu:/c\n1:cpuset:/x\n");
  old.write("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "-1\n");
  old.write("sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpus(old_root), UINT64_MAX);
  old.write("sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(cgroup_cpus(old_root), 4U);
  old.write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "77\n");
  EXPECT_EQ(cgroup_memory_bytes(old_root), 77U);
}

TEST(ChecksumAt, OfPartsHoweverCutAddsUpToThatOfTheWhole) {
  const std::string bytes = random_text(3001, 26, 7);
  const std::uint64_t whole = checksum_at(0, bytes);
  std::mt19937 random(5);
  for (unsigned round = 0; round < 200; ++round) {
    std::uint64_t sum = 0;
    for (std::size_t begin = 0; begin < bytes.size();) {
      const std::size_t size = std::min<std::size_t>(random() % (round % 3 == 0 ? 3 : 300), bytes.size() - begin);
      sum += checksum_at(begin, std::string_view(bytes).substr(begin, size));
      begin += size;
    }
    ASSERT_EQ(sum, whole) << "round " << round;
  }
  EXPECT_EQ(checksum_at(77, ""), 0U);
}

TEST(ChecksumAt, NoticesEveryChangedByteAndEveryTwoThatChangedPlaces) {
  const std::string bytes = random_text(300, 26, 9);
  const std::uint64_t whole = checksum_at(0, bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string other = bytes;
      other[i] = static_cast<char>(other[i] ^ 1 << bit);
      EXPECT_NE(checksum_at(0, other), whole);
    }
    std::string other = bytes;
    std::swap(other[i], other[(i + 64) % other.size()]);
    EXPECT_EQ(checksum_at(0, other) == whole, other == bytes);
  }
}

TEST(Json, IsWrittenInOrderAndIndented) {
  JsonWriter json;
  json.begin_object().field("a", 1).field("b", "x\"\n").key("c").begin_array().value(true).value(0.5).end_array();
  json.key("d").begin_array().end_array().key("e").begin_object().end_object().end_object();
  EXPECT_EQ(std::move(json).take(),
            "{\n  \"a\": 1,\n  \"b\": \"x\\\"\\n\",\n  \"c\": [\n    true,\n    0.5\n  ],\n  \"d\": [],\n  \"e\": "
            "{}\n}\n");
}

TEST(Json, EscapesAreShortWhereJsonHasShortOnes) {
  EXPECT_EQ(json_text("\"\\/\b\f\n\r\t"), R"("\"\\/\b\f\n\r\t")");
  EXPECT_EQ(json_text(std::string_view("\0\v\x1F\x7F", 4)), R"("\u0000\u000b\u001f\u007f")");
}

TEST(Json, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(json_text("a\xFFé\xC3"), "\"a\xEF\xBF\xBDé\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace refrain
