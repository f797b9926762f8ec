#include "faces/server/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace refrain::server {

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr const char* kSecFetchSite = "Sec-Fetch-Site";

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Failure bad_request(const std::string& message) {
  return {400, "bad_request", message};
}

// Whether a header line goes on in the next one (obs-fold), which readers of HTTP understand in different ways.
bool has_folded_line(std::string_view headers) {
  return headers.find("\n ") != std::string_view::npos || headers.find("\n\t") != std::string_view::npos;
}

Failure folded_line() {
  return bad_request("header lines must not continue on the next line");
}

}  // namespace

// A callback for Asio. Whatever `work` throws ends this connection and no other. So does a callback that Asio drops
// because it has no memory to queue it: nothing else would ever wake the connection.
template <class Work>
class Connection::Step {
 public:
  Step(std::shared_ptr<Connection> self, Work work) : self_(std::move(self)), work_(std::move(work)) {}
  ~Step() {
    if (self_) self_->abort_forgotten();
  }
  Step(Step&&) noexcept = default;
  Step& operator=(Step&&) = delete;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  template <class... Arguments>
  void operator()(const Arguments&... arguments) {
    const std::shared_ptr<Connection> self = std::move(self_);
    try {
      work_(*self, arguments...);
    } catch (...) {
      self->fail(std::current_exception());
    }
  }

 private:
  std::shared_ptr<Connection> self_;  // null once called, or moved from
  Work work_;
};

template <class Work>
Connection::Step<Work> Connection::step(Work work) {
  return {shared_from_this(), std::move(work)};
}

Connection::Connection(Socket socket, Hub& hub)
    : socket_(std::move(socket)), hub_(hub), timer_(socket_.get_executor()) {
  ++hub_.metrics.connections;
}

Connection::~Connection() {
  --hub_.metrics.connections;
  hub_.closed(this);
}

void Connection::start() {
  net::post(socket_.get_executor(), step([](Connection& self) {
              error_code ignored;
              self.socket_.set_option(net::ip::tcp::no_delay(true), ignored);
              self.begin_request(self.hub_.limits.header_time);
            }));
}

void Connection::refuse() {
  net::post(socket_.get_executor(), step([](Connection& self) {
              self.began_ = Clock::now();
              self.reject({503, "overloaded", "too many connections", {{"Retry-After", "1"}}});
            }));
}

void Connection::drain() {
  net::post(socket_.get_executor(), step([](Connection& self) {
              if (self.phase_ == Phase::idle || self.phase_ == Phase::header) self.close();
            }));
}

// No Step: that aborts the connection itself where it is dropped.
void Connection::abort() {
  net::post(socket_.get_executor(), [self = shared_from_this()] {
    try {
      self->give_up();
    } catch (...) {
      self->fail(std::current_exception());
    }
  });
}

// ---- Failures of our own

void Connection::fail(const std::exception_ptr& thrown) noexcept {
  hub_.failed(thrown);
  try {
    give_up();
  } catch (...) {  // it is closed before anything can throw
  }
}

// From any thread. What was thrown is logged by whoever runs Asio.
void Connection::abort_forgotten() noexcept {
  if (hub_.stopped) return;  // everything that is queued is dropped
  try {
    abort();
  } catch (...) {
    // No memory for that either. The client learns that it is over, and whatever still waits here is woken.
    ::shutdown(socket_.native_handle(), SHUT_RDWR);
  }
}

// ---- Time

void Connection::arm(std::chrono::milliseconds time) {
  timed_out_ = false;
  const std::uint64_t number = ++timer_number_;
  timer_.expires_after(time);
  timer_.async_wait(step([number](Connection& self, const error_code& error) {
    if (error || number != self.timer_number_) return;
    self.timed_out_ = true;
    error_code ignored;
    self.socket_.cancel(ignored);
  }));
}

void Connection::disarm() {
  ++timer_number_;
  timed_out_ = false;
  timer_.cancel();
}

// ---- The request

