// The one exception type of Refrain.
//
// Thrown when a run cannot go on. A single bad record is never an Error: it is a count, with an example, in the report
// of the verb (see input.h). The message reads "where: what; remedy".
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// Every face maps this once: to an exit code, an HTTP status, a Python class.
enum class Errc {
  invalid_argument,  // the caller asked for something that makes no sense, or would overwrite what is there
  not_found,         // an input that does not exist, or cannot be opened or read
  bad_input,         // an input that was read and is broken, where the caller wanted no bad records
  corrupt,           // a file that Refrain wrote, and that no longer holds what was written
  unsupported,       // well-formed, but not something this build can do
  over_budget,       // the memory budget or the disk does not suffice; the message names what would
  io,                // the system refused to read or write
  busy,              // another process holds what this one needs, and will let go of it
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
