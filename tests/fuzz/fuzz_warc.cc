// Any bytes as a web archive: records follow each other without a gap, the scanner finds the same ends for any chunks, and
// any bytes as a page: no crash, and a text that is UTF-8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/formats/charset.h"
#include "corpus/formats/http_body.h"
#include "corpus/formats/warc.h"
#include "corpus/html/text.h"
#include "refrain/utf8.h"
#include "require.h"

namespace {

using namespace refrain;

constexpr std::uint64_t kMost = 1024;

void check_records(std::string_view bytes) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t searched = 0;
    const corpus::WarcSpan span = corpus::measure_warc(bytes.substr(at), kMost, true, searched);
    REQUIRE(span.size > 0 && span.size <= bytes.size() - at);
    if (span.kind == corpus::WarcSpan::Kind::record)
      REQUIRE(span.headers_begin < span.block_begin && span.block_begin <= span.block_end &&
              span.block_end <= span.size);
    ends.push_back(at += span.size);
  }
  // The same, as the bytes come: what has an end must be one of those.
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
    corpus::WarcScanner scanner(kMost);
    std::size_t begin = 0;
    std::size_t held = 0;
    for (std::size_t have = chunk; have <= bytes.size(); have += chunk) {
      const std::string_view pending = bytes.substr(begin, have - begin);
      const std::size_t end = scanner.last_end(pending);
      if (end == std::string_view::npos && scanner.too_long(pending, held)) break;
      if (end == std::string_view::npos) continue;
      begin += end;
      REQUIRE(std::binary_search(ends.begin(), ends.end(), begin));
    }
  }
}

void check_page(std::string_view bytes) {
  static const Context context = [] {
    Context made;
    made.memory_bytes = std::uint64_t{512} << 20U;
    return made;
  }();
  static MemoryBudget budget(context);
  static html::HtmlText html(budget);
  static corpus::HttpBody body(budget);
  const auto grow = [](std::size_t) {};
  Array<char> utf8(budget, "fuzz");
  Array<char> text(budget, "fuzz");
  if (const auto http = corpus::read_http(bytes)) {
    std::string reason;
    if (const auto decoded = body.decode(*http, kMost * 64, grow, reason)) bytes = *decoded;
  }
  if (!corpus::to_utf8(bytes, corpus::charset_of(bytes, {}, true), grow, utf8)) return;
  html.read({utf8.data(), utf8.size()}, grow, text);
  const std::string_view seen(text.data(), text.size());
  for (std::size_t at = 0; at < seen.size();) {
    const CodePoint character = decode_utf8(seen, at);
    REQUIRE(character.valid());
    at += character.size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_records(bytes);
  check_page(bytes);
  return 0;
}
