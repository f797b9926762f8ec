// Facts: what a stage of a run finds out and later stages read. They are kept in the marker of the stage.
//
// The facts of a stage are a struct that names itself and its fields once; writing and reading follow from that:
//
//   struct ExactFacts {
//     static constexpr std::string_view kName = "exact";
//     std::uint64_t copies = 0;
//     static void fields(auto& facts, auto field) { field("copies", facts.copies); }
//   };
//   facts.put(ExactFacts{.copies = 3});
//   facts.get<ExactFacts>().copies;
//
// A field is a string, an unsigned integer, a double, a struct with fields, or a vector of those.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace refrain::verbs::run {

// The fields of T. Specialized for structs that cannot list their fields themselves.
template <class T>
struct FieldsOf {
  static void visit(auto& facts, auto field) { T::fields(facts, field); }
};

class Facts {
 public:
  // Replaces facts of the same type.
  template <class T>
  void put(const T& facts) {
    const std::string name(T::kName);
    erase(name);
    write(name, facts);
  }

  // Throws Error(corrupt) if a field is missing or has the wrong type.
  template <class T>
  T get() const {
    T facts;
    read(std::string(T::kName), facts);
    return facts;
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
      FieldsOf<T>::visit(value, [&](std::string_view field, const auto& of) { write(below(name, field), of); });
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
      FieldsOf<T>::visit(value, [&](std::string_view field, auto& of) { read(below(name, field), of); });
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
