#include "verbs/run/facts.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "refrain/error.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

void Facts::write_real(const std::string& name, double value) {
  values_[name] = fmt::format("{}", value);
}

const std::string& Facts::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw Error(Errc::corrupt, fmt::format("work/: '{}' is missing; start again with `force`", name));
  return found->second;
}

std::uint64_t Facts::read_number(const std::string& name) const {
  const std::optional<std::uint64_t> value = parse_decimal(text(name));
  if (!value) refuse(name);
  return *value;
}

double Facts::read_real(const std::string& name) const {
  const std::string& value = text(name);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) refuse(name);
  return number;
}

void Facts::refuse(const std::string& name) {
  throw Error(Errc::corrupt, fmt::format("work/: '{}' is not a valid number; start again with `force`", name));
}

void Facts::erase(const std::string& name) {
  // '/' is the character after '.', so this erases all names that begin with `name` and a period.
  values_.erase(values_.lower_bound(name + '.'), values_.lower_bound(name + '/'));
}

std::string Facts::lines() const {
  std::string out;
  for (const auto& [name, value] : values_) {
    append_escaped(out, name);
    out += '\t';
    append_escaped(out, value);
    out += '\n';
  }
  return out;
}

void Facts::add_line(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) throw Error(Errc::corrupt, "work/: a marker is damaged; start again with `force`");
  values_[unescaped(line.substr(0, tab))] = unescaped(line.substr(tab + 1));
}

}  // namespace refrain::verbs::run