void Connection::begin_request(std::chrono::milliseconds patience) {
  if (hub_.draining) return close();
  parser_.emplace();
  parser_->eager(false);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // counted here, as are the headers
  parser_->header_limit(static_cast<std::uint32_t>(hub_.limits.header_bytes));
  header_bytes_ = 0;
  body_ = std::make_shared<Body>(hub_.bodies);
  route_ = {};
  counted_ = true;
  head_only_ = false;
  keep_alive_ = false;
  http11_ = true;
  phase_ = Phase::idle;
  if (buffer_.size() == 0) {
    buffer_.shrink_to_fit();
    arm(patience);
    return read_more();
  }
  phase_ = Phase::header;
  arm(hub_.limits.header_time);
  parse_header();
}

void Connection::read_more() {
  const std::size_t room = phase_ == Phase::body ? scratch_.size() : scratch_.size() / 4;
  socket_.async_read_some(buffer_.prepare(room), step([](Connection& self, const error_code& error, std::size_t bytes) {
                            self.on_read(error, bytes);
                          }));
}

void Connection::on_read(const error_code& error, std::size_t bytes) {
  if (phase_ == Phase::closed) return;
  if (timed_out_) return on_read_timeout();
  if (error) return close();
  buffer_.commit(bytes);
  switch (phase_) {
    case Phase::idle:
      phase_ = Phase::header;
      if (requests_ != 0) arm(hub_.limits.header_time);
      return parse_header();
    case Phase::header:
      return parse_header();
    case Phase::body:
      return parse_body();
    case Phase::lingering:
      buffer_.consume(buffer_.size());
      return read_more();
    case Phase::answering:
    case Phase::closed:
      return;
  }
}

void Connection::on_read_timeout() {
  if (phase_ != Phase::header && phase_ != Phase::body) return close();
  if (phase_ == Phase::header) began_ = Clock::now();
  reject({408, "too_slow",
          phase_ == Phase::header ? "the headers did not arrive in time" : "the body did not arrive in time"});
}

void Connection::parse_header() {
  // An empty line before a request is passed over: some clients end a body with one.
  while (!parser_->got_some() && buffer_.size() >= 2 && std::memcmp(buffer_.data().data(), "\r\n", 2) == 0) {
    buffer_.consume(2);
    header_bytes_ += 2;
  }
  error_code error;
  const std::size_t used = parser_->put(buffer_.data(), error);
  // The parser takes a line only with all that continues it, so a fold is never split between two calls.
  const bool folded = has_folded_line({static_cast<const char*>(buffer_.data().data()), used});
  buffer_.consume(used);
  header_bytes_ += used;
  const bool done = parser_->is_header_done();
  began_ = Clock::now();
  if (error == http::error::header_limit || header_bytes_ + (done ? 0 : buffer_.size()) > hub_.limits.header_bytes) {
    if (parser_->get().target().empty()) return reject({414, "too_long", "the target is too long"});
    return reject({431, "too_long", fmt::format("the headers are larger than {} bytes", hub_.limits.header_bytes)});
  }
  if (folded) return reject(folded_line());
  if (done) return on_header();
  if (error && error != http::error::need_more) return reject(bad_request("not HTTP: " + error.message()));
  read_more();
}

void Connection::on_header() {
  ++requests_;
  counted_ = false;
  ++hub_.metrics.in_flight;
  const auto& request = parser_->get();
  head_only_ = request.method() == http::verb::head;
  http11_ = request.version() >= 11;
  keep_alive_ = false;  // nor after a request whose end is in doubt
  try {
    check_framing();
    keep_alive_ = request.keep_alive();
    route_ = hub_.service.admit({.method = view(request.method_string()),
                                 .target = view(request.target()),
                                 .host = view(request[http::field::host]),
                                 .authorization = view(request[http::field::authorization]),
                                 .sec_fetch_site = view(request[kSecFetchSite]),
                                 .origin = view(request[http::field::origin])});
    const auto length = parser_->content_length();
    if (length && *length > hub_.limits.body_bytes)
      throw Failure(413, "too_large", fmt::format("the body is larger than {} bytes", hub_.limits.body_bytes));
  } catch (const Failure& failure) {
    return reject(failure);
  }
  if (parser_->is_done()) return dispatch();
  phase_ = Phase::body;
  arm(hub_.limits.body_time);
  if (request.find(http::field::expect) != request.end()) return say_continue();
  parse_body();
}

