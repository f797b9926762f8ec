// Reads a request: its target, the headers that decide who may ask, and its body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/server/wire/limits.h"
#include "refrain/index.h"

namespace refrain::server {

// The target of a request: "/v1/documents/a%2Fb?replace=1".
struct Target {
  std::string path;                               // as it was sent, not decoded
  std::map<std::string, std::string> parameters;  // decoded
};

// Throws Failure(400) if the target is not a path, is encoded incorrectly, or gives a parameter twice.
Target parse_target(std::string_view target);

// Throws Failure(400) if a percent sign is not followed by two hexadecimal digits, or if the result contains a NUL.
std::string percent_decode(std::string_view text, bool plus_is_space);

// Parses a whole number from `least` to `most` in decimal digits. For anything else, throws Failure(400), which names
// the parameter `name`.
std::uint64_t parse_number(std::string_view name, std::string_view digits, std::uint64_t least, std::uint64_t most);

// Access checks: addresses, tokens, and the headers in which browsers describe the page behind a request.

struct ListenAddress {
  std::string host;  // an IP address without brackets
  std::uint16_t port = 0;
  bool loopback = false;
};

// Parses "127.0.0.1:7878", "[::1]:0" or "localhost:80". Throws Error(invalid_argument) for anything else.
ListenAddress parse_listen(std::string_view listen);

// Whether both are equal. The time does not depend on where they differ. False if `token` is empty.
bool same_token(std::string_view given, std::string_view token);

// The token of "Bearer TOKEN"; empty if there is none.
std::string_view bearer_token(std::string_view authorization);

// Whether a Host header is "localhost" or a loopback address, with any port. A web page whose domain name was made to
// resolve to this machine (DNS rebinding) sends that name, and must not read from a server that requires no token.
// 0.0.0.0 is refused although it reaches a server on loopback: browsers send no Sec-Fetch-Site to that address.
bool is_local_host(std::string_view host);

// Whether a browser sends this request on behalf of a page of another origin, judged by headers that pages cannot set.
// Pass an empty string for a missing header: programs send neither Sec-Fetch-Site nor Origin. An Origin must have the
// host and port of the Host header. Its scheme is ignored, since a proxy may have terminated TLS.
bool is_cross_site(std::string_view sec_fetch_site, std::string_view origin, std::string_view host);

// The part of a request's body that has arrived, and the memory reserved for it and for what is parsed from it.
//
// Each byte counts twice: once for the body, and once for a copy of it. While the body arrives, a growing string needs
// that copy; later, the parsed strings take its place. Each line may be a document, which takes kLineBytes more.
class Body {
 public:
  // The size of a QueryDocument, and of what parse_documents() needs to detect that its id is given twice.
  static constexpr std::size_t kLineBytes = 192;

  explicit Body(std::shared_ptr<MemoryShare> share) : share_(std::move(share)) {}
  ~Body() { share_->give_back(held_); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // Returns false, and appends nothing, if all bodies together would take too much memory.
  bool append(std::string_view bytes) {
    wanted_ += 2 * bytes.size();
    for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1))
      wanted_ += kLineBytes;
    if (!share_->take(wanted_ - held_)) return false;
    held_ = wanted_;
    bytes_ += bytes;
    return true;
  }
  // After append() has failed: whether the body is too large even if it is the only one.
  bool never_fits() const { return wanted_ > share_->most(); }
  std::string_view bytes() const { return bytes_; }
  // Drops the body, after it has been parsed. The memory of the parsed strings stays reserved as long as this exists.
  void clear() {
    share_->give_back(bytes_.size());
    held_ -= bytes_.size();
    wanted_ = held_;
    bytes_ = {};
  }

 private:
  const std::shared_ptr<MemoryShare> share_;
  std::string bytes_;
  std::size_t wanted_ = 0;
  std::size_t held_ = 0;
};

// Parses the bodies of requests: JSON in, options out.
//
// The parsed data takes no more memory than the body itself, apart from Body::kLineBytes for each line.

struct QueryRequest {
  QueryOptions options;
  bool texts = true;  // the answer contains the texts of passages and places
};

// Parses {"text": .. or "id": .., "with", "limit", "max_occurrences", "min_tokens", "max_gap", "edits", "noise",
// "max_documents", "exclude", "texts", "cursor"}. Throws Failure(400) if the body is not JSON, if a field is
// unknown, of the wrong kind or out of range, and unless exactly one of "text" and "id" is given.
QueryRequest parse_query(std::string_view body);

// Where documents go. In an index their ids are like paths. A library takes any id, and ignores fields that it does not
// know, because records of crawls have more.
enum class To { index, library };
// Parses one object {"id": .., "text": ..}, or many, one per line. Throws Failure(400) as above, and for an id that
// is empty, too long, given twice, contains control characters or, in an index, goes up a folder. Throws
// Error(interrupted) once `stop` is requested.
std::vector<QueryDocument> parse_documents(std::string_view body, To to = To::index, const std::stop_token& stop = {});

}  // namespace refrain::server
