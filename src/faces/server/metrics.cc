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

std::string Metrics::text(const std::optional<IndexStats>& index, const std::optional<SeenStats>& library,
                          std::uint64_t spool_bytes, std::uint64_t body_bytes) const {
  std::string out;
  const auto line = [&]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    out += fmt::format(format, std::forward<Values>(values)...);
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
  describe("http_requests_total", "counter", "Requests answered.");
  for (const auto& [key, number] : requests_)
    line("refrain_http_requests_total{{route=\"{}\",status=\"{}\"}} {}", key.first, key.second, number);
  describe("http_request_seconds", "histogram", "Time from the end of a request's headers to the end of its response.");
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
  single("http_connections", "gauge", "Open connections.", connections.load());
  single("http_in_flight", "gauge", "Requests in progress.", in_flight.load());
  single("http_refused_connections_total", "counter", "Connections refused because there were too many.",
         refused_connections.load());
  single("http_dropped_connections_total", "counter", "Connections ended by an internal error.", failures.load());
  single("answers_on_disk_bytes", "gauge", "Responses buffered for slow clients, and passages buffered for paging.",
         spool_bytes);
  single("request_bodies_bytes", "gauge", "Memory of request bodies, and of what was parsed of them.", body_bytes);
  if (index) {
    single("index_documents", "gauge", "Documents in the index.", index->documents);
    single("index_segments", "gauge", "Segments in the index.", index->segments);
    single("index_generation", "gauge", "Generation of the index; increases with every commit.", index->generation);
    single("index_text_bytes", "gauge", "Bytes of text in the documents.", index->text_bytes);
  }
  if (library) {
    single("library_documents", "gauge", "Documents in the segments of the library.", library->documents);
    single("library_segments", "gauge", "Segments in the library.", library->segments);
    single("library_generation", "gauge", "Generation of the library; increases with every commit.",
           library->generation);
    single("library_recent_documents", "gauge", "Documents that were added and are in no segment yet.",
           library->recent);
    single("library_added_documents_total", "counter", "Documents added since the server was started.", library->added);
  }
  return out;
}

}  // namespace refrain::server