// What two readers of the same bytes could take for different requests is no request.
void Connection::check_framing() const {
  const auto& request = parser_->get();
  const std::size_t hosts = request.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && http11_)) throw bad_request("exactly one Host header is required");
  const std::size_t encodings = request.count(http::field::transfer_encoding);
  if (encodings != 0 &&
      (encodings > 1 || !http11_ || !boost::beast::iequals(request[http::field::transfer_encoding], "chunked")))
    throw bad_request("the only supported transfer encoding is 'chunked', once");
  // "5, 5" in one header is a length that is said twice, too.
  const std::string_view length = view(request[http::field::content_length]);
  if (encodings + request.count(http::field::content_length) > 1 ||
      length.find_first_not_of("0123456789") != std::string_view::npos)
    throw bad_request("the length of the body is given twice");
  for (const char* const name : {"Authorization", "Origin", kSecFetchSite})
    if (request.count(name) > 1) throw bad_request(fmt::format("more than one {} header", name));
  const auto expect = request.find(http::field::expect);
  if (expect != request.end() && !boost::beast::iequals(expect->value(), "100-continue"))
    throw Failure(417, "unsupported", "the only supported expectation is '100-continue'");
}

void Connection::say_continue() {
  if (buffer_.size() != 0) return parse_body();  // it did not wait
  out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  net::async_write(socket_, net::buffer(out_), step([](Connection& self, const error_code& error, std::size_t) {
                     if (self.phase_ != Phase::body) return;
                     if (error) return self.close();
                     self.parse_body();
                   }));
}

void Connection::parse_body() {
  while (buffer_.size() != 0) {
    auto& body = parser_->get().body();
    body.data = scratch_.data();
    body.size = scratch_.size();
    error_code error;
    const std::size_t used = parser_->put(buffer_.data(), error);
    const std::string_view got(scratch_.data(), scratch_.size() - body.size);
    // What is taken and is not body is the head of a chunk, or the trailer.
    const bool folded = got.empty() && has_folded_line({static_cast<const char*>(buffer_.data().data()), used});
    buffer_.consume(used);
    if (error == http::error::need_buffer) error = {};
    if (folded) {
      keep_alive_ = false;
      return reject(folded_line());
    }
    if (body_->bytes().size() + got.size() > hub_.limits.body_bytes)
      return reject({413, "too_large", fmt::format("the body is larger than {} bytes", hub_.limits.body_bytes)});
    if (!body_->append(got))
      return reject({503, "overloaded", "not enough memory for this body now", {{"Retry-After", "1"}}});
    if (error && error != http::error::need_more) return reject(bad_request("not HTTP: " + error.message()));
    if (parser_->is_done()) return dispatch();
    if (error == http::error::need_more && buffer_.size() > hub_.limits.header_bytes)
      return reject(bad_request("chunk header too long"));
    if (error || (used == 0 && got.empty())) break;
  }
  read_more();
}

// ---- The answer

void Connection::begin_answer() {
  phase_ = Phase::answering;
  answer_ = std::make_shared<Answer>(hub_.limits, hub_.spool);
  answer_->on_wake([self = shared_from_this()] {
    net::post(self->socket_.get_executor(), self->step([](Connection& woken) { woken.pump(); }));
  });
  head_sent_ = false;
  finished_ = false;
  body_sent_ = 0;
}

void Connection::dispatch() {
  disarm();
  begin_answer();
  hub_.service.handle(route_, body_, answer_);
  body_.reset();
  watch_for_goodbye();
  pump();
}

void Connection::reject(const Failure& failure) {
  disarm();
  if (counted_) {
    counted_ = false;
    ++hub_.metrics.in_flight;
  }
  // Where the next request would begin is only known if this one was read to its end.
  keep_alive_ = keep_alive_ && parser_ && parser_->is_done();
  begin_answer();
  answer_->send(failure);
  pump();
}

