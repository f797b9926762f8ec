// An HTTP response as it is archived: its headers, and its body with transfer and content encodings undone.
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

// The value of the first header of this name, whatever its case, without the white space around it.
std::optional<std::string_view> header_value(std::string_view headers, std::string_view name);

// Behind the blank line that ends the headers at the beginning of `bytes`, or npos.
std::size_t end_of_headers(std::string_view bytes);

struct HttpResponse {
  unsigned status = 0;
  std::string_view headers;
  std::string_view body;  // as it was sent
};

// nullopt where that is no response.
std::optional<HttpResponse> read_http(std::string_view block);

// Its memory is reused from body to body. Not thread-safe.
class HttpBody {
 public:
  explicit HttpBody(MemoryBudget& budget);

  // What `response` says, with chunks put together and gzip or deflate undone; archives that did so themselves and
  // left the headers are understood. A view of the response or of memory here, valid until the next call. Returns
  // nothing, and why, where it is damaged or longer than `most` bytes. `grow` is called before more memory is taken.
  std::optional<std::string_view> decode(const HttpResponse& response, std::uint64_t most,
                                         const std::function<void(std::size_t)>& grow, std::string& reason);

  void shrink();

 private:
  bool inflate_body(std::string_view packed, int window, std::uint64_t most,
                    const std::function<void(std::size_t)>& grow, std::string& reason);

  MemoryBudget& budget_;
  Array<char> joined_;  // of chunks
  Array<char> unpacked_;
};

}  // namespace refrain::corpus
