#include "faces/server/server.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>

#include "faces/server/test_client.h"
#include "refrain/error.h"
#include "refrain/json_text.h"

namespace refrain::server {
namespace {

using std::chrono::milliseconds;

const std::string kAuthorized = "Authorization: Bearer secret\r\n";

ServeOptions with_token() {
  ServeOptions options;
  options.token = "secret";
  return options;
}

std::size_t lines_of(const std::string& body) {
  return static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
}

// ---- Answers

TEST(Server, ALongDocumentArrivesWhole) {
  TestServer server({}, with_token());
  std::string text;
  for (int i = 0; i < 40000; ++i) text += i % 3 == 0 ? "w\xC3\xB6rd \n" : "\xE2\x82\xAC\xF0\x9F\x98\x80";
  server.backend.add({{"a", text}}, false, {});
  Client client(server);
  EXPECT_EQ(client.ask("GET", "/v1/documents/a").body,
            "{\"id\":\"a\",\"tokens\":1,\"text\":" + json_text(text) + "}\n");
}

TEST(Server, AnswersManyRequestsOfOneConnection) {
  TestServer server({}, with_token());
  Client client(server);
  EXPECT_EQ(client.ask("GET", "/healthz").body, "{\"status\":\"ok\"}\n");
  Response response = client.ask("POST", "/v1/documents", R"({"id": "a/b", "text": "some text"})", kAuthorized);
  EXPECT_EQ(response.status, 201) << response.body;
  EXPECT_EQ(client.ask("POST", "/v1/documents", R"({"id": "a/b", "text": "x"})", kAuthorized).status, 409);
  EXPECT_EQ(client.ask("POST", "/v1/documents?replace=1", R"({"id": "a/b", "text": "x y"})", kAuthorized).status, 201);
  for (const char* bad : {"replace=2", "replace=", "replace"})
    EXPECT_EQ(
        client.ask("POST", std::string("/v1/documents?") + bad, R"({"id": "c", "text": "x"})", kAuthorized).status,
        400);
  response = client.ask("GET", "/v1/documents/a%2Fb");
  EXPECT_EQ(response.body, "{\"id\":\"a/b\",\"tokens\":1,\"text\":\"x y\"}\n");
  EXPECT_EQ(client.ask("HEAD", "/v1/documents/a/b").status, 200);
  EXPECT_EQ(client.ask("DELETE", "/v1/documents/a/b", "", kAuthorized).status, 200);
  EXPECT_EQ(client.ask("DELETE", "/v1/documents/a/b", "", kAuthorized).status, 404);
  EXPECT_EQ(client.ask("GET", "/v1/documents/a/b").status, 404);
  EXPECT_EQ(client.ask("HEAD", "/v1/documents/a/b").status, 404);
  EXPECT_NE(client.ask("GET", "/v1/stats").body.find("\"generation\": 5"), std::string::npos);
  EXPECT_EQ(client.ask("GET", "/v1/nothing").status, 404);
  response = client.ask("PUT", "/v1/stats");
  EXPECT_EQ(response.status, 405);
  EXPECT_TRUE(response.has("Allow: GET, HEAD\r\n"));
}

TEST(Server, StreamsPassagesAndThenTheCursor) {
  TestServer server;
  Client client(server);
  Response response = client.ask("POST", "/v1/query", R"({"text": "3", "limit": 3})");
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.has("Content-Type: application/x-ndjson\r\n"));
  EXPECT_TRUE(response.has("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(lines_of(response.body), 4U);
  EXPECT_TRUE(response.body.ends_with("\n{\"cursor\":\"next\",\"generation\":1,\"changed_documents\":0}\n"));
  response = client.ask("POST", "/v1/query", R"({"text": "0"})");
  EXPECT_EQ(response.body, "{\"cursor\":null,\"generation\":1,\"changed_documents\":0}\n");
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"text": "1", "cursor": "?"})").status, 400);
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"id": "unknown"})").status, 404);
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"text")").status, 400);
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"text": "fail"})").status, 500);
  response = client.ask("POST", "/v1/query", R"({"text": "late"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.body.ends_with("\n{\"error\":{\"code\":\"corrupt\",\"message\":\"broken\"}}\n"));
}

