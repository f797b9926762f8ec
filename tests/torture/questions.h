// The questions that load.cc asks, drawn at random, each with the check of its answer.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model.h"

namespace months {

using std::string_view;

constexpr std::size_t kCrowd = 6;

struct Options {
  int port = 0;
  string token;
  string model;
  Number seed = 1;
  Number requests = 10'000;
  double seconds = 1e6;  // at most
  double least_seconds = 0;
  Number connections = 32;
  Number depth = 4;     // requests in flight on a connection
  Number stalling = 0;  // clients that stall
  bool index = true;
  bool library = true;
  bool writes = true;
  bool crowds = false;  // send exact copies at the same time, and different texts with the same id
  bool faulty = false;  // the disk fails: an answer may be an error, but must not be wrong
  bool full = false;    // the disk is full or read-only: writes may fail
  bool drops = false;   // the clock jumps: a connection may end
};

struct Reply {
  int status = 0;
  string body;
};

// Removes a complete response from `buffer`; returns false if it has not arrived completely.
inline bool take_reply(string& buffer, Reply& out) {
  const std::size_t head = buffer.find("\r\n\r\n");
  if (head == string::npos) return false;
  const string_view headers(buffer.data(), head + 2);
  out.status = std::atoi(buffer.c_str() + 9);
  out.body.clear();
  std::size_t at = head + 4;
  const std::size_t length = headers.find("\r\nContent-Length: ");
  if (length != string::npos) {
    const std::size_t size = std::strtoull(headers.data() + length + 18, nullptr, 10);
    if (buffer.size() < at + size) return false;
    out.body.assign(buffer, at, size);
    at += size;
  } else {
    for (std::size_t size = 1; size != 0;) {
      const std::size_t line = buffer.find("\r\n", at);
      if (line == string::npos) return false;
      size = std::strtoull(buffer.c_str() + at, nullptr, 16);
      if (buffer.size() < line + 2 + size + 2) return false;
      out.body.append(buffer, line + 2, size);
      at = line + 2 + size + 2;
    }
  }
  buffer.erase(0, at);
  return true;
}

// Returns all values of a string field, in order.
inline std::vector<string> values(string_view json, string_view field) {
  const string start = "\"" + string(field) + "\":\"";
  std::vector<string> out;
  for (std::size_t at = json.find(start); at != string::npos; at = json.find(start, at)) {
    at += start.size();
    out.emplace_back(json.substr(at, json.find('"', at) - at));
  }
  return out;
}

inline Number count_of(string_view text, string_view what) {
  Number count = 0;
  for (std::size_t at = text.find(what); at != string::npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

// A question: its bytes, and what to do with the answer.
struct Question {
  string name;
  string bytes;
  std::function<string(const Reply&)> check;  // returns what is wrong, or an empty string
  std::function<void()> lost = [] {};         // called if the result is unknown
  std::function<bool(const Reply&)> refused = [](const Reply&) { return false; };  // whether an error is acceptable
  bool writes = false;
};

inline string request(const string& method, const string& target, const string& body, const string& token = "") {
  string out = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!token.empty()) out += "Authorization: Bearer " + token + "\r\n";
  if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return out + "\r\n" + body;
}

inline string record(const string& id, const string& text) {
  return R"({"id":")" + id + R"(","text":")" + text + "\"}\n";
}

inline string expect_text(const Reply& reply, int status, const string& body) {
  if (reply.status == status && reply.body == body) return "";
  return "expected " + std::to_string(status) + " " + body;
}

class Asker {
 public:
  Asker(const Options& options, Model& model) : options_(options), model_(model), state_(mixed(options.seed)) {
    const auto add = [&](Number weight, Question (Asker::*make)()) { kinds_.push_back({total_ += weight, make}); };
    add(100, &Asker::health);
    add(40, &Asker::malformed);
    if (options.index) {
      add(220, &Asker::document);
      add(60, &Asker::solo);
      add(150, &Asker::query);
      add(50, &Asker::query_by_id);
      add(20, &Asker::stats);
      add(2, &Asker::metrics);
      if (!options.faulty && !options.full) add(1, &Asker::passages);
    }
    if (options.index && options.writes) {
      add(3, &Asker::write_pair);
      add(2, &Asker::write_solo);
    }
    if (options.library) {
      add(200, &Asker::seen_again);
      add(100, &Asker::seen_copy);
      add(40, &Asker::seen_near);
      if (options.writes) add(10, &Asker::seen_new);
      if (options.writes && options.crowds) add(1, &Asker::crowd);
    }
  }

