// For tests: a server over a fake index in this process, and a client that can send arbitrary bytes.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "faces/server/fake_backend.h"
#include "faces/server/server.h"

namespace refrain::server {

class TestServer {
 public:
  explicit TestServer(Limits limits = {}, ServeOptions options = {}) {
    if (options.listen == ServeOptions{}.listen) options.listen = "127.0.0.1:0";
    std::promise<std::string> address;
    options.ready = [&](std::string_view text) { address.set_value(std::string(text)); };
    thread_ = std::thread([this, limits, options] {
      Context context;
      context.threads = 2;
      context.memory_bytes = std::uint64_t{256} << 20;
      context.stop = stop_.get_token();
      run_server(backend, options, limits, context);
    });
    const std::string text = address.get_future().get();
    port_ = static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1)));
  }
  ~TestServer() { stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void ask_to_stop() { stop_.request_stop(); }
  void stop() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  std::uint16_t port() const { return port_; }

  FakeBackend backend;

 private:
  std::stop_source stop_;
  std::thread thread_;
  std::uint16_t port_ = 0;
};

struct Response {
  int status = 0;  // 0: the connection ended without a response
  std::string head;
  std::string body;
  bool whole = false;  // the body is complete
  bool has(std::string_view line) const { return head.find(line) != std::string::npos; }
};

class Client {
 public:
  explicit Client(const TestServer& server, int receive_buffer = 0) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer != 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(server.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("connect");
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  // Returns false if the server has closed the connection.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Waits for the next response and returns it. Throws if nothing arrives for a minute.
  Response receive(bool head_only = false) {
    Response out;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more()) return out;
    }
    out.head = buffer_.substr(0, end + 4);
    buffer_.erase(0, end + 4);
    out.status = std::stoi(out.head.substr(9, 3));
    out.whole = true;
    if (head_only || out.status == 100) return out;
    const std::size_t length = out.head.find("Content-Length: ");
    if (length != std::string::npos) {
      const std::size_t bytes = std::stoul(out.head.substr(length + 16));
      while (buffer_.size() < bytes && read_more()) {
      }
      out.whole = buffer_.size() >= bytes;
      out.body = buffer_.substr(0, bytes);
      buffer_.erase(0, bytes);
    } else if (out.has("Transfer-Encoding: chunked")) {
      receive_chunks(out);
    } else {
      while (read_more()) {
      }
      out.body = std::exchange(buffer_, {});
    }
    return out;
  }

  Response ask(const std::string& method, const std::string& target, const std::string& body = "",
               const std::string& headers = "") {
    std::string request = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers;
    if (!body.empty()) request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    send(request + "\r\n" + body);
    return receive(method == "HEAD");
  }

  // Waits for data or the end of the connection. Returns whether the server has closed it and all data was taken.
  bool at_end() { return buffer_.empty() && !read_more(); }

 private:
  bool read_more() {
    pollfd poll{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, 60'000) != 1) throw std::runtime_error("nothing came in a minute");
    char bytes[16'384];
    const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  void receive_chunks(Response& out) {
    while (true) {
      std::size_t line = 0;
      while ((line = buffer_.find("\r\n")) == std::string::npos) {
        if (!read_more()) {
          out.whole = false;
          return;
        }
      }
      const std::size_t size = std::stoul(buffer_.substr(0, line), nullptr, 16);
      while (buffer_.size() < line + 2 + size + 2) {
        if (!read_more()) {
          out.whole = false;
          return;
        }
      }
      out.body += buffer_.substr(line + 2, size);
      buffer_.erase(0, line + 2 + size + 2);
      if (size == 0) return;
    }
  }

  int fd_;
  std::string buffer_;
};

}  // namespace refrain::server