// A client that closes its side while it is being worked for has gone.
void Connection::watch_for_goodbye() {
  socket_.async_wait(Socket::wait_read, step([number = requests_](Connection& self, const error_code& error) {
                       if (error || self.phase_ != Phase::answering || number != self.requests_) return;
                       if (self.finished_) return;  // it may have gone with its answer
                       char byte = 0;
                       const ssize_t got = ::recv(self.socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
                       if (got > 0) return;  // the next request, early
                       if (got < 0 && (errno == EAGAIN || errno == EINTR)) return self.watch_for_goodbye();
                       self.give_up();
                     }));
}

void Connection::pump() {
  if (phase_ != Phase::answering || writing_) return;
  out_.clear();
  if (!fill()) return;
  writing_ = true;
  arm(hub_.limits.write_time);
  net::async_write(socket_, net::buffer(out_),
                   step([](Connection& self, const error_code& error, std::size_t) { self.on_written(error); }));
}

// Puts what is there of the answer into out_. False where there is nothing yet.
bool Connection::fill() {
  while (!finished_ && out_.size() < hub_.limits.piece_bytes) {
    const Answer::Next next = answer_->take(piece_);
    if (next == Answer::Next::waiting) break;
    if (!head_sent_) append_head();
    finished_ = next == Answer::Next::ended || head_only_;
    if (head_only_) break;
    body_sent_ += piece_.size();
    // A client that was told the length may go with the last byte, before the worker has said that this was all.
    finished_ = finished_ || answer_->head().length == body_sent_;
    const bool chunked = !answer_->head().length && http11_;
    if (!chunked)
      out_ += piece_;
    else if (finished_)
      out_ += "0\r\n\r\n";
    else
      out_ += fmt::format("{:x}\r\n{}\r\n", piece_.size(), piece_);
  }
  return !out_.empty() || finished_;
}

void Connection::append_head() {
  const AnswerHead& head = answer_->head();
  head_sent_ = true;
  if (hub_.draining || (!head.length && !http11_)) keep_alive_ = false;
  out_ += fmt::format("HTTP/1.1 {} {}\r\nServer: refrain\r\nContent-Type: {}\r\n", head.status,
                      reason_phrase(head.status), head.content_type);
  if (head.length)
    out_ += fmt::format("Content-Length: {}\r\n", *head.length);
  else if (http11_)
    out_ += "Transfer-Encoding: chunked\r\n";
  out_ += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n";
  for (const auto& [name, value] : head.headers) out_ += fmt::format("{}: {}\r\n", name, value);
  out_ += keep_alive_ ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
}

void Connection::on_written(const error_code& error) {
  writing_ = false;
  if (phase_ != Phase::answering) return;
  if (timed_out_ || error) return give_up();
  disarm();
  if (finished_) return end_request();
  pump();
}

void Connection::end_request() {
  const AnswerHead& head = answer_->head();
  // A body that is shorter than was said can only be told by going.
  const bool whole = head_only_ || !head.length || *head.length == body_sent_;
  count_request(head.status);
  answer_->abandon();
  answer_.reset();
  error_code ignored;
  socket_.cancel(ignored);
  if (!whole) return close();
  if (keep_alive_) return begin_request(hub_.limits.idle_time);
  linger();
}

void Connection::count_request(unsigned status) {
  if (std::exchange(counted_, true)) return;
  --hub_.metrics.in_flight;
  hub_.metrics.count(route_.name, status, std::chrono::duration<double>(Clock::now() - began_).count());
}

// Closing with unread bytes would let the client's system throw our answer away: they are read and forgotten.
void Connection::linger() {
  phase_ = Phase::lingering;
  error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) return close();
  buffer_.consume(buffer_.size());
  arm(hub_.limits.linger_time);
  read_more();
}

void Connection::give_up() {
  if (answer_) {
    answer_->abandon();
    answer_.reset();
  }
  close();
}

void Connection::close() {
  if (std::exchange(phase_, Phase::closed) == Phase::closed) return;
  constexpr unsigned kClientClosed = 499;  // as others call it; nobody is told
  disarm();
  error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  count_request(kClientClosed);  // last: it may lack the memory to
}

}  // namespace refrain::server
