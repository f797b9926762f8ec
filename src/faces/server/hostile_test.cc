// Tests with clients that are slow, greedy or hostile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>

#include "faces/server/test_client.h"

namespace refrain::server {
namespace {

using std::chrono::milliseconds;

const std::string kQuery = "POST /v1/query HTTP/1.1\r\nHost: localhost\r\n";

std::string query(const std::string& text) {
  const std::string body = "{\"text\": \"" + text + "\"}";
  return kQuery + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

int status_of(const TestServer& server, const std::string& bytes) {
  Client client(server);
  client.send(bytes);
  const Response response = client.receive();
  if (response.status >= 400) {
    EXPECT_TRUE(response.body.starts_with("{\"error\":{\"code\":\"")) << response.body;
  }
  return response.status;
}

TEST(Hostile, WhatIsNotHttpIsRefusedWithJson) {
  TestServer server;
  for (const char* bytes :
       {"\x16\x03\x01\x02\x00\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
        "GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /v1/documents/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n"})
    EXPECT_EQ(status_of(server, bytes), 400) << bytes;
  EXPECT_EQ(status_of(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
  EXPECT_EQ(status_of(server, "\r\nGET /healthz HTTP/1.0\r\n\r\n"), 200);
  EXPECT_EQ(status_of(server, "GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200);
}

TEST(Hostile, ALengthThatIsSaidTwiceIsRefused) {
  TestServer server;
  const std::string smuggled = "\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const char* headers : {
           "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
           "Content-Length: 5\r\nContent-Length: 6\r\n",
           "Content-Length: 5\r\nContent-Length: 5\r\n",
           "Content-Length: 5, 5\r\n",
           "Content-Length: 5,\r\n",
           "Content-Length: 5, 6\r\n",
           "content-length: 5\r\nX: y\r\nCONTENT-LENGTH: 5\r\n",
           "Content-Length: -1\r\n",
           "Content-Length: +5\r\n",
           "Content-Length: 99999999999999999999999\r\n",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: gzip, chunked\r\n",
           "Transfer-Encoding: xchunked\r\n",
           "Transfer-Encoding: identity\r\n",
           "Transfer-Encoding : chunked\r\n",
       }) {
    Client client(server);
    client.send(kQuery + headers + smuggled);
    EXPECT_EQ(client.receive().status, 400) << headers;
    EXPECT_TRUE(client.at_end()) << headers;  // the bytes after it are not taken for a request
  }
}

// Parsers disagree about a folded line: one joins it to the previous line, another drops it, a third takes it for a
// separate header.
TEST(Hostile, AHeaderLineThatGoesOnInTheNextIsRefused) {
  TestServer server;
  const std::string next = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string start = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string& head :
       {start + "X: a\r\n b\r\n\r\n", start + "X: a\r\n\tb\r\n\r\n", start + "X:\r\n b\r\n\r\n",
        start + "X: a\r\n \r\n\r\n", start + "X: a\r\n Content-Length: 5\r\n\r\n",
        start + "Content-Length:\r\n 5\r\n\r\n", start + "Transfer-Encoding:\r\n chunked\r\n\r\n",
        std::string("GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n"),
        std::string("GET /healthz HTTP/1.1\r\nHost:\r\n localhost\r\n\r\n")}) {
    Client client(server);
    client.send(next + head + next);
    EXPECT_EQ(client.receive().status, 200);
    const Response response = client.receive();
    EXPECT_EQ(response.status, 400) << head;
    EXPECT_TRUE(response.has("Connection: close\r\n")) << head;
    EXPECT_TRUE(client.at_end()) << head;
    Client slow(server);  // one byte at a time
    for (const char c : head) {
      if (!slow.send({&c, 1})) break;
    }
    EXPECT_EQ(slow.receive().status, 400) << head;
  }
  Client client(server);
  client.send(kQuery + "Transfer-Encoding: chunked\r\n\r\ne\r\n{\"text\":\n \"1\"}\r\n0\r\nX: a\r\n b\r\n\r\n" + next);
  EXPECT_EQ(client.receive().status, 400);  // a trailer must not have folded lines either
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(status_of(server, kQuery + "Content-Length: 14\r\n\r\n{\"text\":\n \"1\"}"), 200);  // a body may do so
}

TEST(Hostile, AHeaderThatSettlesWhoMayAskIsSaidOnce) {
  TestServer server;
  for (const std::string line :
       {"Origin: http://localhost\r\n", "Sec-Fetch-Site: none\r\n", "Authorization: Bearer x\r\n"}) {
    const std::string start = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + line;
    EXPECT_EQ(status_of(server, start + "\r\n"), 200);
    EXPECT_EQ(status_of(server, start + line + "\r\n"), 400);
  }
}

TEST(Hostile, ChunkedBodiesAreRead) {
  TestServer server;
  Client client(server);
  client.send(kQuery +
              "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\n{\"tex\r\n8\r\nt\": \"2\"}\r\n0\r\nTrailer: x\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  client.send(kQuery + "Transfer-Encoding: chunked\r\n\r\nzz\r\n");
  EXPECT_EQ(client.receive().status, 400);
  EXPECT_EQ(status_of(server, kQuery + "Transfer-Encoding: chunked\r\n\r\n5;" + std::string(100'000, 'x')), 400);
}

TEST(Hostile, RequestsMayComeTogether) {
  TestServer server;
  Client client(server);
  client.send(query("1") + query("2") + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().body, "{\"status\":\"ok\"}\n");
}

TEST(Hostile, HeadersPastTheLimitAreRefusedHoweverTheyCome) {
  TestServer server;
  const std::string start = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
  EXPECT_EQ(status_of(server, "GET /" + std::string(20'000, 'a')), 414);
  EXPECT_EQ(status_of(server, start + "X: " + std::string(20'000, 'a')), 431);
  EXPECT_EQ(status_of(server, start + "X: " + std::string(15'000, 'a') + "\r\n\r\n"), 200);
  EXPECT_EQ(status_of(server, start + "X: " + std::string(17'000, 'a') + "\r\n\r\n"), 431);
  // Sends many small headers separately: headers that have already been parsed count, too.
  Client client(server);
  client.send(start);
  for (int i = 0; i < 5000; ++i) client.send("X" + std::to_string(i) + ": y\r\n");
  EXPECT_EQ(client.receive().status, 431);
}

TEST(Hostile, BodiesPastTheLimitAreRefused) {
  Limits limits;
  limits.body_bytes = 1000;
  TestServer server(limits);
  EXPECT_EQ(status_of(server, kQuery + "Content-Length: 1001\r\n\r\n"), 413);  // refused before the body is sent
  EXPECT_EQ(status_of(server, kQuery + "Transfer-Encoding: chunked\r\n\r\nffffff\r\n" + std::string(5000, ' ')), 413);
  EXPECT_EQ(status_of(server, kQuery + "Content-Length: 1000\r\n\r\n" + std::string(987, ' ') + "{\"text\":\"1\"} "),
            200);
}

TEST(Hostile, BodiesTogetherHaveALimitToo) {
  Limits limits;
  limits.all_bodies_bytes = 200'000;  // each byte of a body counts twice
  TestServer server(limits);
  Client first(server);
  first.send(kQuery + "Expect: 100-continue\r\nContent-Length: 90000\r\n\r\n");
  EXPECT_EQ(first.receive().status, 100);
  first.send(std::string(89'987, ' '));
  Client watcher(server);
  while (watcher.ask("GET", "/metrics").body.find("refrain_request_bodies_bytes 179974\n") == std::string::npos) {
  }
  EXPECT_EQ(status_of(server, kQuery + "Content-Length: 50000\r\n\r\n" + std::string(50'000, ' ')), 503);
  first.send("{\"text\": \"1\"}");
  EXPECT_EQ(first.receive().status, 200);
  EXPECT_EQ(status_of(server, query("1")), 200);
}

TEST(Hostile, SlowHeadersAndBodiesAreToldSo) {
  Limits limits;
  limits.header_time = milliseconds(100);
  limits.body_time = milliseconds(100);
  limits.idle_time = milliseconds(100);
  TestServer server(limits);
  EXPECT_EQ(status_of(server, "GET /healthz HTTP/1.1\r\nHo"), 408);
  EXPECT_EQ(status_of(server, kQuery + "Content-Length: 5\r\n\r\nab"), 408);
  Client silent(server);
  EXPECT_TRUE(silent.at_end());
  Client once(server);
  EXPECT_EQ(once.ask("GET", "/healthz").status, 200);
  EXPECT_TRUE(once.at_end());
}

TEST(Hostile, AThousandSlowClientsDoNotStopTheNext) {
  TestServer server;
  std::deque<Client> slow;
  for (int i = 0; i < 1000; ++i) {
    slow.emplace_back(server);
    const std::string request = i % 2 == 0 ? "GET /healthz HTTP/1.1\r\nHo" : kQuery + "Content-Length: 9\r\n\r\n{";
    ASSERT_TRUE(slow.back().send(request));
  }
  Client client(server);
  EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"text": "1"})").status, 200);
}

TEST(Hostile, ConnectionsPastTheMostAreToldSo) {
  ServeOptions options;
  options.max_connections = 3;
  TestServer server({}, options);
  std::deque<Client> taken;
  for (int i = 0; i < 3; ++i) {
    taken.emplace_back(server);
    EXPECT_EQ(taken.back().ask("GET", "/healthz").status, 200);
  }
  Client client(server);
  const Response response = client.receive();
  EXPECT_EQ(response.status, 503);
  EXPECT_TRUE(response.has("Retry-After: 1\r\n"));
  taken.clear();
  client.close();
  int status = 503;  // until the server has noticed that the clients left
  while (status == 503) status = Client(server).ask("GET", "/healthz").status;
  EXPECT_EQ(status, 200);
}

TEST(Hostile, AFullLineOfWorkIsToldSo) {
  Limits limits;
  limits.queued = 1;
  TestServer server(limits);
  std::deque<Client> waiting;
  int refused = 0;
  for (int i = 0; i < 6; ++i) {  // two are processed, one waits, three are refused
    waiting.emplace_back(server);
    waiting.back().send(query("wait"));
  }
  Client watcher(server);
  while (refused < 3) {
    const std::string text = watcher.ask("GET", "/metrics").body;
    const std::size_t at = text.find("route=\"/v1/query\",status=\"503\"} ");
    refused = at == std::string::npos ? 0 : std::atoi(text.c_str() + at + 32);
  }
  EXPECT_EQ(refused, 3);
  EXPECT_EQ(watcher.ask("GET", "/v1/stats").status, 200);  // other kinds of work go on
  EXPECT_EQ(watcher.ask("GET", "/v1/passages").status, 200);
}

TEST(Hostile, AClientThatGoesIsNotWorkedFor) {
  TestServer server;
  Client client(server);
  client.send(query("wait"));
  while (server.backend.waiting == 0) std::this_thread::yield();
  client.close();
  while (server.backend.stopped == 0) std::this_thread::yield();
  EXPECT_EQ(server.backend.stopped, 1U);
}

// Two threads work on queries. Clients that do not read their long answers must not occupy them.
TEST(Hostile, ClientsThatDoNotReadHoldNobodyUp) {
  Limits limits;
  limits.write_time = milliseconds(60'000);
  TestServer server(limits);
  server.backend.passage_bytes = 10'000;
  std::deque<Client> lazy;
  for (int i = 0; i < 8; ++i) {
    lazy.emplace_back(server, 4096);
    lazy.back().send(query("2000"));  // 20 MB
  }
  Client client(server);
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"text": "3"})").status, 200);
  // A slow client still gets the whole answer.
  const Response response = lazy.front().receive();
  EXPECT_TRUE(response.whole);
  EXPECT_EQ(std::count(response.body.begin(), response.body.end(), '\n'), 2001);
}

TEST(Hostile, AClientThatTakesNothingIsDropped) {
  Limits limits;
  limits.write_time = milliseconds(200);
  limits.spool_bytes = std::uint64_t{1} << 20;
  TestServer server(limits);
  server.backend.passage_bytes = 10'000;
  Client lazy(server, 4096);
  lazy.send(query("100000"));  // 1 GB: more than all buffers, so the worker waits
  Client client(server);
  std::string text;
  while (text.find("route=\"/v1/query\",status=\"499\"} 1\n") == std::string::npos)
    text = client.ask("GET", "/metrics").body;
  while (text.find("refrain_answers_on_disk_bytes 0\n") == std::string::npos) text = client.ask("GET", "/metrics").body;
  EXPECT_FALSE(lazy.receive().whole);
}

}  // namespace
}  // namespace refrain::server
