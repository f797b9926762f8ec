// Reads arbitrary bytes as a web archive: records follow each other without gaps, and the scanner finds the same ends
// for any chunks. Reads arbitrary bytes as a page: no crash, and the text is valid UTF-8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/formats/charset.h"
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
  // The same, as the bytes arrive: every end that is found must be one of those, also after a record that is too long.
  const std::size_t least = bytes.size() / kMost + 1;  // keeps the number of steps small for long inputs
  for (const std::size_t chunk : {least, 7 * least, 100 * least}) {
    corpus::WarcScanner scanner(kMost);
    std::size_t begin = 0;
    bool passing_over = false;
    for (std::size_t have = chunk; have <= bytes.size(); have += chunk) {
      const std::string_view pending = bytes.substr(begin, have - begin);
      std::size_t held = 0;
      const std::size_t end = passing_over ? scanner.first_end(pending, held) : scanner.last_end(pending);
      if (end != std::string_view::npos) {
        begin += end;
        passing_over = false;
        REQUIRE(std::binary_search(ends.begin(), ends.end(), begin));
      } else if (passing_over || scanner.too_long(pending, held)) {
        begin += held;
        passing_over = true;
      }
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
  static corpus::CharsetConverter converter;
  const auto grow = [](std::size_t) {};
  Array<char> utf8(budget, "fuzz");
  Array<char> text(budget, "fuzz");
  if (const auto http = corpus::read_http(bytes)) {
    std::string reason;
    if (const auto decoded = body.decode(*http, kMost * 64, grow, reason)) bytes = *decoded;
  }
  std::uint64_t replaced = 0;
  if (!converter.to_utf8(bytes, corpus::charset_of(bytes, {}, true), grow, utf8, replaced)) return;
  html.read_main({utf8.data(), utf8.size()}, grow, text);
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
