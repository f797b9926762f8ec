// The metrics of the server, in the text format of Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "refrain/index.h"
#include "refrain/seen.h"

namespace refrain::server {

// Thread-safe.
class Metrics {
 public:
  std::atomic<std::int64_t> connections{0};
  std::atomic<std::int64_t> in_flight{0};  // requests whose headers were read and whose answers are not yet sent
  std::atomic<std::uint64_t> refused_connections{0};
  std::atomic<std::uint64_t> failures{0};  // internal errors that ended a connection

  // `route` must be one of a few names, never text that a client sent.
  void count(std::string_view route, unsigned status, double seconds);

  // Returns the page for Prometheus. `spool_bytes` is the size of answers and passages on disk, `body_bytes` that of
  // request bodies in memory. `index` and `library` are empty if the server has none.
  std::string text(const std::optional<IndexStats>& index, const std::optional<SeenStats>& library,
                   std::uint64_t spool_bytes, std::uint64_t body_bytes) const;

 private:
  static constexpr std::array kBounds = {0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0};  // seconds
  struct Times {
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, unsigned>, std::uint64_t> requests_;  // by route and status
  std::map<std::string, Times, std::less<>> times_;
};

}  // namespace refrain::server
