// One client: reads its requests, one after another, and sends the answers.
//
// Everything runs on the single thread of the socket's io_context, and nothing blocks, neither for bytes nor for
// work. One timer limits the client's next step, whatever that is. A request is checked as soon as its headers have
// arrived, so that no client sends eight megabytes only to learn that a token is missing.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "faces/server/metrics.h"
#include "faces/server/service.h"
#include "faces/server/wire/answer.h"
#include "faces/server/wire/limits.h"
#include "faces/server/wire/request.h"

namespace refrain::server {

class Connection;

// The state that all connections share. It outlives them.
struct SharedState {
  const Limits& limits;
  Service& service;
  Metrics& metrics;
  std::shared_ptr<MemoryShare> bodies;
  std::shared_ptr<MemoryShare> answers;
  std::shared_ptr<SpoolSpace> spool;
  std::function<void(const Connection*)> closed;  // called by the destructor of a connection
  // Logs the exception that ended a connection. May be called from any thread; does not throw.
  std::function<void(const std::exception_ptr&)> failed;
  std::atomic<bool> draining{false};  // connections start no more requests
  std::atomic<bool> stopped{false};   // the I/O loops are ending, and drop queued callbacks

  // The most bytes of an answer that a connection holds while it sends them. With many connections, each holds less.
  std::size_t piece_bytes() const {
    const auto connections = static_cast<std::size_t>(std::max<std::int64_t>(metrics.connections, 1));
    const std::size_t least = std::min(limits.min_piece_bytes, limits.piece_bytes);
    return std::clamp(limits.all_answers_bytes / 4 / connections, least, limits.piece_bytes);
  }
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  Connection(Socket socket, SharedState& hub);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  // Responds with status 503, because there are too many connections, and closes.
  void refuse();
  // Both may be called from any thread. drain() closes the connection once no request is being answered; abort()
  // closes it at once.
  void drain();
  void abort();

 private:
  using Clock = std::chrono::steady_clock;
  using Parser = boost::beast::http::request_parser<boost::beast::http::buffer_body>;
  enum class Phase { idle, header, body, answering, lingering, closed };
  template <class Work>
  class Step;

  template <class Work>
  Step<Work> step(Work work);
  void fail(const std::exception_ptr& thrown) noexcept;
  void abort_dropped() noexcept;
  void begin_request(std::chrono::milliseconds timeout);
  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  void on_read_timeout();
  void parse_header();
  void on_header();
  void check_framing() const;
  void send_continue();
  void parse_body();
  void dispatch();

  void reject(const Failure& failure);
  void begin_answer();
  void watch_for_disconnect();
  void pump();
  bool fill();
  void append_head();
  void on_written(const boost::system::error_code& error);
  void end_request();
  void count_request(unsigned status);
  void linger();
  void give_up();
  void close();

  void arm(std::chrono::milliseconds time);
  void disarm();

  Socket socket_;
  SharedState& shared_state_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_number_ = 0;
  bool timed_out_ = false;

  Phase phase_ = Phase::idle;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::size_t header_bytes_ = 0;
  std::shared_ptr<Body> body_;
  Route route_;
  Clock::time_point began_;
  std::uint64_t requests_ = 0;
  bool counted_ = true;      // the current request has been counted, or there is none
  bool head_only_ = false;   // the method is HEAD
  bool keep_alive_ = false;  // whether to stay open after this answer
  bool http11_ = true;

  std::shared_ptr<Answer> answer_;
  bool head_sent_ = false;
  bool writing_ = false;
  bool finished_ = false;  // the rest of the answer is in out_
  std::uint64_t body_sent_ = 0;
  std::string piece_;
  std::string out_;
};

}  // namespace refrain::server
