// What went wrong with a request, as the client is told.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "refrain/error.h"

namespace refrain::server {

using Headers = std::vector<std::pair<std::string, std::string>>;

// An answer that is an error: {"error": {"code": .., "message": ..}}.
class Failure : public std::runtime_error {
 public:
  // `code` is a word for programs: "bad_json".
  Failure(unsigned status, std::string code, const std::string& message, Headers headers = {})
      : std::runtime_error(message), status_(status), code_(std::move(code)), headers_(std::move(headers)) {}
  unsigned status() const { return status_; }
  const std::string& code() const { return code_; }
  const Headers& headers() const { return headers_; }
  // The body of the answer, in one line.
  std::string json() const;

 private:
  unsigned status_;
  std::string code_;
  Headers headers_;
};

// The one place where Errc becomes a status.
Failure failure_of(const Error& error);
// The same for whatever was thrown. What is none of ours is status 500, and says no more than that.
Failure failure_of(const std::exception_ptr& thrown);

// "Not Found"; "Unknown" for a status that is never sent.
std::string_view reason_phrase(unsigned status);

}  // namespace refrain::server
