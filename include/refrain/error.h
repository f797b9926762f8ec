// The only exception type of Refrain.
//
// An Error is thrown when a run cannot continue. A bad record never causes one: it is counted, with an example, in
// the report of the verb (see input.h). The message reads "where: what; remedy".
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] refrain {

// Each interface (command line, server, Python) maps these once: to exit codes, HTTP statuses or Python classes.
enum class Errc {
  invalid_argument,  // an invalid request, or one that would overwrite something
  not_found,         // a file, folder or document does not exist; also a folder where a file is expected
  bad_input,         // an input is malformed, and bad records were not allowed
  corrupt,           // a file written by Refrain is damaged
  unsupported,       // well-formed, but not supported by this build
  over_budget,       // not enough memory or disk; the message says how much is needed
  io,                // the system failed to read or write
  busy,              // another process holds a resource for now
  interrupted,       // the stop token was set
  outdated,          // a cursor of an earlier commit, or of another version
};

// Returns the spelling that an interface uses for an option: "--max-doc-bytes" for "max_doc_bytes".
using SpellOption = std::function<std::string(std::string_view option)>;

// The text with every option name in backquotes replaced by its spelling.
std::string spelled(std::string_view text, const SpellOption& spell);

// Messages name options as the fields of the options structs, in backquotes: "`threshold`: must be above 0". Each
// interface spells them in its own way, with option(), sentence() and spelled().
class Error : public std::runtime_error {
 public:
  Error(Errc code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Errc code() const noexcept { return code_; }

  // The option that the message begins with: "max_doc_bytes". Empty if the message is not about an option, but about a
  // file, for example.
  std::string option() const;
  // The message without that option: "must be above 0, and at most 1". Other options in it stay in backquotes.
  std::string sentence() const;
  // The message with every option name replaced by its spelling.
  std::string spelled(const SpellOption& spell) const { return refrain::spelled(what(), spell); }

 private:
  Errc code_;
};

}  // namespace refrain
