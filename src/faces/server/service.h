// Handles requests: checks access, assigns each request to a thread, and produces the answer.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "faces/server/backend.h"
#include "faces/server/demand.h"
#include "faces/server/metrics.h"
#include "faces/server/pages.h"
#include "faces/server/wire/answer.h"
#include "faces/server/wire/limits.h"
#include "faces/server/wire/request.h"
#include "refrain/context.h"

namespace refrain::server {

enum class Verb { health, metrics, stats, query, passages, document, add, remove, seen };

// Maps the method and path of a request to a verb.
struct Route {
  Verb verb = Verb::health;
  std::string_view name = "other";  // the pattern of the path, as in docs/openapi.json
  std::string id = {};              // the decoded id of the document, if the path names one
  Target target = {};
};

// Throws Failure(404) for an unknown path, Failure(405) for a method that the path does not support, and
// Failure(400) for a parameter that it does not take. HEAD is treated as GET.
Route route_of(std::string_view method, Target target);

// A fixed number of threads that run work from a queue of limited length.
class WorkQueue {
 public:
  WorkQueue(unsigned threads, std::size_t max_queued);
  // Drops work that has not started, and waits for work that has.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Returns false if the queue is full. `work` must not throw.
  bool submit(std::function<void()> work);

 private:
  void run();

  const std::size_t most_;  // the most items that run or wait
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<std::function<void()>> queue_;
  std::size_t busy_ = 0;  // threads that are running work
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

// The parts of a request's head that admit() needs. The views must be valid during the call.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::string_view host;
  std::string_view authorization;
  std::string_view sec_fetch_site;
  std::string_view origin;
};

struct AccessRules {
  std::string token;
  bool loopback = true;
  bool token_for_reads = false;  // a token is required on loopback, too, for everything but /healthz
};

// Thread-safe. No function waits for work: the service's own threads do it. Each kind of work has separate threads, so
// that an extraction or a writer never holds up a query.
class Service {
 public:
  // The context's stop token cancels extractions. Everything passed by reference must outlive the service.
  Service(Backend& backend, AccessRules rules, const Limits& limits, const Context& context, SpoolSpace& spool,
          const MemoryShare& bodies, Metrics& metrics);

  // Returns the route of a request. Throws Failure if the request is refused, whatever its body.
  Route admit(const RequestHead& head) const;
  // Fills in the answer, at once or later from another thread.
  void handle(const Route& route, const std::shared_ptr<Body>& body, const std::shared_ptr<Answer>& answer);

 private:
  using Work = std::function<void(Answer& answer)>;
  static std::vector<QueryDocument> documents_of(Body& body, To to, const std::stop_token& stop);
  void submit(WorkQueue& queue, const std::shared_ptr<Answer>& answer, Work work);
  void query(Body& body, Answer& answer) const;
  void document(const std::string& id, Answer& answer) const;
  void add(Body& body, bool replace, Answer& answer);
  void remove(const std::string& id, Answer& answer);
  void passages(const Target& target, Answer& answer);
  void seen(Body& body, Answer& answer);
  std::string seen_lines(std::span<const QueryDocument> documents, const Answer& answer);
  std::string metrics_text() const;
  bool is_write(Verb verb) const;
  Context context_for(const Context& share, const Answer& answer) const;

  Backend& backend_;
  const AccessRules rules_;
  const Context query_context_;
  const Context write_context_;
  const SpoolSpace& spool_;
  const MemoryShare& bodies_;
  Metrics& metrics_;
  const std::stop_token stop_;
  Pages pages_;                   // used by the thread of extraction_ only
  SharedWork shared_extraction_;  // clients that wait for passages
  WorkQueue light_;
  WorkQueue queries_;
  WorkQueue long_queries_;  // has fewer threads if memory is small
  WorkQueue writes_;
  WorkQueue extraction_;
  WorkQueue seen_;
};

}  // namespace refrain::server
