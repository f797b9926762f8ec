#include "faces/server/wire/answer.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

#include "refrain/error.h"

namespace refrain::server {
namespace {

Limits small_limits() {
  Limits limits;
  limits.piece_bytes = limits.min_piece_bytes = 10;
  limits.answer_bytes = 25;
  limits.spool_bytes = 1000;
  limits.all_spools_bytes = 2000;
  return limits;
}

std::shared_ptr<MemoryShare> memory(std::size_t most = 1000) {
  return std::make_shared<MemoryShare>(most);
}

std::string numbers(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::to_string(i) + " ";
  return out;
}

// Takes pieces until there is nothing more for now.
std::string take_all(Answer& answer, Answer::Next& last) {
  std::string out;
  std::string piece;
  while ((last = answer.take(piece, 10)) == Answer::Next::piece) out += piece;
  return out;
}

TEST(Answer, ComesOutAsItWentInWhetherInMemoryOrOnDisk) {
  const Limits limits = small_limits();
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  for (const int count : {0, 1, 5, 8, 50, 200}) {
    Answer answer(limits, space, memory());
    const std::string body = numbers(count);
    answer.send({.status = 201}, body);
    EXPECT_EQ(space->held() != 0, body.size() > 25) << count;
    Answer::Next last{};
    EXPECT_EQ(take_all(answer, last), body);
    EXPECT_EQ(last, Answer::Next::ended);
    EXPECT_EQ(answer.head().status, 201U);
    EXPECT_EQ(answer.head().length, body.size());
    EXPECT_EQ(space->held(), 0U);
  }
}

TEST(Answer, IsWholeWhenBothSidesTakeTurns) {
  Limits limits = small_limits();
  limits.spool_bytes = limits.all_spools_bytes = 100'000;  // nobody takes anything while this thread writes
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  Answer answer(limits, space, memory());
  answer.begin({});
  const std::string body = numbers(2000);
  std::string got;
  std::string piece;
  std::size_t at = 0;
  for (std::size_t step = 1; at < body.size(); step = step * 7 % 61) {
    answer.write(std::string_view(body).substr(at, step));
    at += std::min(step, body.size() - at);
    for (std::size_t takes = step % 8; takes != 0; --takes) {
      if (answer.take(piece, 10) == Answer::Next::piece) got += piece;
    }
  }
  answer.end();
  Answer::Next last{};
  EXPECT_EQ(got + take_all(answer, last), body);
}

TEST(Answer, AWorkerPastAllLimitsWaitsForTheClient) {
  const Limits limits = small_limits();
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  Answer answer(limits, space, memory());
  const std::string body = numbers(5000);
  answer.begin({});
  std::thread worker([&] {
    answer.write(body);
    answer.end();
  });
  std::string got;
  Answer::Next last = Answer::Next::waiting;
  while (last != Answer::Next::ended) {
    EXPECT_LE(space->held(), limits.spool_bytes);
    got += take_all(answer, last);
    std::this_thread::yield();
  }
  worker.join();
  EXPECT_EQ(got, body);
}

TEST(Answer, AClientThatGoesStopsTheWorkerThatWaitsForIt) {
  const Limits limits = small_limits();
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  auto answer = std::make_shared<Answer>(limits, space, memory());
  answer->begin({});
  auto worker = std::async(std::launch::async, [answer] { answer->write(numbers(5000)); });
  while (space->held() < limits.spool_bytes - limits.piece_bytes) std::this_thread::yield();
  EXPECT_FALSE(answer->stop_token().stop_requested());
  answer->abandon();
  EXPECT_TRUE(answer->stop_token().stop_requested());
  EXPECT_THROW(worker.get(), Error);
  answer.reset();
  EXPECT_EQ(space->held(), 0U);
}

TEST(Answer, AClientThatTakesTooLittleLetsGoOfItsWorker) {
  Limits limits = small_limits();
  limits.max_worker_wait = std::chrono::milliseconds(150);
  Answer answer(limits, std::make_shared<SpoolSpace>("", limits.all_spools_bytes), memory());
  answer.begin({});
  EXPECT_THROW(answer.write(numbers(5000)), Error);
}

TEST(Answer, WakesAConnectionThatWaitsAndNoOther) {
  const Limits limits = small_limits();
  Answer answer(limits, std::make_shared<SpoolSpace>("", limits.all_spools_bytes), memory());
  int woken = 0;
  answer.on_wake([&] { ++woken; });
  answer.begin({});
  answer.write("a");
  EXPECT_EQ(woken, 0);
  std::string piece;
  EXPECT_EQ(answer.take(piece, 10), Answer::Next::piece);
  EXPECT_EQ(answer.take(piece, 10), Answer::Next::waiting);
  answer.write("b");
  answer.write("c");
  EXPECT_EQ(woken, 1);
  Answer::Next last{};
  EXPECT_EQ(take_all(answer, last), "bc");
  answer.end();
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(answer.take(piece, 10), Answer::Next::ended);
}

TEST(Answer, AnErrorIsAStatusOrTheLastLine) {
  const Limits limits = small_limits();
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  const Failure failure(409, "busy", "m");
  Answer::Next last{};
  Answer early(limits, space, memory());
  early.fail(failure);
  EXPECT_EQ(take_all(early, last), failure.json());
  EXPECT_EQ(early.head().status, 409U);
  Answer late(limits, space, memory());
  late.begin({});
  late.write(numbers(20));
  late.fail(failure);
  EXPECT_EQ(take_all(late, last), numbers(20) + failure.json());
  EXPECT_EQ(late.head().status, 200U);
}

// Thousands of clients that read nothing must not hold 256 KiB of memory each.
TEST(Answer, WaitsOnDiskWhenTheMemoryOfAllAnswersIsTaken) {
  const Limits limits = small_limits();
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  const auto share = memory(30);
  Answer first(limits, space, share);
  first.send({}, numbers(9));    // 18 bytes
  EXPECT_EQ(share->held(), 8U);  // the first piece reserved nothing, because the answer was still short
  Answer second(limits, space, share);
  second.send({}, numbers(10));
  EXPECT_EQ(share->held(), 18U);
  EXPECT_EQ(space->held(), 0U);
  Answer third(limits, space, share);
  third.send({}, numbers(12));
  EXPECT_GT(space->held(), 0U);
  Answer::Next last{};
  EXPECT_EQ(take_all(first, last), numbers(9));
  EXPECT_EQ(take_all(second, last), numbers(10));
  EXPECT_EQ(take_all(third, last), numbers(12));
  EXPECT_EQ(share->held(), 0U);
  EXPECT_EQ(space->held(), 0U);
}

TEST(Answer, IsNotSentBeforeItHasAHead) {
  const Limits limits = small_limits();
  const auto space = std::make_shared<SpoolSpace>("", limits.all_spools_bytes);
  const auto share = memory();
  const Failure failure(507, "over_budget", "m");
  Answer::Next last{};
  Answer good(limits, space, share);
  good.write(numbers(40));
  EXPECT_EQ(take_all(good, last), "");
  EXPECT_EQ(last, Answer::Next::waiting);
  good.begin({.length = numbers(40).size()});
  good.end();
  EXPECT_EQ(take_all(good, last), numbers(40));
  Answer bad(limits, space, share);
  bad.write(numbers(40));
  bad.fail(failure);
  EXPECT_EQ(take_all(bad, last), failure.json());
  EXPECT_EQ(bad.head().status, 507U);
  EXPECT_EQ(share->held() + space->held(), 0U);
}

}  // namespace
}  // namespace refrain::server
