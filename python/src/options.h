// Converts keyword arguments, named as in the tables of options, to the library's option structs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "call.h"
#include "refrain/options.h"

namespace refrain::python {

// Reads arguments by name, and reports those that nobody has read.
class Arguments {
 public:
  // `given` is the argument of a function of this module: {"threshold": 0.8, ...}; None means the default.
  explicit Arguments(nanobind::dict given) : given_(std::move(given)) {}

  // Returns the value, or None if it was not given.
  nanobind::object take(const char* name);
  // Returns false and leaves `into` unchanged if the argument was not given.
  template <class T>
  bool read(const char* name, T& into) {
    const nanobind::object value = take(name);
    if (value.is_none()) return false;
    if (!nanobind::try_cast<T>(value, into)) refuse(name, value);
    return true;
  }
  bool read_size(const char* name, std::uint64_t& into);

  // Throws TypeError if an argument was given that the function does not know.
  void finish(std::string_view function) const;
  // The option as messages name it: see Error.
  static std::string quoted(std::string_view name);

 private:
  [[noreturn]] static void refuse(const char* name, nanobind::handle value);

  nanobind::dict given_;
  std::set<std::string, std::less<>> known_;
};

CallSettings call_settings(Arguments& arguments);
// `input` is paths, with all options for files, or documents in memory, with the limits that apply to both.
InputOptions input_options(Arguments& arguments, nanobind::handle input, HtmlPart html = HtmlPart::text);
// Sets the id field, if none is named, to one that a survey of the files finds, as the program does.
void find_ids(InputOptions& input, const Context& context);

// Reads the value of an option, if it was given and the face offers it.
std::optional<OptionValue> given_value(Arguments& arguments, const OptionInfo& info, unsigned face);
template <class Options>
Options read_options(Arguments& arguments, Options options = {}, unsigned face = kPython) {
  set_options(option_table<Options>(), options,
              [&](const OptionInfo& info) { return given_value(arguments, info, face); });
  return options;
}
// The same for options with an input.
template <class Options>
Options reading_options(Arguments& arguments, nanobind::handle input) {
  auto options = read_options<Options>(arguments);
  options.input = input_options(arguments, input);
  return options;
}
NearOptions near_options(Arguments& arguments, nanobind::handle input);
DedupOptions dedup_options(Arguments& arguments, nanobind::handle input);

}  // namespace refrain::python
