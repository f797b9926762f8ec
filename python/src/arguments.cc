#include <algorithm>

#include "options.h"
#include "refrain/error.h"

namespace nb = nanobind;

namespace refrain::python {

nb::object Arguments::take(const char* name) {
  known_.insert(name);
  return given_.contains(name) ? nb::object(given_[name]) : nb::none();
}

bool Arguments::read_size(const char* name, std::uint64_t& into) {
  const nb::object value = take(name);
  if (value.is_none()) return false;
  into = parse_size(value, quoted(name).c_str());
  return true;
}

void Arguments::finish(std::string_view function) const {
  for (const auto& [key, value] : given_) {
    const std::string name = nb::cast<std::string>(key);
    if (!known_.contains(name))
      throw nb::type_error((std::string(function) + "() has no argument '" + name + "'").c_str());
  }
}

std::string Arguments::quoted(std::string_view name) {
  return "`" + std::string(name) + "`";
}

void Arguments::refuse(const char* name, nb::handle value) {
  const std::string shown = nb::cast<std::string>(nb::repr(value));
  throw Error(Errc::invalid_argument, quoted(name) + ": cannot be " + shown);
}

}  // namespace refrain::python
