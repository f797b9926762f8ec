// Recognizes the files of an input, and notices those that change.
#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "refrain/input.h"

namespace refrain::verbs::run {

// One line per path of the input: its name and, behind a tab, its size and modification time. A folder is represented
// by the number of files below it, their total size and a checksum of their lines.
std::string input_identity(const InputOptions& input);

// Returns the file of the input that was written, replaced or renamed last, if that was after `since`; its size and
// modification time may be unchanged. Changed permissions and new hard links count too, because the system does not
// tell them apart. If the input is `known_to_differ`, the file is returned whenever it changed, because times are
// no finer than a few milliseconds.
std::optional<std::string> changed_since(const InputOptions& input, const timespec& since,
                                         bool known_to_differ = false);

// For verbs that read their input more than once: notices changes from its construction on. Files that are added to a
// listed folder are not read, so they are no change.
class InputWatch {
 public:
  explicit InputWatch(const InputOptions& input);

  // Error(bad_input) that names the file if one has changed, or if the input is `known_to_differ`.
  void check(bool known_to_differ = false) const;

 private:
  const InputOptions& input_;
  timespec begun_{};
};

}  // namespace refrain::verbs::run
