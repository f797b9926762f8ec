#include "faces/server/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "faces/server/wire/answer.h"
#include "faces/server/wire/failure.h"
#include "faces/server/wire/request.h"
#include "refrain/json_text.h"
#include "refrain/report_json.h"

namespace refrain::server {

namespace {

constexpr std::string_view kIdPlaceholder = "{id}";

struct Row {
  std::string_view path;  // {id} at its end matches any text that is not empty, including slashes
  std::string_view method;
  Verb verb;
  std::vector<std::string_view> parameters = {};
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"/healthz", "GET", Verb::health},
      {"/metrics", "GET", Verb::metrics},
      {"/v1/stats", "GET", Verb::stats},
      {"/v1/query", "POST", Verb::query},
      {"/v1/passages", "GET", Verb::passages, {"cursor", "limit"}},
      {"/v1/documents", "POST", Verb::add, {"replace"}},
      {"/v1/documents/{id}", "GET", Verb::document},
      {"/v1/documents/{id}", "DELETE", Verb::remove},
      {"/v1/seen", "POST", Verb::seen},
  };
  return kRows;
}

bool matches(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with(kIdPlaceholder)) return pattern == path;
  pattern.remove_suffix(kIdPlaceholder.size());
  return path.size() > pattern.size() && path.starts_with(pattern);
}

std::string all_paths() {
  std::string out;
  std::string_view last;
  for (const Row& row : rows())
    if (row.path != std::exchange(last, row.path)) out += fmt::format("{}{}", out.empty() ? "" : ", ", row.path);
  return out;
}

}  // namespace

Route route_of(std::string_view method, Target target) {
  if (method == "HEAD") method = "GET";
  std::string allowed;
  for (const Row& row : rows()) {
    if (!matches(row.path, target.path)) continue;
    if (row.method != method) {
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", row.method == "GET" ? "GET, HEAD" : row.method);
      continue;
    }
    for (const auto& [name, value] : target.parameters) {
      if (std::find(row.parameters.begin(), row.parameters.end(), name) == row.parameters.end())
        throw Failure(400, "invalid_argument", fmt::format("unknown parameter '{}'", name));
    }
    Route out{.verb = row.verb, .name = row.path};
    if (row.path.ends_with(kIdPlaceholder))
      out.id = percent_decode(std::string_view(target.path).substr(row.path.size() - kIdPlaceholder.size()), false);
    out.target = std::move(target);
    return out;
  }
  if (allowed.empty()) throw Failure(404, "not_found", fmt::format("unknown path; known paths are {}", all_paths()));
  throw Failure(405, "method_not_allowed", fmt::format("this path supports only {}", allowed), {{"Allow", allowed}});
}

WorkQueue::WorkQueue(unsigned threads, std::size_t max_queued) : most_(threads + max_queued) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkQueue::~WorkQueue() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    dropped.swap(queue_);
  }
  more_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkQueue::submit(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || queue_.size() + busy_ >= most_) return false;
    queue_.push_back(std::move(work));
  }
  more_.notify_one();
  return true;
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    ++busy_;
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    --busy_;
  }
}

namespace {

constexpr std::size_t kFlushBytes = std::size_t{16} << 10;
// Most of these threads wait for the disk: the more there are, the more documents share one sync. The library lets
// only as many of them compute at a time as Context::threads allows.
constexpr unsigned kSeenThreads = 32;
// This many documents are looked up at a time. Their answers are held in memory, and each may name a long id.
constexpr std::size_t kSeenAtOnce = 256;
// A query of this size or more counts as long: a query takes several times the memory of its text.
constexpr std::size_t kLongQueryBytes = std::size_t{1} << 20;

unsigned workers(const Context& context) {
  return context.threads != 0 ? context.threads : std::max(1U, std::thread::hardware_concurrency());
}

// Returns how many long queries may run at a time. Each may need the minimum memory of a verb.
unsigned long_queries(const Context& context) {
  const std::uint64_t all = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  return static_cast<unsigned>(std::clamp<std::uint64_t>(all / 4 / kMinMemoryBytes, 1, workers(context)));
}

// Returns a context with `part` of the memory, but at least the minimum of a verb, even if all shares together then
// exceed the whole.
Context share(const Context& context, double part, unsigned threads) {
  const std::uint64_t all = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  Context out = context;
  out.memory_bytes = std::max(kMinMemoryBytes, static_cast<std::uint64_t>(static_cast<double>(all) * part));
  out.threads = threads;
  out.progress = {};
  return out;
}

// Writes lines of JSON to an answer, a piece at a time. The head is set when the first piece is written, so that a
// failure before that can still set the status.
class Lines {
 public:
  explicit Lines(Answer& answer) : answer_(answer) {}
  void add(std::string_view piece) {
    if (piece.size() < kFlushBytes) {
      waiting_ += piece;
      if (waiting_.size() >= kFlushBytes || piece.ends_with('\n')) flush();
    } else {  // a large piece is written directly, so that it is not held twice
      flush();
      answer_.write(piece);
    }
  }
  // Writes the last line. `cursor` is empty if there is no further page.
  void end(const std::string& cursor, std::uint64_t generation, std::uint64_t changed_documents) {
    add(fmt::format("{{\"cursor\":{},\"generation\":{},\"changed_documents\":{}}}\n",
                    cursor.empty() ? "null" : json_text(cursor), generation, changed_documents));
    answer_.end();
  }

