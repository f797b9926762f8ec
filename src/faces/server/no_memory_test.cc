// Memory that runs out: each allocation of the server fails once, wherever it is.
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

std::atomic<long> allocations_left{-1};   // before one fails; negative: none does
thread_local bool always_served = false;  // the test's own thread

}  // namespace

// In place of the library's, for all tests of this folder. Not inlined, or the compiler pairs malloc with delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (allocations_left.load(std::memory_order_relaxed) >= 0 && !always_served && allocations_left.fetch_sub(1) == 0)
    throw std::bad_alloc();
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Libraries that ask this way are told what it returns: they do not throw.
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

// An exception in a thread that reads and writes ended the whole server.
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
  Client witness(server);  // a connection that has nothing to do with it
  const auto ask_witness = [&] {
    const int status = witness.ask("GET", "/healthz").status;
    // The server goes on to wait for its next request, which must not be what fails.
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
        client.receive();  // an answer, an error, or the end: but not nothing
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