TEST(Server, GivesPagesOfAllPassagesFromOneExtraction) {
  TestServer server({}, with_token());
  Client client(server);
  const std::string whole = client.ask("GET", "/v1/passages?limit=1000").body;
  EXPECT_EQ(lines_of(whole), 46U);
  std::string all;
  std::string target = "/v1/passages";
  while (true) {
    const std::string page = client.ask("GET", target).body;
    const std::size_t last = page.rfind('\n', page.size() - 2) + 1;
    all += page.substr(0, last);
    const std::string quoted = page.substr(last + 10, page.find(',', last) - last - 10);
    if (quoted == "null") break;
    target = "/v1/passages?cursor=" + quoted.substr(1, quoted.size() - 2);
  }
  EXPECT_EQ(all, whole.substr(0, all.size()));
  EXPECT_EQ(lines_of(all), 45U);
  EXPECT_EQ(server.backend.extractions, 1U);
  client.ask("POST", "/v1/documents", R"({"id": "a", "text": "b"})", kAuthorized);
  EXPECT_EQ(client.ask("GET", target).status, 410);
  for (const char* bad : {"cursor=x", "cursor=", "limit=0", "limit=x", "limit=1001", "more=1"})
    EXPECT_EQ(client.ask("GET", std::string("/v1/passages?") + bad).status, 400) << bad;
}