 private:
  void flush() {
    if (!begun_) answer_.begin({.content_type = "application/x-ndjson"});
    begun_ = true;
    answer_.write(waiting_);
    waiting_.clear();
  }

  Answer& answer_;
  std::string waiting_;
  bool begun_ = false;
};

std::string_view parameter(const Target& target, const std::string& name) {
  const auto found = target.parameters.find(name);
  return found == target.parameters.end() ? std::string_view() : found->second;
}

Failure unknown_document(const std::string& id) {
  return {404, "not_found", fmt::format("no document '{}'", id)};
}

Failure unauthorized() {
  return {401,
          "unauthorized",
          "requires 'Authorization: Bearer TOKEN' with the server's token",
          {{"WWW-Authenticate", "Bearer"}}};
}

}  // namespace

Service::Service(Backend& backend, AccessRules rules, const Limits& limits, const Context& context, SpoolSpace& spool,
                 const MemoryShare& bodies, Metrics& metrics)
    : backend_(backend),
      rules_(std::move(rules)),
      query_context_(share(context, 0.25 / workers(context), 1)),
      write_context_(share(context, 0.25, context.threads)),
      spool_(spool),
      bodies_(bodies),
      metrics_(metrics),
      stop_(context.stop),
      pages_(backend, share(context, 0.5, context.threads), spool, limits.passages_bytes),
      light_(1, limits.queued),
      queries_(workers(context), limits.queued),
      long_queries_(long_queries(context), limits.queued),
      writes_(1, limits.queued),
      extraction_(1, limits.queued),
      seen_(backend.has_library() ? kSeenThreads : 1, limits.queued) {}

bool Service::is_write(Verb verb) const {
  return verb == Verb::add || verb == Verb::remove || (verb == Verb::seen && backend_.adds());
}

Route Service::admit(const RequestHead& head) const {
  if (is_cross_site(head.sec_fetch_site, head.origin, head.host))
    throw Failure(403, "cross_site",
                  "requests from web pages of another origin are refused; if the page and the server share an origin "
                  "behind a proxy, have the proxy pass the Host header through unchanged");
  const bool has_token = same_token(bearer_token(head.authorization), rules_.token);
  if (!rules_.loopback && !has_token) throw unauthorized();
  if (!has_token && !head.host.empty() && !is_local_host(head.host))
    throw Failure(403, "foreign_host", "without a token, the Host header must be 'localhost' or a loopback address");
  Route route = route_of(head.method, parse_target(head.target));
  if (is_write(route.verb) && rules_.token.empty())
    throw Failure(403, "read_only", "the server was started without a token, so it is read-only");
  const bool wants_token = is_write(route.verb) || (rules_.token_for_reads && route.verb != Verb::health);
  if (wants_token && !has_token) throw unauthorized();
  return route;
}

void Service::handle(const Route& route, const std::shared_ptr<Body>& body, const std::shared_ptr<Answer>& answer) {
  switch (route.verb) {
    case Verb::health:
      return answer->send({}, "{\"status\":\"ok\"}\n");
    case Verb::metrics:
      return submit(light_, answer, [this](Answer& to) {
        to.send({.content_type = "text/plain; version=0.0.4; charset=utf-8"}, metrics_text());
      });
    case Verb::stats:
      return submit(light_, answer, [this](Answer& to) { to.send({}, to_json(backend_.stats())); });
    case Verb::query:
      return submit(body->bytes().size() < kLongQueryBytes ? queries_ : long_queries_, answer,
                    [this, body](Answer& to) { query(*body, to); });
    case Verb::document:
      return submit(queries_, answer, [this, id = route.id](Answer& to) { document(id, to); });
    case Verb::passages: {
      auto waiter = std::make_shared<SharedWork::Waiter>(shared_extraction_, answer->stop_token());
      return submit(extraction_, answer,
                    [this, target = route.target, waiter = std::move(waiter)](Answer& to) { passages(target, to); });
    }
    case Verb::add: {
      const std::string_view replace = parameter(route.target, "replace");
      if (replace != "0" && replace != "1" && route.target.parameters.contains("replace"))
        return answer->send(Failure(400, "invalid_argument", "'replace' must be 0 or 1"));
      return submit(writes_, answer, [this, body, replaces = replace == "1"](Answer& to) { add(*body, replaces, to); });
    }
    case Verb::remove:
      return submit(writes_, answer, [this, id = route.id](Answer& to) { remove(id, to); });
    case Verb::seen:
      return submit(seen_, answer, [this, body](Answer& to) { seen(*body, to); });
  }
}

