// The errors that clients receive.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "refrain/error.h"

namespace refrain::server {

using Headers = std::vector<std::pair<std::string, std::string>>;

// An error that becomes the answer {"error": {"code": .., "message": ..}}.
class Failure : public std::runtime_error {
 public:
  // `code` is a word for programs, such as "bad_json".
  Failure(unsigned status, std::string code, const std::string& message, Headers headers = {})
      : std::runtime_error(message), status_(status), code_(std::move(code)), headers_(std::move(headers)) {}
  unsigned status() const { return status_; }
  const std::string& code() const { return code_; }
  const Headers& headers() const { return headers_; }
  // The body of the answer, on one line.
  std::string json() const;

 private:
  unsigned status_;
  std::string code_;
  Headers headers_;
};

// The error for a body that does not fit into the memory of all bodies. The client should retry later (503) or, with
// `never`, send a smaller body (413).
Failure no_room_for_body(bool never);

// Maps an Errc to a status. No other function does.
Failure failure_of(const Error& error);
// The same for any exception. An exception of unknown type becomes status 500, without any details.
Failure failure_of(const std::exception_ptr& thrown);

// The spelling of an option in answers and in the log: 'max_gap' for a field of a body, "--memory" for a flag that the
// server was started with.
std::string spelling(std::string_view option);

// For example "Not Found"; "Unknown" for a status that is never sent.
std::string_view reason_phrase(unsigned status);

}  // namespace refrain::server