TEST(Server, TellsMetrics) {
  TestServer server;
  Client client(server);
  client.ask("GET", "/healthz");
  client.ask("GET", "/x");
  const std::string text = client.ask("GET", "/metrics").body;
  for (const char* line :
       {"refrain_http_requests_total{route=\"/healthz\",status=\"200\"} 1\n",
        "refrain_http_requests_total{route=\"other\",status=\"404\"} 1\n",
        "refrain_http_request_seconds_count{route=\"/healthz\"} 1\n",
        "refrain_http_request_seconds_bucket{route=\"/healthz\",le=\"+Inf\"} 1\n", "refrain_http_connections 1\n",
        "refrain_http_in_flight 1\n", "refrain_index_generation 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Server, EveryErrorHasItsStatus) {
  TestServer server({}, with_token());
  Client client(server);
  const auto add = [&](const std::string& text) {
    return client.ask("POST", "/v1/documents", R"({"id": "a", "text": ")" + text + "\"}", kAuthorized);
  };
  EXPECT_EQ(add("disk").status, 507);
  const Response busy = add("busy");
  EXPECT_EQ(busy.status, 409);
  EXPECT_TRUE(busy.has("Retry-After: 1\r\n"));
  EXPECT_EQ(client.ask("POST", "/v1/documents", R"({"id": "../a", "text": "b"})", kAuthorized).status, 400);
}

// ---- Access

TEST(Server, WritingWantsTheToken) {
  TestServer server({}, with_token());
  Client client(server);
  const std::string body = R"({"id": "a", "text": "b"})";
  for (const char* header : {"", "Authorization: Bearer wrong\r\n", "Authorization: secret\r\n"}) {
    Client other(server);
    const Response response = other.ask("POST", "/v1/documents", body, header);
    EXPECT_EQ(response.status, 401);
    EXPECT_TRUE(response.has("WWW-Authenticate: Bearer\r\n"));
    EXPECT_EQ(client.ask("DELETE", "/v1/documents/a", "", header).status, 401);
  }
  EXPECT_EQ(client.ask("GET", "/v1/stats").status, 200);
  TestServer open;
  EXPECT_EQ(Client(open).ask("POST", "/v1/documents", body, kAuthorized).status, 403);
  EXPECT_EQ(Client(open).ask("DELETE", "/v1/documents/a", "", kAuthorized).status, 403);
}

TEST(Server, AnOpenAddressWantsTheTokenForEverything) {
  ServeOptions options = with_token();
  options.listen = "0.0.0.0:0";
  TestServer server({}, options);
  Client client(server);
  for (const char* target : {"/healthz", "/metrics", "/v1/stats", "/x"}) {
    EXPECT_EQ(client.ask("GET", target).status, 401) << target;
  }
  EXPECT_EQ(client.ask("GET", "/healthz", "", kAuthorized).status, 200);
  FakeBackend backend;
  options.token = "";
  try {
    run_server(backend, options, {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
  }
}

TEST(Server, APageOfTheWebUnderItsOwnNameReadsNothing) {
  TestServer server({}, with_token());
  Client client(server);
  client.send("GET /v1/stats HTTP/1.1\r\nHost: evil.example:7878\r\n\r\n");
  EXPECT_EQ(client.receive().status, 403);
  client.send("GET /v1/stats HTTP/1.1\r\nHost: my.proxy\r\n" + kAuthorized + "\r\n");
  EXPECT_EQ(client.receive().status, 200);
}

// <img src="http://127.0.0.1:7878/v1/passages"> on a web page must not start an extraction.
TEST(Server, APageOfAnotherSiteStartsNoExtraction) {
  TestServer server({}, with_token());
  for (const std::string headers :
       {"Sec-Fetch-Site: cross-site\r\n", "sec-fetch-site: same-site\r\n", "Origin: http://evil.example\r\n",
        "Origin: null\r\n", "Origin: http://localhost:1\r\nSec-Fetch-Site: same-origin\r\n"}) {
    Client client(server);
    for (const std::string& given : {headers, headers + kAuthorized}) {
      const Response response = client.ask("GET", "/v1/passages", "", given);
      EXPECT_EQ(response.status, 403) << given;
      EXPECT_TRUE(response.body.starts_with("{\"error\":{\"code\":\"cross_site\"")) << response.body;
      EXPECT_EQ(client.ask("OPTIONS", "/v1/passages", "", given).status, 403) << given;
    }
    // The request is refused before its body is read: none is sent here.
    client.send("POST /v1/query HTTP/1.1\r\nHost: localhost\r\n" + headers + "Content-Length: 1000\r\n\r\n");
    EXPECT_EQ(client.receive().status, 403) << headers;
    EXPECT_TRUE(client.at_end());
  }
  EXPECT_EQ(server.backend.extractions, 0U);
  Client client(server);
  for (const char* headers :
       {"Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost\r\n"})
    EXPECT_EQ(client.ask("GET", "/v1/passages", "", headers).status, 200) << headers;
  EXPECT_EQ(server.backend.extractions, 1U);
}

TEST(Server, APageReachesAServerBehindAProxyThatKeepsTheHost) {
  TestServer server({}, with_token());
  Client client(server);
  const auto ask = [&](const std::string& headers) {
    client.send("GET /v1/stats HTTP/1.1\r\n" + headers + kAuthorized + "\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(ask("Host: refrain.example\r\nOrigin: https://refrain.example\r\nSec-Fetch-Site: same-origin\r\n"), 200);
  EXPECT_EQ(ask("Host: 127.0.0.1:7878\r\nOrigin: https://refrain.example\r\nSec-Fetch-Site: same-origin\r\n"), 403);
}

TEST(Server, NoAnswerMayBeReadByAnotherOrigin) {
  TestServer server;
  Client client(server);
  for (const char* target : {"/healthz", "/v1/passages", "/nothing"}) {
    const Response response = client.ask("GET", target);
    EXPECT_TRUE(response.has("Cross-Origin-Resource-Policy: same-origin\r\n")) << response.head;
    EXPECT_TRUE(response.has("X-Content-Type-Options: nosniff\r\n")) << response.head;
    EXPECT_FALSE(response.has("Access-Control-")) << response.head;
  }
}

// With token_for_reads, other users of the machine cannot read the index without the token.
TEST(Server, ReadingWantsTheTokenWhereItIsAskedFor) {
  ServeOptions options = with_token();
  options.token_for_reads = true;
  TestServer server({}, options);
  server.backend.add({{"a", "b"}}, false, {});
  Client client(server);
  for (const char* target : {"/metrics", "/v1/stats", "/v1/passages", "/v1/documents/a"}) {
    EXPECT_EQ(client.ask("GET", target).status, 401) << target;
    EXPECT_EQ(client.ask("HEAD", target).status, 401) << target;
    EXPECT_EQ(client.ask("GET", target, "", "Authorization: Bearer wrong\r\n").status, 401) << target;
    EXPECT_EQ(client.ask("GET", target, "", kAuthorized).status, 200) << target;
  }
  EXPECT_EQ(Client(server).ask("POST", "/v1/query", R"({"text": "1"})").status, 401);
  EXPECT_EQ(client.ask("POST", "/v1/query", R"({"text": "1"})", kAuthorized).status, 200);
  EXPECT_EQ(client.ask("GET", "/healthz").status, 200);
  FakeBackend backend;
  options.token = "";
  try {
    run_server(backend, options, {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
  }
}

TEST(Server, AnAddressThatIsTakenIsBusy) {
  TestServer server;
  FakeBackend backend;
  ServeOptions options;
  options.listen = "127.0.0.1:" + std::to_string(server.port());
  try {
    run_server(backend, options, {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::busy);
  }
}

// ---- Shutdown

TEST(Server, EndsARequestBeforeItStops) {
  Limits limits;
  limits.shutdown_time = milliseconds(60'000);
  TestServer server(limits, with_token());
  Client idle(server);
  Client writer(server);
  EXPECT_EQ(idle.ask("GET", "/healthz").status, 200);
  writer.send("POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n" + kAuthorized +
              "Expect: 100-continue\r\nContent-Length: 24\r\n\r\n");
  EXPECT_EQ(writer.receive().status, 100);
  server.ask_to_stop();
  EXPECT_TRUE(idle.at_end());
  writer.send(R"({"id": "a", "text": "b"})");
  const Response response = writer.receive();
  EXPECT_EQ(response.status, 201);
  EXPECT_TRUE(response.has("Connection: close\r\n"));
  EXPECT_TRUE(writer.at_end());
  writer.close();
  server.stop();
  EXPECT_TRUE(server.backend.document("a"));
}

TEST(Server, StopsWorkThatDoesNotEndByItself) {
  Limits limits;
  limits.shutdown_time = milliseconds(10);
  TestServer server(limits);
  Client client(server);
  client.send("POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16\r\n\r\n{\"text\": \"wait\"}");
  while (server.backend.waiting == 0) std::this_thread::yield();
  server.stop();
  EXPECT_EQ(server.backend.stopped, 1U);
  EXPECT_TRUE(client.at_end());
}

TEST(Server, StopsAnExtractionThatDoesNotEndByItself) {
  Limits limits;
  limits.shutdown_time = milliseconds(10);
  TestServer server(limits);
  server.backend.extraction_waits = true;
  Client client(server);
  client.send("GET /v1/passages HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (server.backend.waiting == 0) std::this_thread::yield();
  server.stop();
  EXPECT_EQ(server.backend.stopped, 1U);
  EXPECT_TRUE(client.at_end());
}

// ---- Waiting for passages

void wait_for_connections(Client& client, const std::string& count) {
  while (client.ask("GET", "/metrics").body.find("\nrefrain_http_connections " + count + "\n") == std::string::npos)
    std::this_thread::yield();
}

TEST(Server, AnExtractionEndsWithTheLastClientThatWaitsForIt) {
  TestServer server;
  server.backend.extraction_waits = true;
  Client watcher(server);
  const std::string request = "GET /v1/passages HTTP/1.1\r\nHost: localhost\r\n\r\n";
  Client first(server);
  first.send(request);
  while (server.backend.waiting == 0) std::this_thread::yield();
  Client second(server);
  Client third(server);
  second.send(request);
  third.send(request);
  while (watcher.ask("GET", "/metrics").body.find("\nrefrain_http_in_flight 4\n") == std::string::npos)
    std::this_thread::yield();
  // The client that caused the extraction leaves. The extraction continues for the others.
  first.close();
  wait_for_connections(watcher, "3");
  EXPECT_EQ(server.backend.stopped, 0U);
  second.close();
  third.close();
  while (server.backend.stopped == 0) std::this_thread::yield();
  // A later client is not affected.
  server.backend.go_on();
  EXPECT_EQ(lines_of(watcher.ask("GET", "/v1/passages?limit=1000").body), 46U);
  EXPECT_EQ(server.backend.extractions, 2U);
  EXPECT_EQ(server.backend.stopped, 1U);
}

TEST(Server, AnExtractionWhoseFirstClientHasGoneAnswersTheNext) {
  TestServer server;
  server.backend.extraction_waits = true;
  Client watcher(server);
  const std::string request = "GET /v1/passages?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  Client first(server);
  first.send(request);
  while (server.backend.waiting == 0) std::this_thread::yield();
  Client second(server);
  second.send(request);
  while (watcher.ask("GET", "/metrics").body.find("\nrefrain_http_in_flight 3\n") == std::string::npos)
    std::this_thread::yield();
  first.close();
  wait_for_connections(watcher, "2");
  server.backend.go_on();
  EXPECT_EQ(lines_of(second.receive().body), 46U);
  EXPECT_EQ(server.backend.extractions, 1U);
}

TEST(Server, PassagesThatTakeTooMuchDiskAreRefused) {
  Limits limits;
  limits.all_spools_bytes = 3000;
  TestServer server(limits);
  Client client(server);
  const Response response = client.ask("GET", "/v1/passages");
  EXPECT_EQ(response.status, 507) << response.body;
  server.backend.extracted_passages = 5;
  EXPECT_EQ(client.ask("GET", "/v1/passages").status, 200);
  const std::string text = client.ask("GET", "/metrics").body;
  EXPECT_EQ(text.find("refrain_answers_on_disk_bytes 0\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace refrain::server
