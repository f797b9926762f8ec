// Reads arbitrary bytes as a request: a method and a target on the first line, then the body. Every problem is a
// Failure.
#include <cstdint>
#include <string>
#include <string_view>

#include "faces/server/pages.h"
#include "faces/server/service.h"
#include "faces/server/wire/failure.h"
#include "faces/server/wire/limits.h"
#include "faces/server/wire/request.h"
#include "refrain/error.h"
#include "require.h"

namespace {

using namespace refrain;
using namespace refrain::server;

template <class Work>
void attempt(Work work) {
  try {
    work();
  } catch (const Failure& failure) {
    REQUIRE(failure.status() == 400 || failure.status() == 404 || failure.status() == 405);
    const std::string json = failure.json();
    REQUIRE(json.ends_with("}\n") && json.find('\n') == json.size() - 1);
  }
}

std::string encoded(std::string_view text) {
  constexpr char kDigits[] = "0123456789aBcDeF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string line = text.substr(0, text.find('\n'));
  const std::string method = line.substr(0, line.find(' '));
  const std::string target = line.substr(std::min(method.size() + 1, line.size()));
  const std::string body = text.substr(std::min(line.size() + 1, text.size()));

  attempt([&] {
    const Route route = route_of(method, parse_target(target));
    REQUIRE(route.name.starts_with('/') && route.id.find('\0') == std::string::npos);
    REQUIRE((route.verb == Verb::document || route.verb == Verb::remove) == !route.id.empty());
    for (const auto& [name, value] : route.target.parameters) {
      attempt([&] { parse_number(name, value, 1, kMaxPassages); });
      attempt([&] { REQUIRE(to_text(parse_page_cursor(value)) == value); });
    }
  });
  if (text.find('\0') == std::string::npos) {
    REQUIRE(percent_decode(encoded(text), true) == text);
    const Route route = route_of("GET", parse_target("/v1/documents/x" + encoded(text)));
    REQUIRE(route.id == "x" + text);
  }
  attempt([&] { percent_decode(text, false); });
  attempt([&] {
    const QueryOptions query = parse_query(body).options;
    REQUIRE(query.documents.empty() == !query.id.empty() && query.limit >= 1 && query.limit <= kMaxPassages);
  });
  attempt([&] {
    for (const QueryDocument& document : parse_documents(body)) {
      REQUIRE(!document.id.empty() && document.id != ".." && !document.id.starts_with("../"));
      REQUIRE(document.id.find("/../") == std::string::npos && document.id.find('\0') == std::string::npos);
    }
  });
  is_local_host(line);
  REQUIRE(same_token(bearer_token("Bearer " + method), method) || method.empty() ||
          method.find(' ') != std::string::npos);
  try {
    parse_listen(target);
  } catch (const Error& error) {
    REQUIRE(error.code() == Errc::invalid_argument);
  }
  return 0;
}
