#include "faces/server/server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "faces/server/connection.h"
#include "faces/server/wire/failure.h"
#include "faces/server/wire/request.h"
#include "refrain/error.h"

namespace refrain::server {

namespace {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;

constexpr unsigned kIoThreads = 2;
constexpr unsigned kMaxRefused = 64;             // connections above the limit that still get a response
constexpr unsigned kOwnDescriptors = 1536;       // for two snapshots of an index with many shards, and all else
constexpr std::chrono::milliseconds kPause{50};  // after accepting has failed, before the next attempt

// Raises the limit of open files as far as possible, and returns how many of the wanted connections fit into it.
unsigned connection_limit(unsigned wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const rlim_t left = limit.rlim_cur > 2 * kOwnDescriptors ? limit.rlim_cur - kOwnDescriptors : limit.rlim_cur / 2;
  return static_cast<unsigned>(std::min<rlim_t>(wanted, std::max<rlim_t>(left, 1)));
}

Limits adjusted_limits(Limits limits, unsigned max_connections) {
  limits.max_connections = connection_limit(max_connections);
  limits.body_bytes = std::min(limits.body_bytes, limits.all_bodies_bytes / 2);  // see Body: each byte counts twice
  return limits;
}

tcp::acceptor listen_on(const net::any_io_executor& executor, const ListenAddress& address) {
  const tcp::endpoint endpoint(net::ip::make_address(address.host), address.port);
  tcp::acceptor out(executor);
  error_code error;
  out.open(endpoint.protocol(), error);
  if (!error) out.set_option(net::socket_base::reuse_address(true), error);
  if (!error) out.bind(endpoint, error);
  if (!error) out.listen(net::socket_base::max_listen_connections, error);
  if (error) {
    const Errc code = error == net::error::address_in_use ? Errc::busy : Errc::io;
    throw Error(code, fmt::format("{}:{}: cannot listen: {}", address.host, address.port, error.message()));
  }
  return out;
}

std::string to_text(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return fmt::format(fmt::runtime(endpoint.address().is_v6() ? "[{}]:{}" : "{}:{}"), address, endpoint.port());
}

std::string message_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return failure_of(error).what();
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown exception";
  }
}

class Server {
 public:
  Server(Backend& backend, const ServeOptions& options, const ListenAddress& address, const Limits& limits,
         const Context& context)
      : limits_(adjusted_limits(limits, options.max_connections)),
        options_(options),
        spool_(std::make_shared<SpoolSpace>(context.temp_dir, limits.all_spools_bytes)),
        bodies_(std::make_shared<MemoryShare>(limits.all_bodies_bytes)),
        answers_(std::make_shared<MemoryShare>(limits.all_answers_bytes)),
        service_(std::make_unique<Service>(backend,
                                           AccessRules{options.token, address.loopback, options.token_for_reads},
                                           limits_, with_own_stop(context), *spool_, *bodies_, metrics_)),
        shared_state_{.limits = limits_,
                      .service = *service_,
                      .metrics = metrics_,
                      .bodies = bodies_,
                      .answers = answers_,
                      .spool = spool_,
                      .closed = [this](const Connection* connection) { remove_connection(connection); },
                      .failed = [this](const std::exception_ptr& thrown) { log(thrown); }},
        acceptor_(listen_on(io_.back().context.get_executor(), address)),
        pause_(acceptor_.get_executor()) {}

  void run(const std::stop_token& stop) {
    const std::string address = to_text(acceptor_.local_endpoint());
    accept();
    std::vector<std::jthread> threads;
    for (Io& io : io_) threads.emplace_back([this, &io] { run_io(io.context); });
    std::exception_ptr thrown;
    try {
      if (options_.ready) options_.ready(address);
      wait_for(stop);
    } catch (...) {
      thrown = std::current_exception();
    }
    end(thrown ? std::chrono::milliseconds(0) : limits_.shutdown_time);
    threads.clear();
    // The service's threads wake connections through io_, so they must end before it. Connections end with io_.
    service_.reset();
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  Context with_own_stop(Context context) const {
    context.stop = stop_work_.get_token();
    return context;
  }

  void wait_for(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [] { return false; });
  }

  // Makes a callback of the accept loop. If it throws, or Asio drops it, run_io() restarts the loop.
  template <class Work>
  auto accepting(Work work) {
    struct Mark {
      void operator()(std::atomic<bool>* lost) const { *lost = true; }
    };
    return [work = std::move(work),
            mark_lost = std::unique_ptr<std::atomic<bool>, Mark>(&accept_stopped_)](auto&&... arguments) mutable {
      work(std::forward<decltype(arguments)>(arguments)...);
      static_cast<void>(mark_lost.release());
    };
  }

  // Exceptions that arrive here come from Asio, for lack of memory, or from the accept loop. What the steps of a
  // connection throw does not arrive here: it ends only that connection.
  void run_io(net::io_context& io) {
    while (true) {
      try {
        if (accept_stopped_.exchange(false)) {
          std::this_thread::sleep_for(kPause);
          net::post(acceptor_.get_executor(), accepting([this] { accept(); }));
        }
        io.run();
        return;
      } catch (...) {
        log(std::current_exception());
      }
    }
  }

