#include "faces/server/wire/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <string_view>

#include "refrain/json_text.h"

namespace refrain::server {

std::string Failure::json() const {
  return fmt::format("{{\"error\":{{\"code\":{},\"message\":{}}}}}\n", json_text(code_), json_text(what()));
}

Failure no_room_for_body(bool never) {
  if (never)
    return {
        413, "too_large",
        "so many lines do not fit into the server's memory; send fewer documents at a time, or give the server more "
        "--memory"};
  return {503, "overloaded", "not enough memory for this body now", {{"Retry-After", "1"}}};
}

std::string spelling(std::string_view option) {
  constexpr std::string_view kFlags[] = {"library", "memory", "temp_dir", "threads", "token_file"};
  if (std::ranges::find(kFlags, option) == std::end(kFlags)) return fmt::format("'{}'", option);
  std::string flag = fmt::format("--{}", option);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

Failure failure_of(const Error& error) {
  const std::string message = error.spelled(spelling);
  const auto as = [&](unsigned status, const char* code, Headers headers = {}) {
    return Failure(status, code, message, std::move(headers));
  };
  switch (error.code()) {
    case Errc::invalid_argument:
      return as(400, "invalid_argument");
    case Errc::not_found:
      return as(404, "not_found");
    case Errc::bad_input:  // an id exists already, or a file has changed
      return as(409, "conflict");
    case Errc::busy:
      return as(409, "busy", {{"Retry-After", "1"}});
    case Errc::unsupported:
      return as(501, "unsupported");
    case Errc::over_budget:
      return as(507, "over_budget");
    case Errc::interrupted:
      return as(503, "interrupted", {{"Retry-After", "1"}});
    case Errc::outdated:
      return as(410, "old_cursor");
    case Errc::corrupt:
      return as(500, "corrupt");
    case Errc::io:
      return as(500, "io");
  }
  return as(500, "internal");
}

Failure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    return failure;
  } catch (const Error& error) {
    return failure_of(error);
  } catch (const std::bad_alloc&) {
    return {503, "over_budget", "not enough memory for this now", {{"Retry-After", "1"}}};
  } catch (...) {
    return {500, "internal", "the request could not be processed"};
  }
}

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace refrain::server
