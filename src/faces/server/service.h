// What the server does for a request, once it has been read: who may ask, which thread works on it, what is answered.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "faces/server/backend.h"
#include "faces/server/demand.h"
#include "faces/server/metrics.h"
#include "faces/server/pages.h"
#include "faces/server/routes.h"
#include "faces/server/wire/answer.h"
#include "faces/server/wire/body.h"
#include "faces/server/wire/limits.h"
#include "faces/server/work_queue.h"
#include "refrain/context.h"

namespace refrain::server {

// What of a request's head matters here. The views last as long as the call.
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
  bool token_for_reads = false;  // on loopback too, for everything but /healthz
};

// Thread-safe. Nothing here waits for work: that is done by threads of the service's own, for each kind of work some, so
// that an extraction, or a writer, never holds up a query.
class Service {
 public:
  // The context's stop token ends what is being worked on. All that is given must outlive the service.
  Service(Backend& backend, AccessRules rules, const Limits& limits, const Context& context, SpoolSpace& spool,
          const BodySpace& bodies, Metrics& metrics);

  // Failure where such a request is not answered, whatever its body.
  Route admit(const RequestHead& head) const;
  // Answers, at once or from another thread.
  void handle(const Route& route, const std::shared_ptr<Body>& body, const std::shared_ptr<Answer>& answer);

 private:
  using Work = std::function<void(Answer& answer)>;
  void submit(WorkQueue& queue, const std::shared_ptr<Answer>& answer, Work work);
  void query(Body& body, Answer& answer) const;
  void document(const std::string& id, Answer& answer) const;
  void add(Body& body, bool replace, Answer& answer);
  void remove(const std::string& id, Answer& answer);
  void passages(const Target& target, Answer& answer);
  void seen(Body& body, Answer& answer);
  std::string metrics_text() const;
  bool is_write(Verb verb) const;
  Context context_for(const Context& share, const Answer& answer) const;

  Backend& backend_;
  const AccessRules rules_;
  const Context query_context_;
  const Context write_context_;
  const SpoolSpace& spool_;
  const BodySpace& bodies_;
  Metrics& metrics_;
  const std::stop_token stop_;
  Pages pages_;             // for extraction_ alone
  Demand passages_demand_;  // those who wait for it
  WorkQueue light_;
  WorkQueue queries_;
  WorkQueue writes_;
  WorkQueue extraction_;
  WorkQueue seen_;
};

}  // namespace refrain::server
