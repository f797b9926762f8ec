#include "corpus/formats/warc.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <new>
#include <span>

#include "base/ascii.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kStepBytes = std::size_t{16} << 10;
constexpr std::size_t kInflateBytes = std::size_t{48} << 10;  // what zlib allocates, rounded up

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Joins the chunks of `body`; false if it does not begin with a chunk. A truncated chunk is used as far as it goes.
bool join_chunks(std::string_view body, const std::function<void(std::size_t)>& grow, Array<char>& out) {
  out.clear();
  bool any = false;
  grow(body.size());
  while (true) {
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos) return any;
    const std::string_view line = trimmed(body.substr(0, end));
    std::uint64_t size = 0;
    const auto [digits, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    const std::string_view rest = trimmed({digits, line.data() + line.size()});
    if (error != std::errc() || (!rest.empty() && !rest.starts_with(';'))) return any;
    any = true;
    body.remove_prefix(end + 1);
    if (size == 0) return true;
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, body.size()));
    out.append(std::span(body.data(), taken));
    body.remove_prefix(taken);
    if (body.starts_with('\r')) body.remove_prefix(1);
    if (body.starts_with('\n')) body.remove_prefix(1);
    if (body.empty()) return true;
  }
}

struct EndInflate {
  z_stream& stream;
  ~EndInflate() { inflateEnd(&stream); }
};

}  // namespace

std::optional<std::string_view> header_value(std::string_view headers, std::string_view name) {
  while (!headers.empty()) {
    const std::size_t end = std::min(headers.find('\n'), headers.size() - 1);
    const std::string_view line = headers.substr(0, end + 1);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_word(trimmed(line.substr(0, colon)), name))
      return trimmed(line.substr(colon + 1));
    headers.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::size_t end_of_headers(std::string_view bytes) {
  for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1)) {
    const std::string_view next = bytes.substr(at + 1, 2);
    if (next.starts_with('\n')) return at + 2;
    if (next == "\r\n") return at + 3;
  }
  return std::string_view::npos;
}

std::optional<HttpResponse> read_http(std::string_view block) {
  if (!block.starts_with("HTTP/")) return std::nullopt;
  const std::string_view line = block.substr(0, block.find('\n'));
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(space));
  HttpResponse response;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), response.status);
  if (error != std::errc() || end != rest.data() + std::min<std::size_t>(rest.size(), 3)) return std::nullopt;
  const std::size_t headers_end = std::min(end_of_headers(block), block.size());
  const std::size_t begin = std::min(line.size() + 1, headers_end);
  response.headers = block.substr(begin, headers_end - begin);
  response.body = block.substr(headers_end);
  return response;
}

HttpBody::HttpBody(MemoryBudget& budget)
    : budget_(budget),
      joined_(budget, "the body of a long response"),
      unpacked_(budget, "the body of a long response") {}

std::optional<std::string_view> HttpBody::decode(const HttpResponse& response, std::uint64_t most,
                                                 const std::function<void(std::size_t)>& grow, std::string& reason) {
  std::string_view body = response.body;
  const std::string_view transfer = header_value(response.headers, "transfer-encoding").value_or("");
  if (same_word(transfer, "chunked") && join_chunks(body, grow, joined_)) body = {joined_.data(), joined_.size()};
  const std::string_view coding = header_value(response.headers, "content-encoding").value_or("");
  if (same_word(coding, "gzip") || same_word(coding, "x-gzip")) {
    if (!body.starts_with("\x1f\x8b")) return body;
    if (!inflate_body(body, 16 + MAX_WBITS, most, grow, reason)) return std::nullopt;
    return std::string_view(unpacked_.data(), unpacked_.size());
  }
  if (same_word(coding, "deflate")) {
    // With the zlib header, or without it, as some servers send it.
    std::string ignored;
    if (inflate_body(body, MAX_WBITS, most, grow, reason) || inflate_body(body, -MAX_WBITS, most, grow, ignored))
      return std::string_view(unpacked_.data(), unpacked_.size());
    return std::nullopt;
  }
  if (coding.empty() || same_word(coding, "identity") || same_word(coding, "none")) return body;
  reason = fmt::format("unsupported content encoding '{}'", coding);
  return std::nullopt;
}

bool HttpBody::inflate_body(std::string_view packed, int window, std::uint64_t most,
                            const std::function<void(std::size_t)>& grow, std::string& reason) {
  const Reservation reservation = budget_.reserve(kInflateBytes, "the body of a long response");
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) throw std::bad_alloc();
  const EndInflate end{stream};
  unpacked_.clear();
  std::array<char, kStepBytes> chunk;
  while (true) {
    if (stream.avail_in == 0 && !packed.empty()) {
      const std::size_t taken = std::min<std::size_t>(packed.size(), UINT_MAX);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
      stream.avail_in = static_cast<uInt>(taken);
      packed.remove_prefix(taken);
    }
    grow(unpacked_.size() + kStepBytes);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(kStepBytes);
    const int status = inflate(&stream, Z_NO_FLUSH);
    unpacked_.append(std::span(chunk.data(), kStepBytes - stream.avail_out));
    if (unpacked_.size() > most) {
      reason = "content too long when decompressed";
      return false;
    }
    if (status == Z_STREAM_END) return true;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if ((status == Z_BUF_ERROR && stream.avail_in == 0 && packed.empty()) ||
        (status != Z_OK && status != Z_BUF_ERROR)) {
      reason = "damaged content encoding";
      return false;
    }
  }
}

void HttpBody::shrink() {
  joined_.resize(0);
  unpacked_.resize(0);
}

}  // namespace refrain::corpus
