// Facts: what the stages of a run have found out so far. They are kept in the marker of each stage.
//
// A struct lists its fields once, in a function of its namespace. Writing and reading follow from that, and so does
// JSON (write_fields() in verbs/run/json_parts.h):
//
//   void visit_fields(SameOrConst<LossReport> auto& loss, auto field) { field("tokens", loss.tokens); }
//
//   facts.put("loss", loss);
//   facts.get("loss", loss);
//
// A field is a string, an unsigned integer, a double, a struct with fields, or a vector of those.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace refrain::verbs::run {

template <class T, class Of>
concept SameOrConst = std::same_as<std::remove_const_t<T>, Of>;

class Facts {
 public:
  // Replaces facts of the same name.
  template <class T>
  void put(const std::string& name, const T& facts) {
    erase(name);
    write(name, facts);
  }

  // Throws Error(corrupt) if a field is missing or has the wrong type.
  template <class T>
  void get(const std::string& name, T& facts) const {
    read(name, facts);
  }

  // One line per value: name, tab, value, both escaped.
  std::string lines() const;
  void add_line(std::string_view line);

 private:
  template <class T>
  void write(const std::string& name, const T& value) {
    if constexpr (std::same_as<T, std::string>) {
      values_[name] = value;
    } else if constexpr (std::unsigned_integral<T>) {
      values_[name] = std::to_string(value);
    } else if constexpr (std::same_as<T, double>) {
      write_real(name, value);
    } else {
      visit_fields(value, [&](std::string_view field, const auto& of, auto...) { write(below(name, field), of); });
    }
  }
  template <class T>
  void write(const std::string& name, const std::vector<T>& values) {
    write(name, std::uint64_t{values.size()});
    for (std::size_t i = 0; i < values.size(); ++i) write(below(name, std::to_string(i)), values[i]);
  }

  template <class T>
  void read(const std::string& name, T& value) const {
    if constexpr (std::same_as<T, std::string>) {
      value = text(name);
    } else if constexpr (std::unsigned_integral<T>) {
      const std::uint64_t number = read_number(name);
      if (!std::in_range<T>(number)) refuse(name);
      value = static_cast<T>(number);
    } else if constexpr (std::same_as<T, double>) {
      value = read_real(name);
    } else {
      visit_fields(value, [&](std::string_view field, auto& of, auto...) { read(below(name, field), of); });
    }
  }
  template <class T>
  void read(const std::string& name, std::vector<T>& values) const {
    const std::uint64_t size = read_number(name);
    values.clear();
    // Grows one by one, so that a damaged size fails at the first missing element instead of allocating memory.
    for (std::uint64_t i = 0; i < size; ++i) read(below(name, std::to_string(i)), values.emplace_back());
  }

  static std::string below(const std::string& name, std::string_view field) { return name + '.' + std::string(field); }
  void write_real(const std::string& name, double value);
  const std::string& text(const std::string& name) const;
  std::uint64_t read_number(const std::string& name) const;
  double read_real(const std::string& name) const;
  [[noreturn]] static void refuse(const std::string& name);
  void erase(const std::string& name);

  std::map<std::string, std::string> values_;
};

}  // namespace refrain::verbs::run
