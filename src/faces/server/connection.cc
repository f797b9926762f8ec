#include "faces/server/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

namespace refrain::server {

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kSocketBytes = 8192;  // the most bytes of a body that are read at once
constexpr const char* kSecFetchSite = "Sec-Fetch-Site";

std::string_view view(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Failure bad_request(const std::string& message) {
  return {400, "bad_request", message};
}

// Whether a header line continues on the next one (obs-fold), which HTTP parsers interpret in different ways.
bool has_folded_line(std::string_view headers) {
  return headers.find("\n ") != std::string_view::npos || headers.find("\n\t") != std::string_view::npos;
}

Failure folded_line() {
  return bad_request("header lines must not continue on the next line");
}

}  // namespace

// A callback for Asio. If `work` throws, only this connection ends. The same happens if Asio drops the callback
// because it has no memory to queue it: nothing else would ever wake the connection.
template <class Work>
class Connection::Step {
 public:
  Step(std::shared_ptr<Connection> self, Work work) : self_(std::move(self)), work_(std::move(work)) {}
  ~Step() {
    if (self_) self_->abort_dropped();
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
  std::shared_ptr<Connection> self_;  // null after the call, or after a move
  Work work_;
};

template <class Work>
Connection::Step<Work> Connection::step(Work work) {
  return {shared_from_this(), std::move(work)};
}

Connection::Connection(Socket socket, SharedState& hub)
    : socket_(std::move(socket)), shared_state_(hub), timer_(socket_.get_executor()) {
  ++shared_state_.metrics.connections;
}

Connection::~Connection() {
  --shared_state_.metrics.connections;
  shared_state_.closed(this);
}

void Connection::start() {
  net::post(socket_.get_executor(), step([](Connection& self) {
              error_code ignored;
              self.socket_.set_option(net::ip::tcp::no_delay(true), ignored);
              self.begin_request(self.shared_state_.limits.header_time);
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

// This callback is not a Step, because a Step that is dropped calls abort() itself.
void Connection::abort() {
  net::post(socket_.get_executor(), [self = shared_from_this()] {
    try {
      self->give_up();
    } catch (...) {
      self->fail(std::current_exception());
    }
  });
}

// ---- Internal failures

void Connection::fail(const std::exception_ptr& thrown) noexcept {
  shared_state_.failed(thrown);
  try {
    give_up();
  } catch (...) {  // the connection was closed before anything could throw
  }
}

// May be called from any thread. Logs nothing: Server::run_io() logs the exceptions that escape Asio.
void Connection::abort_dropped() noexcept {
  if (shared_state_.stopped) return;  // the I/O loops are ending, and drop all queued callbacks
  try {
    abort();
  } catch (...) {
    // There is no memory to post abort() either. This ends the client's connection and wakes pending operations.
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

void Connection::begin_request(std::chrono::milliseconds timeout) {
  if (shared_state_.draining) return close();
  parser_.emplace();
  parser_->eager(false);
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // checked by this class, like that of the headers
  parser_->header_limit(static_cast<std::uint32_t>(shared_state_.limits.header_bytes));
  header_bytes_ = 0;
  body_ = std::make_shared<Body>(shared_state_.bodies);
  route_ = {};
  counted_ = true;
  head_only_ = false;
  keep_alive_ = false;
  http11_ = true;
  phase_ = Phase::idle;
  if (buffer_.size() == 0) {
    buffer_.shrink_to_fit();
    arm(timeout);
    return read_more();
  }
  phase_ = Phase::header;
  arm(shared_state_.limits.header_time);
  parse_header();
}

void Connection::read_more() {
  const std::size_t room = phase_ == Phase::body ? kSocketBytes : kSocketBytes / 4;
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
      if (requests_ != 0) arm(shared_state_.limits.header_time);
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
  // Skips empty lines before a request, because some clients end a body with one.
  while (!parser_->got_some() && buffer_.size() >= 2 && std::memcmp(buffer_.data().data(), "\r\n", 2) == 0) {
    buffer_.consume(2);
    header_bytes_ += 2;
  }
  error_code error;
  const std::size_t used = parser_->put(buffer_.data(), error);
  // The parser takes a line only together with its continuation, so a fold is never split between two calls.
  const bool folded = has_folded_line({static_cast<const char*>(buffer_.data().data()), used});
  buffer_.consume(used);
  header_bytes_ += used;
  const bool done = parser_->is_header_done();
  began_ = Clock::now();
  if (error == http::error::header_limit ||
      header_bytes_ + (done ? 0 : buffer_.size()) > shared_state_.limits.header_bytes) {
    if (parser_->get().target().empty()) return reject({414, "too_long", "the target is too long"});
    return reject(
        {431, "too_long", fmt::format("the headers are larger than {} bytes", shared_state_.limits.header_bytes)});
  }
  if (folded) return reject(folded_line());
  if (done) return on_header();
  if (error && error != http::error::need_more) return reject(bad_request("not HTTP: " + error.message()));
  read_more();
}

void Connection::on_header() {
  ++requests_;
  counted_ = false;
  ++shared_state_.metrics.in_flight;
  const auto& request = parser_->get();
  head_only_ = request.method() == http::verb::head;
  http11_ = request.version() >= 11;
  keep_alive_ = false;  // stays so if check_framing() throws, because the end of the request is then in doubt
  try {
    check_framing();
    keep_alive_ = request.keep_alive();
    route_ = shared_state_.service.admit({.method = view(request.method_string()),
                                          .target = view(request.target()),
                                          .host = view(request[http::field::host]),
                                          .authorization = view(request[http::field::authorization]),
                                          .sec_fetch_site = view(request[kSecFetchSite]),
                                          .origin = view(request[http::field::origin])});
    const auto length = parser_->content_length();
    if (length && *length > shared_state_.limits.body_bytes)
      throw Failure(413, "too_large", fmt::format("the body is larger than {} bytes", shared_state_.limits.body_bytes));
    if (length && !shared_state_.bodies->has_room(2 * *length)) throw no_room_for_body(false);
  } catch (const Failure& failure) {
    return reject(failure);
  }
  if (parser_->is_done()) return dispatch();
  phase_ = Phase::body;
  arm(shared_state_.limits.body_time);
  if (request.find(http::field::expect) != request.end()) return send_continue();
  parse_body();
}

// Refuses a request that two parsers of the same bytes could read differently.
void Connection::check_framing() const {
  const auto& request = parser_->get();
  const std::size_t hosts = request.count(http::field::host);
  if (hosts > 1 || (hosts == 0 && http11_)) throw bad_request("exactly one Host header is required");
  const std::size_t encodings = request.count(http::field::transfer_encoding);
  if (encodings != 0 &&
      (encodings > 1 || !http11_ || !boost::beast::iequals(request[http::field::transfer_encoding], "chunked")))
    throw bad_request("the only supported transfer encoding is 'chunked', once");
  // "5, 5" in one header also gives the length twice.
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

void Connection::send_continue() {
  if (buffer_.size() != 0) return parse_body();  // the client did not wait
  out_ = "HTTP/1.1 100 Continue\r\n\r\n";
  net::async_write(socket_, net::buffer(out_), step([](Connection& self, const error_code& error, std::size_t) {
                     if (self.phase_ != Phase::body) return;
                     if (error) return self.close();
                     self.parse_body();
                   }));
}

void Connection::parse_body() {
  std::array<char, kSocketBytes> scratch;
  while (buffer_.size() != 0) {
    auto& body = parser_->get().body();
    body.data = scratch.data();
    body.size = scratch.size();
    error_code error;
    const std::size_t used = parser_->put(buffer_.data(), error);
    const std::string_view got(scratch.data(), scratch.size() - body.size);
    // Bytes that the parser takes without adding to the body belong to a chunk header or the trailer.
    const bool folded = got.empty() && has_folded_line({static_cast<const char*>(buffer_.data().data()), used});
    buffer_.consume(used);
    if (error == http::error::need_buffer) error = {};
    if (folded) {
      keep_alive_ = false;
      return reject(folded_line());
    }
    if (body_->bytes().size() + got.size() > shared_state_.limits.body_bytes)
      return reject(
          {413, "too_large", fmt::format("the body is larger than {} bytes", shared_state_.limits.body_bytes)});
    if (!body_->append(got)) return reject(no_room_for_body(body_->never_fits()));
    if (error && error != http::error::need_more) return reject(bad_request("not HTTP: " + error.message()));
    if (parser_->is_done()) return dispatch();
    if (error == http::error::need_more && buffer_.size() > shared_state_.limits.header_bytes)
      return reject(bad_request("chunk header too long"));
    if (error || (used == 0 && got.empty())) break;
  }
  read_more();
}

// ---- The answer

void Connection::begin_answer() {
  phase_ = Phase::answering;
  answer_ = std::make_shared<Answer>(shared_state_.limits, shared_state_.spool, shared_state_.answers);
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
  shared_state_.service.handle(route_, body_, answer_);
  body_.reset();
  watch_for_disconnect();
  pump();
}

void Connection::reject(const Failure& failure) {
  disarm();
  if (counted_) {
    counted_ = false;
    ++shared_state_.metrics.in_flight;
  }
  // The start of the next request is known only if this one was read to its end.
  keep_alive_ = keep_alive_ && parser_ && parser_->is_done();
  body_.reset();
  begin_answer();
  answer_->send(failure);
  pump();
}

// A client that closes its side while its request is being processed has left: its work is canceled.
void Connection::watch_for_disconnect() {
  socket_.async_wait(Socket::wait_read, step([number = requests_](Connection& self, const error_code& error) {
                       if (error || self.phase_ != Phase::answering || number != self.requests_) return;
                       if (self.finished_) return;  // the client may leave once the answer is complete
                       char byte = 0;
                       const ssize_t got = ::recv(self.socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
                       if (got > 0) return;  // the next request, which the client sent early
                       if (got < 0 && (errno == EAGAIN || errno == EINTR)) return self.watch_for_disconnect();
                       self.give_up();
                     }));
}

void Connection::pump() {
  if (phase_ != Phase::answering || writing_) return;
  out_.clear();
  if (!fill()) return;
  writing_ = true;
  arm(shared_state_.limits.write_time);
  net::async_write(socket_, net::buffer(out_),
                   step([](Connection& self, const error_code& error, std::size_t) { self.on_written(error); }));
}

// Puts the available part of the answer into out_. Returns false if there is nothing to send yet.
bool Connection::fill() {
  const std::size_t most = shared_state_.piece_bytes();
  while (!finished_ && out_.size() < most) {
    const Answer::Next next = answer_->take(piece_, most);
    if (next == Answer::Next::waiting) break;
    if (!head_sent_) append_head();
    finished_ = next == Answer::Next::ended || head_only_;
    if (head_only_) break;
    body_sent_ += piece_.size();
    // A client that knows the length may leave after the last byte, before the worker has reported the end.
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
  if (shared_state_.draining || (!head.length && !http11_)) keep_alive_ = false;
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
  // Closing is the only way to indicate that the body is shorter than announced.
  const bool whole = head_only_ || !head.length || *head.length == body_sent_;
  count_request(head.status);
  answer_->abandon();
  answer_.reset();
  for (std::string* const buffer : {&out_, &piece_})
    if (buffer->capacity() > shared_state_.limits.min_piece_bytes) *buffer = {};
  error_code ignored;
  socket_.cancel(ignored);
  if (!whole) return close();
  if (keep_alive_) return begin_request(shared_state_.limits.idle_time);
  linger();
}

void Connection::count_request(unsigned status) {
  if (std::exchange(counted_, true)) return;
  --shared_state_.metrics.in_flight;
  shared_state_.metrics.count(route_.name, status, std::chrono::duration<double>(Clock::now() - began_).count());
}

// Closing a socket with unread input would make the client's system discard the answer, so input is read and dropped.
void Connection::linger() {
  phase_ = Phase::lingering;
  error_code error;
  socket_.shutdown(Socket::shutdown_send, error);
  if (error) return close();
  buffer_.consume(buffer_.size());
  arm(shared_state_.limits.linger_time);
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
  constexpr unsigned kClientClosed = 499;  // used by other servers, too; counted, but never sent
  disarm();
  error_code ignored;
  socket_.shutdown(Socket::shutdown_both, ignored);
  socket_.close(ignored);
  count_request(kClientClosed);  // last, because this may run out of memory
}

}  // namespace refrain::server
