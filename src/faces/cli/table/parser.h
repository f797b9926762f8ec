// Reads the command line by the tables of verbs.h and flags.h.
//
// It may contain --name value, --name=value, -x value, -xvalue, and -xy for switches; `--` ends the flags; "-" is an
// operand. Flags and operands may be mixed. If a flag is given twice, the last one wins, unless it collects values.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "faces/cli/table/flags.h"
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

// A command line that cannot be understood. The message says what was wrong and what is allowed; help_command() says
// where to read more.
class UsageError : public std::runtime_error {
 public:
  UsageError(const std::string& message, std::string help_command)
      : std::runtime_error(message), help_command_(std::move(help_command)) {}
  const std::string& help_command() const { return help_command_; }

 private:
  std::string help_command_;
};

struct Invocation {
  Verb verb = Verb::help;
  Settings settings;
};

// `arguments` do not include the program's name. Throws UsageError. Reading stops at --help and --version, so that
// they work after an incomplete command line too.
Invocation parse(std::span<const std::string> arguments);

}  // namespace refrain::cli
