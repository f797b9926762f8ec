// The command line, read by the tables of verbs.h and flags.h.
//
// --name value, --name=value, -x value, -xvalue, -xy for switches; `--` ends the flags; "-" is an operand. Flags and
// operands may be mixed. A flag given twice: the last wins, unless it collects.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "faces/cli/table/flags.h"
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

// A command line that makes no sense. The message says what was wrong and what is allowed; help_command() where to
// read.
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
  std::vector<std::string> arguments = {};  // as they were given
};

// `arguments` without the program's name. Throws UsageError. --help and --version stop the reading at once, so that
// they work after an unfinished command line too.
Invocation parse(std::span<const std::string> arguments);

}  // namespace refrain::cli
