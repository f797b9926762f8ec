// Tests for lack of memory: each allocation that the server makes for a request fails once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "faces/server/test_client.h"

namespace {

std::atomic<long> allocations_left{-1};   // allocations until one fails; negative: no allocation fails
thread_local bool always_served = false;  // set in the test's own thread, where no allocation fails

}  // namespace

// These replace the standard functions for all tests of this folder. They are not inlined, because the compiler would
// then see malloc paired with delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left.load(std::memory_order_relaxed) >= 0 && !always_served && allocations_left.fetch_sub(1) == 0)
    throw std::bad_alloc();
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// This form never fails on purpose: libraries that use it check the result themselves.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  std::free(memory);
}

namespace refrain::server {
namespace {

// An exception in an I/O thread must not end the whole server.
TEST(NoMemory, AnAllocationThatFailsEndsItsConnectionAlone) {
  always_served = true;
  std::mutex mutex;
  std::vector<std::string> logged;
  ServeOptions options;
  options.log = [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    logged.emplace_back(line);
  };
  TestServer server({}, options);
  Client witness(server);  // another connection, which must stay open
  const auto ask_witness = [&] {
    const int status = witness.ask("GET", "/healthz").status;
    // Lets the server finish waiting for the next request, so that no allocation of that step is made to fail.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return status;
  };
  ASSERT_EQ(ask_witness(), 200);
  const std::string query = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{\"text\": \"3\"}";
  const std::string missing = "GET /v1/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string pages = "GET /v1/passages HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const std::string& request : {query, missing, pages}) {
    bool failed = true;
    for (long at = 0; failed; ++at) {
      ASSERT_LT(at, 10'000);
      {
        allocations_left = at;
        Client client(server);
        client.send(request);
        client.receive();  // any outcome but silence: an answer, an error, or the end
        failed = allocations_left.exchange(-1) < 0;
      }
      ASSERT_EQ(Client(server).ask("GET", "/healthz").status, 200) << at;
    }
    ASSERT_EQ(ask_witness(), 200);
  }
  const std::lock_guard lock(mutex);
  EXPECT_FALSE(logged.empty());
  for (const std::string& line : logged) EXPECT_TRUE(line.starts_with("a connection was dropped: ")) << line;
}

}  // namespace
}  // namespace refrain::server