  Question next() {
    if (!pending_.empty()) {
      Question out = std::move(pending_.front());
      pending_.pop_front();
      return out;
    }
    const Number at = random(total_);
    const auto kind = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& one) { return at < one.end; });
    return (this->*kind->make)();
  }

 private:
  struct Kind {
    Number end;
    Question (Asker::*make)();
  };

  Number random(Number below) { return mixed(state_ += 0x9E3779B97F4A7C15) % below; }

  Question health() {
    return {"health", request("GET", "/healthz", ""),
            [](const Reply& reply) { return expect_text(reply, 200, "{\"status\":\"ok\"}\n"); }};
  }

  Question malformed() {
    static const std::array<std::pair<int, string>, 6> all = {{
        {400, request("POST", options_.index ? "/v1/query" : "/v1/seen", "{\"text\": [", options_.token)},
        {400, request("POST", options_.index ? "/v1/query" : "/v1/seen", "{\"txt\": \"a\"}", options_.token)},
        {404, request("GET", "/v1/nothing", "")},
        {405, request("PUT", "/v1/query", "")},
        {401, request("DELETE", "/v1/documents/L0", "")},
        {403, request("GET", "/healthz", "").insert(23, "Origin: http://evil.example\r\n")},
    }};
    const auto& [status, bytes] = all[random(all.size())];
    return {"malformed", bytes, [status = status](const Reply& reply) {
              const bool right = reply.status == status && reply.body.starts_with("{\"error\":{\"code\":\"");
              return right ? string() : "expected an error " + std::to_string(status);
            }};
  }

  // Returns a function that tells whether `fits` holds for a version that existed between the question and the
  // answer.
  static std::function<bool(std::function<bool(Number)>)> since(const Versions& versions) {
    return [&versions, low = versions.low](const std::function<bool(Number)>& fits) {
      for (Number version = low; version <= versions.high; ++version)
        if (fits(version)) return true;
      return false;
    };
  }

  Question document() {
    const Number pair = random(model_.pairs.size());
    const string id = (random(2) == 0 ? "L" : "R") + std::to_string(pair);
    return {"document", request("GET", "/v1/documents/" + id, ""),
            [this, pair, id, had = since(model_.pairs[pair])](const Reply& reply) {
              const string start = R"({"id":")" + id + R"(","tokens":)" + std::to_string(kPairWords) + ",\"text\":\"";
              const bool right = reply.status == 200 && had([&](Number version) {
                                   return reply.body == start + model_.pair_text(pair, version) + "\"}\n";
                                 });
              return right ? string() : "expected the text of " + id;
            }};
  }

  Question solo() {
    const Number solo = random(model_.solos.size());
    return {"document that comes and goes", request("GET", "/v1/documents/S" + std::to_string(solo), ""),
            [this, solo, had = since(model_.solos[solo])](const Reply& reply) {
              const bool right = had([&](Number version) {
                if (version % 2 == 0) return reply.status == 404;
                return reply.status == 200 && reply.body.ends_with("\"" + model_.solo_text(solo, version) + "\"}\n");
              });
              return right ? string() : "expected a version of S" + std::to_string(solo);
            }};
  }

  static string check_places(const Reply& reply, std::vector<string> ids, Number end) {
    if (reply.status != 200 || !reply.body.ends_with(",\"changed_documents\":0}\n")) return "expected a whole answer";
    std::vector<string> got = values(reply.body, "id");
    std::sort(got.begin(), got.end());
    if (got != ids) return "expected other places";
    const string range = "\"begin\":0,\"end\":" + std::to_string(end) + ",";
    if (count_of(reply.body, range) < ids.size()) return "expected whole documents";
    return "";
  }

  Question query() {
    const Number pair = random(model_.pairs.size());
    const Versions& versions = model_.pairs[pair];
    const Number asked = versions.low - (versions.low > 1 && random(4) == 0 ? 1 : 0);  // sometimes an old one
    const string text = model_.pair_text(pair, asked);
    return {"query", request("POST", "/v1/query", R"({"text":")" + text + R"(","texts":false})"),
            [pair, asked, end = text.size(), had = since(versions)](const Reply& reply) {
              const string number = std::to_string(pair);
              const bool found = !values(reply.body, "id").empty();
              const string wrong = check_places(
                  reply, found ? std::vector<string>{"L" + number, "R" + number} : std::vector<string>(), end);
              if (!wrong.empty()) return wrong;
              return had([&](Number version) { return (version == asked) == found; }) ? string()
                                                                                      : "expected another version";
            }};
  }

  Question query_by_id() {
    const Number pair = random(model_.pairs.size());
    const string number = std::to_string(pair);
    return {"query by id", request("POST", "/v1/query", R"({"id":"L)" + number + R"(","texts":false})"),
            [number](const Reply& reply) { return check_places(reply, {"R" + number}, kPairWords * 8 - 1); }};
  }

  Question stats() {
    return {"stats", request("GET", "/v1/stats", ""), [this](const Reply& reply) {
              const std::size_t at = reply.body.find("\"documents\":");
              const Number documents =
                  at == string::npos ? 0 : std::strtoull(reply.body.c_str() + at + 12, nullptr, 10);
              const Number least = 2 * model_.pairs.size() + 1;  // and the big one
              const bool right = reply.status == 200 && documents >= least && documents <= least + model_.solos.size();
              return right ? string() : "expected the number of documents";
            }};
  }

  Question metrics() {
    return {"metrics", request("GET", "/metrics", ""), [](const Reply& reply) {
              const bool right = reply.status == 200 && reply.body.find("\nrefrain_http_in_flight ") != string::npos;
              return right ? string() : "expected metrics";
            }};
  }

  Question passages() {
    return {"passages", request("GET", "/v1/passages?limit=1000", ""), [this](const Reply& reply) {
              const Number lines = count_of(reply.body, "\n");
              const bool right = reply.status == 200 && lines == std::min<Number>(model_.pairs.size(), 1000) + 1 &&
                                 count_of(reply.body, "\"id\":\"L") == lines - 1 &&
                                 count_of(reply.body, "\"id\":\"R") == lines - 1;
              return right ? string() : "expected a passage for each pair";
            }};
  }

  // A write of the next version. At most one write per document is in flight.
  Question write(const string& name, Versions& versions, int status, const string& bytes) {
    versions.busy = true;
    ++versions.high;
    const auto lost = [&versions] { versions.busy = false; };
    return {.name = name,
            .bytes = bytes,
            .check =
                [&versions, status](const Reply& reply) {
                  versions.busy = false;
                  if (reply.status != status) return "expected " + std::to_string(status);
                  versions.low = versions.high;
                  return string();
                },
            .lost = lost,
            // Another process is merging.
            .refused =
                [&versions](const Reply& reply) {
                  if (reply.status != 409 || reply.body.find("\"busy\"") == string::npos) return false;
                  versions.busy = false;
                  --versions.high;
                  return true;
                },
            .writes = true};
  }

  Question write_pair() {
    const Number pair = random(model_.pairs.size());
    Versions& versions = model_.pairs[pair];
    if (versions.busy) return health();
    const string number = std::to_string(pair);
    const string text = model_.pair_text(pair, versions.high + 1);
    return write("write", versions, 201,
                 request("POST", "/v1/documents?replace=1", record("L" + number, text) + record("R" + number, text),
                         options_.token));
  }

  Question write_solo() {
    const Number solo = random(model_.solos.size());
    Versions& versions = model_.solos[solo];
    if (versions.busy || versions.low != versions.high) return versions.busy ? health() : settle_solo(solo);
    const string id = "S" + std::to_string(solo);
    if (versions.high % 2 == 0)
      return write(
          "add", versions, 201,
          request("POST", "/v1/documents", record(id, model_.solo_text(solo, versions.high + 1)), options_.token));
    return write("remove", versions, 200, request("DELETE", "/v1/documents/" + id, "", options_.token));
  }

  // After a write that failed: whatever the version is now, it becomes the next odd one.
  Question settle_solo(Number solo) {
    Versions& versions = model_.solos[solo];
    if (versions.high % 2 != 0) ++versions.high;
    return write(
        "add", versions, 201,
        request("POST", "/v1/documents?replace=1",
                record("S" + std::to_string(solo), model_.solo_text(solo, versions.high + 1)), options_.token));
  }

  // ---- the library

  Question seen(const string& name, const string& id, const string& text, const string& rest) {
    return {name, request("POST", "/v1/seen", record(id, text), options_.token), [id, rest](const Reply& reply) {
              return expect_text(reply, 200, R"({"id":")" + id + "\"," + rest + "}\n");
            }};
  }

  static string exact_copy_of(const string& id) {
    return R"("status":"exact","match":")" + id + R"(","similarity":1,"verified":true,"added":false)";
  }

  // Returns the number of a document that the library has, or UINT64_MAX if there is none yet.
  Number known() {
    for (int attempt = 0; attempt < 20 && model_.next > 0; ++attempt) {
      const Number number = random(model_.next);
      if (!model_.unknown.contains(number)) return number;
    }
    return UINT64_MAX;
  }

  Question seen_new() {
    const Number number = model_.next++;
    model_.unknown.insert(number);
    const string id = "n" + std::to_string(number);
    Question out = seen("new", id, model_.seen_text(number),
                        R"("status":"new","match":null,"similarity":null,"verified":false,"added":true)");
    out.check = [this, number, check = std::move(out.check)](const Reply& reply) {
      string wrong = check(reply);
      if (wrong.empty()) model_.unknown.erase(number);
      return wrong;
    };
    out.writes = true;
    return out;
  }

  Question seen_again() {
    const Number number = known();
    if (number == UINT64_MAX) return health();
    const string id = "n" + std::to_string(number);
    return seen("seen", id, model_.seen_text(number), exact_copy_of(id));
  }

  Question seen_copy() {
    const Number number = known();
    if (number == UINT64_MAX) return health();
    return seen("copy", "c" + std::to_string(random(1'000'000)), model_.seen_text(number),
                exact_copy_of("n" + std::to_string(number)));
  }

  Question seen_near() {
    const Number number = known();
    if (number == UINT64_MAX) return health();
    const string id = "n" + std::to_string(number);
    Question out = seen("near", "e" + std::to_string(random(1'000'000)), model_.seen_text(number) + " and", "");
    out.check = [id](const Reply& reply) {
      const bool right = reply.status == 200 &&
                         reply.body.find(R"("status":"near","match":")" + id + "\"") != string::npos &&
                         reply.body.ends_with(",\"verified\":true,\"added\":false}\n");
      return right ? string() : "expected a near-duplicate of " + id;
    };
    return out;
  }

  // Sends the same new text with several ids at the same time: one is added, and the others are copies of it.
  Question crowd() {
    struct Answers {
      std::vector<string> all;
      std::size_t failed = 0;
    };
    const Number number = model_.next++;
    model_.unknown.insert(number);
    const auto answers = std::make_shared<Answers>();
    for (std::size_t i = 0; i < kCrowd; ++i) {
      const string id = "k" + std::to_string(number) + "." + std::to_string(i);
      const auto lost = [answers] { ++answers->failed; };
      pending_.push_back({"crowd", request("POST", "/v1/seen", record(id, model_.seen_text(number)), options_.token),
                          [answers](const Reply& reply) {
                            if (reply.status != 200) return string("expected an answer");
                            answers->all.push_back(reply.body);
                            if (answers->all.size() + answers->failed != kCrowd || answers->failed != 0)
                              return string();
                            std::vector<string> added;
                            for (const string& one : answers->all)
                              if (one.find("\"added\":true") != string::npos) added.push_back(values(one, "id").at(0));
                            if (added.size() != 1) return std::to_string(added.size()) + " of a crowd were added";
                            for (const string& one : answers->all) {
                              const std::vector<string> match = values(one, "match");
                              if (!match.empty() && match[0] != added[0]) return string("a copy that matches another");
                            }
                            return string();
                          },
                          lost, [](const Reply&) { return false; }, true});
    }
    return next();
  }

  const Options& options_;
  Model& model_;
  Number state_;
  Number total_ = 0;
  std::vector<Kind> kinds_;
  std::deque<Question> pending_;
};

}  // namespace months