  void log(const std::exception_ptr& thrown) noexcept {
    ++metrics_.failures;
    if (!options_.log) return;
    try {
      const std::lock_guard lock(log_mutex_);
      try {
        options_.log("a connection was dropped: " + message_of(thrown));
      } catch (const std::bad_alloc&) {
        options_.log("a connection was dropped: out of memory");
      }
    } catch (...) {  // a log callback that throws must not end the server
    }
  }

  void accept() {
    if (!acceptor_.is_open()) return;
    net::io_context& next = io_[next_io_++ % io_.size()].context;
    acceptor_.async_accept(next.get_executor(), accepting([this](const error_code& error, tcp::socket socket) {
                             if (error == net::error::operation_aborted || !acceptor_.is_open()) return;
                             if (error) return accept_later();
                             try {
                               take(std::move(socket));
                             } catch (...) {
                               log(std::current_exception());
                             }
                             accept();
                           }));
  }

  // Tries again after a pause, because accepting has failed, for example for lack of a free descriptor.
  void accept_later() {
    pause_.expires_after(kPause);
    pause_.async_wait(accepting([this](const error_code& error) {
      if (!error) accept();
    }));
  }

  void take(tcp::socket socket) {
    std::size_t open = 0;
    {
      const std::lock_guard lock(mutex_);
      open = connections_.size();
    }
    if (open >= limits_.max_connections) ++metrics_.refused_connections;
    if (open >= limits_.max_connections + kMaxRefused) return;
    const auto connection = std::make_shared<Connection>(std::move(socket), shared_state_);
    {
      const std::lock_guard lock(mutex_);
      connections_.emplace(connection.get(), connection);
    }
    if (open < limits_.max_connections)
      connection->start();
    else
      connection->refuse();
  }

  void remove_connection(const Connection* connection) {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection);
    changed_.notify_all();
  }

  void call_all(void (Connection::*what)()) {
    std::vector<std::shared_ptr<Connection>> all;
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [pointer, connection] : connections_) {
        if (auto alive = connection.lock()) all.push_back(std::move(alive));
      }
    }
    for (const auto& connection : all) ((*connection).*what)();
  }

  bool wait_until_closed(std::chrono::milliseconds within) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, within, [&] { return connections_.empty(); });
  }

  void end(std::chrono::milliseconds timeout) {
    shared_state_.draining = true;
    net::post(acceptor_.get_executor(), [this] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
    });
    call_all(&Connection::drain);
    const bool gone = wait_until_closed(timeout);
    stop_work_.request_stop();
    if (!gone) {
      call_all(&Connection::abort);
      wait_until_closed(std::chrono::seconds(1));
    }
    shared_state_.stopped = true;
    for (Io& io : io_) io.context.stop();
  }

  // The event loop of one thread. A connection stays with one loop, so that its callbacks never run concurrently.
  // Strands would ensure that too, but Asio queues them in a destructor, which ends the process if there is no
  // memory for it.
  struct Io {
    net::io_context context{1};
    // Keeps the loop running while it has no pending operation: a worker may still wake a connection through it.
    net::executor_work_guard<net::io_context::executor_type> until_stopped{context.get_executor()};
  };

  const Limits limits_;
  const ServeOptions& options_;
  std::stop_source stop_work_;
  Metrics metrics_;
  const std::shared_ptr<SpoolSpace> spool_;
  const std::shared_ptr<MemoryShare> bodies_;
  const std::shared_ptr<MemoryShare> answers_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<const Connection*, std::weak_ptr<Connection>> connections_;
  std::mutex log_mutex_;
  std::atomic<bool> accept_stopped_{false};  // the accept loop has stopped and must be restarted
  std::unique_ptr<Service> service_;
  SharedState shared_state_;
  // The last loop accepts. It is destroyed first, because a pending accept holds a socket of any of the loops.
  std::array<Io, kIoThreads> io_;
  std::size_t next_io_ = 0;
  tcp::acceptor acceptor_;
  net::steady_timer pause_;
};

}  // namespace

void run_server(Backend& backend, const ServeOptions& options, const Limits& limits, const Context& context) {
  const ListenAddress address = parse_listen(options.listen);
  if (!address.loopback && options.token.empty())
    throw Error(Errc::invalid_argument,
                fmt::format("{}: reachable from other machines, so a token is required; add `token_file` FILE",
                            options.listen));
  if (options.token_for_reads && options.token.empty())
    throw Error(Errc::invalid_argument, "`token_for_reads`: needs a token; add `token_file` FILE");
  if (options.max_connections == 0) throw Error(Errc::invalid_argument, "`max_connections`: must be at least 1");
  Server(backend, options, address, limits, context).run(context.stop);
}

}  // namespace refrain::server
