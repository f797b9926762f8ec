// The one exception type of Refrain.
//
// Thrown when a run cannot continue. A bad record is never an Error: it is a count, with an example, in the report
// of the verb (see input.h). The message reads "where: what; remedy".
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// Every face maps this once: to an exit code, an HTTP status or a Python class.
enum class Errc {
  invalid_argument,  // an invalid request, or one that would overwrite something
  not_found,         // an input does not exist, or cannot be opened
  bad_input,         // an input is malformed, and bad records were not allowed
  corrupt,           // a file written by Refrain is damaged
  unsupported,       // well-formed, but not supported by this build
  over_budget,       // not enough memory or disk; the message says how much is needed
  io,                // the system failed to read or write
  busy,              // another process holds a resource for now
  interrupted,       // the stop token was set
};

// Messages spell options as the program's flags: "--threshold: must be above 0, and at most 1". Faces that spell them
// otherwise take the parts.
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Errc code() const noexcept { return code_; }

  // The option that the message begins with, as fields of the option structs are spelled: "max_doc_bytes". Empty where it
  // is about something else, a file for one.
  std::string option() const;
  // The message without that option: "must be above 0, and at most 1".
  std::string sentence() const;
  // The message with every option as spell("max_doc_bytes") says.
  std::string spelled(const std::function<std::string(std::string_view option)>& spell) const;

 private:
  Errc code_;
};

}  // namespace refrain
