#include "faces/server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace refrain::server {

void Metrics::count(std::string_view route, unsigned status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
  auto found = times_.find(route);
  if (found == times_.end()) found = times_.emplace(route, Times{}).first;
  const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++found->second.buckets[static_cast<std::size_t>(bound - kBounds.begin())];
  found->second.sum += seconds;
}

std::string Metrics::text(const IndexStats& index, std::uint64_t spool_bytes, std::uint64_t body_bytes) const {
  std::string out;
  const auto line = [&]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
    out += '\n';
  };
  const auto describe = [&](const char* name, const char* kind, const char* help) {
    line("# HELP refrain_{} {}", name, help);
    line("# TYPE refrain_{} {}", name, kind);
  };
  const auto single = [&](const char* name, const char* kind, const char* help, auto value) {
    describe(name, kind, help);
    line("refrain_{} {}", name, value);
  };
  const std::lock_guard lock(mutex_);
  describe("http_requests_total", "counter", "Requests that were answered.");
  for (const auto& [key, number] : requests_)
    line("refrain_http_requests_total{{route=\"{}\",status=\"{}\"}} {}", key.first, key.second, number);
  describe("http_request_seconds", "histogram", "From the end of a request's headers to the end of its answer.");
  for (const auto& [route, times] : times_) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < kBounds.size(); ++at) {
      sum += times.buckets[at];
      line("refrain_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}", route, kBounds[at], sum);
    }
    sum += times.buckets.back();
    line("refrain_http_request_seconds_bucket{{route=\"{}\",le=\"+Inf\"}} {}", route, sum);
    line("refrain_http_request_seconds_sum{{route=\"{}\"}} {:.6f}", route, times.sum);
    line("refrain_http_request_seconds_count{{route=\"{}\"}} {}", route, sum);
  }
  single("http_connections", "gauge", "Connections that are open.", connections.load());
  single("http_in_flight", "gauge", "Requests that are being answered.", in_flight.load());
  single("http_refused_connections_total", "counter", "Connections beyond the most that are taken.",
         refused_connections.load());
  single("http_dropped_connections_total", "counter", "Connections that an error inside the server has ended.",
         failures.load());
  single("answers_on_disk_bytes", "gauge",
         "Parts of answers that wait for slow clients, and the passages that pages are cut from.", spool_bytes);
  single("request_bodies_bytes", "gauge", "Bodies of requests, as far as they have come.", body_bytes);
  single("index_documents", "gauge", "Documents that can be found.", index.documents);
  single("index_segments", "gauge", "Segments of the index.", index.segments);
  single("index_generation", "gauge", "One more with every commit.", index.generation);
  single("index_text_bytes", "gauge", "Bytes of the documents' texts.", index.text_bytes);
  return out;
}

}  // namespace refrain::server
