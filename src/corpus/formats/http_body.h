// An archived HTTP response: its headers, and its body with transfer and content encodings decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::corpus {

// The value of the first header with this name in any case, without surrounding white space.
std::optional<std::string_view> header_value(std::string_view headers, std::string_view name);

// The offset after the blank line that ends the headers at the beginning of `bytes`, or npos.
std::size_t end_of_headers(std::string_view bytes);

struct HttpResponse {
  unsigned status = 0;
  std::string_view headers;
  std::string_view body;  // as it was sent
};

// nullopt if `block` is not a response.
std::optional<HttpResponse> read_http(std::string_view block);

// Its memory is reused from body to body. Not thread-safe.
class HttpBody {
 public:
  explicit HttpBody(MemoryBudget& budget);

  // The body of `response`, with chunks joined and gzip or deflate decompressed. If the archive already joined the
  // chunks or decompressed gzip, although the headers still name them, the body is taken as it is. Returns a view of
  // the response or of memory of this object, valid until the next call; or nullopt and a reason, if the body is
  // damaged or longer than `most` bytes. `grow` is called before more memory is allocated.
  std::optional<std::string_view> decode(const HttpResponse& response, std::uint64_t most,
                                         const std::function<void(std::size_t)>& grow, std::string& reason);

  void shrink();

 private:
  bool inflate_body(std::string_view packed, int window, std::uint64_t most,
                    const std::function<void(std::size_t)>& grow, std::string& reason);

  MemoryBudget& budget_;
  Array<char> joined_;  // the chunks, concatenated
  Array<char> unpacked_;
};

}  // namespace refrain::corpus
