// Reads arbitrary bytes as the body of a request: options or documents, or a Failure. Documents can be written and
// read again, and reading ends when it is stopped.
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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
    REQUIRE(failure.status() == 400 && failure.json().ends_with("}\n"));
  }
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20 || c == '"' || c == '\\')
      out += {'\\', 'u', '0', '0', kDigits[byte >> 4U], kDigits[byte & 15U]};
    else
      out += c;
  }
  return out + '"';
}

// A request that is told to stop ends before its next line, if it has lines at all.
void check_stop(std::string_view body) {
  std::stop_source source;
  source.request_stop();
  attempt([&] {
    try {
      REQUIRE(parse_documents(body, To::library, source.get_token()).size() == 1);
    } catch (const Error& error) {
      REQUIRE(error.code() == Errc::interrupted);
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const QueryRequest request = parse_query(body);
    REQUIRE(request.options.documents.empty() == !request.options.id.empty());
    REQUIRE(request.options.limit >= 1 && request.options.limit <= kMaxPassages);
    REQUIRE(request.options.max_occurrences >= 1 && request.options.max_occurrences <= kMaxOccurrences);
  });
  for (const To to : {To::index, To::library})
    attempt([&] {
      const std::vector<QueryDocument> documents = parse_documents(body, to);
      std::string again;
      for (const QueryDocument& document : documents) {
        REQUIRE(!document.id.empty() && (to == To::library || document.id != ".."));
        again += "{\"id\":" + json_string(document.id) + ",\"text\":" + json_string(document.text) + "}\n";
      }
      const std::vector<QueryDocument> same = parse_documents(again, to);
      REQUIRE(same.size() == documents.size());
      for (std::size_t i = 0; i < same.size(); ++i)
        REQUIRE(same[i].id == documents[i].id && same[i].text == documents[i].text);
    });
  check_stop(body);
  return 0;
}
