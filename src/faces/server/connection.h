// One client: reads its requests, one after another, and sends the answers.
//
// Everything runs on the one thread of the socket's io_context and nothing waits: not for bytes, not for work. There is
// one timer, for whatever the client is waited for just now. A request is looked at as soon as its headers are there, so
// that nobody sends eight megabytes to learn that a token is missing.
#pragma once

#include <array>
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
#include "faces/server/wire/body.h"
#include "faces/server/wire/limits.h"

namespace refrain::server {

class Connection;

// What all connections share; outlives them.
struct Hub {
  const Limits& limits;
  Service& service;
  Metrics& metrics;
  std::shared_ptr<BodySpace> bodies;
  std::shared_ptr<SpoolSpace> spool;
  std::function<void(const Connection*)> closed;  // from the destructor of a connection
  // Logs what a connection died of. From any thread; throws nothing.
  std::function<void(const std::exception_ptr&)> failed;
  std::atomic<bool> draining{false};  // no request is begun any more
  std::atomic<bool> stopped{false};   // nor is anything that was queued still run
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  Connection(Socket socket, Hub& hub);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();
  // Says that there are too many connections, and goes.
  void refuse();
  // From any thread: goes as soon as no request is being answered; at once, whatever is being answered.
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
  void abort_forgotten() noexcept;
  void begin_request(std::chrono::milliseconds patience);
  void read_more();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  void on_read_timeout();
  void parse_header();
  void on_header();
  void check_framing() const;
  void say_continue();
  void parse_body();
  void dispatch();

  void reject(const Failure& failure);
  void begin_answer();
  void watch_for_goodbye();
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
  Hub& hub_;
  boost::asio::steady_timer timer_;
  std::uint64_t timer_number_ = 0;
  bool timed_out_ = false;

  Phase phase_ = Phase::idle;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  std::size_t header_bytes_ = 0;
  std::array<char, 8192> scratch_;
  std::shared_ptr<Body> body_;
  Route route_;
  Clock::time_point began_;
  std::uint64_t requests_ = 0;
  bool counted_ = true;      // the request at hand was, or there is none
  bool head_only_ = false;   // HEAD
  bool keep_alive_ = false;  // after this answer
  bool http11_ = true;

  std::shared_ptr<Answer> answer_;
  bool head_sent_ = false;
  bool writing_ = false;
  bool finished_ = false;  // all of the answer is in out_
  std::uint64_t body_sent_ = 0;
  std::string piece_;
  std::string out_;
};

}  // namespace refrain::server