void Service::submit(WorkQueue& queue, const std::shared_ptr<Answer>& answer, Work work) {
  const bool taken = queue.submit([answer, work = std::move(work)] {
    if (answer->stop_token().stop_requested()) return;
    try {
      work(*answer);
    } catch (...) {
      try {
        answer->fail(failure_of(std::current_exception()));
      } catch (...) {
        try {
          answer->end();  // the connection notices that the answer is incomplete
        } catch (...) {   // the connection could not be woken, and was closed because of that
        }
      }
    }
  });
  if (!taken) answer->send(Failure(503, "overloaded", "too many requests are waiting", {{"Retry-After", "1"}}));
}

Context Service::context_for(const Context& share, const Answer& answer) const {
  Context out = share;
  out.stop = answer.stop_token();
  return out;
}

void Service::query(Body& body, Answer& answer) const {
  const QueryRequest request = parse_query(body.bytes());
  body.clear();
  Lines lines(answer);
  const auto sink = json_passages([&](std::string_view piece) { lines.add(piece); }, request.texts);
  const QueryReport report = backend_.query(request.options, context_for(query_context_, answer), *sink);
  lines.end(report.cursor, report.generation, report.changed_documents);
}

void Service::document(const std::string& id, Answer& answer) const {
  const std::optional<IndexDocument> found = backend_.document(id, context_for(query_context_, answer));
  if (!found) throw unknown_document(id);
  answer.begin({});
  std::string json = "{\"id\":";
  append_json_text(json, found->id);
  json += fmt::format(",\"tokens\":{},\"text\":\"", found->tokens);
  // The text is held in memory, but its JSON only a piece at a time.
  for (std::string_view rest = found->text; !rest.empty();) {
    const std::size_t end = json_cut(rest, kFlushBytes);
    append_json_escaped(json, rest.substr(0, end));
    rest.remove_prefix(end);
    answer.write(json);
    json.clear();
  }
  json += "\"}\n";
  answer.write(json);
  answer.end();
}

std::vector<QueryDocument> Service::documents_of(Body& body, To to, const std::stop_token& stop) {
  std::vector<QueryDocument> documents = parse_documents(body.bytes(), to, stop);
  body.clear();
  return documents;
}

void Service::add(Body& body, bool replace, Answer& answer) {
  const std::vector<QueryDocument> documents = documents_of(body, To::index, answer.stop_token());
  const IndexWriteReport report = backend_.add(documents, replace, context_for(write_context_, answer));
  answer.send({.status = 201}, to_json(report, "index add"));
}

void Service::remove(const std::string& id, Answer& answer) {
  const IndexWriteReport report = backend_.remove({id}, context_for(write_context_, answer));
  if (!report.unknown.empty()) throw unknown_document(id);
  answer.send({}, to_json(report, "index remove"));
}

void Service::seen(Body& body, Answer& answer) {
  const std::vector<QueryDocument> documents = documents_of(body, To::library, answer.stop_token());
  std::uint64_t length = 0;
  for (std::size_t first = 0; first < documents.size(); first += kSeenAtOnce) {
    const std::size_t count = std::min(kSeenAtOnce, documents.size() - first);
    const std::string lines = seen_lines(std::span(documents).subspan(first, count), answer);
    answer.write(lines);
    length += lines.size();
  }
  answer.begin({.content_type = "application/x-ndjson", .length = length});
  answer.end();
}

std::string Service::seen_lines(std::span<const QueryDocument> documents, const Answer& answer) {
  std::vector<SeenDocument> asked;
  for (const QueryDocument& document : documents) asked.push_back({document.id, document.text});
  const std::vector<SeenAnswer> answers = backend_.seen(asked, answer.stop_token());
  std::string lines;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const SeenAnswer& one = answers[i];
    lines += "{\"id\":";
    append_json_text(lines, documents[i].id);
    lines += fmt::format(",\"status\":\"{}\",\"match\":", seen_status_name(one.status));
    if (one.match.empty())
      lines += "null,\"similarity\":null";
    else
      lines += fmt::format("{},\"similarity\":{:.6g}", json_text(one.match), one.similarity);
    lines += fmt::format(",\"verified\":{},\"added\":{}}}\n", one.verified, one.added);
  }
  return lines;
}

std::string Service::metrics_text() const {
  std::optional<IndexStats> index;
  std::optional<SeenStats> library;
  if (backend_.has_index()) index = backend_.stats();
  if (backend_.has_library()) library = backend_.library_stats();
  return metrics_.text(index, library, spool_.held(), bodies_.held());
}

void Service::passages(const Target& target, Answer& answer) {
  std::optional<PageCursor> from;
  std::uint64_t limit = kDefaultPassages;
  if (target.parameters.contains("cursor")) from = parse_page_cursor(parameter(target, "cursor"));
  if (target.parameters.contains("limit")) limit = parse_number("limit", parameter(target, "limit"), 1, kMaxPassages);
  Lines lines(answer);
  const SharedWork::Work work(shared_extraction_, stop_);
  const PageEnd end = pages_.page(from, limit, work.stop_token(), [&](std::string_view piece) { lines.add(piece); });
  lines.end(end.next ? to_text(*end.next) : "", end.generation, end.changed_documents);
}

}  // namespace refrain::server
