// Calls into the library. They release the GIL, stop on Ctrl-C, and turn errors into Python exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "refrain/context.h"
#include "refrain/fingerprint.h"

namespace refrain::python {

// The arguments that every function takes: threads, memory, temp_dir, progress.
struct CallSettings {
  unsigned threads = 0;
  nanobind::object memory = nanobind::none();  // bytes, or "512M"; none means half of the RAM
  std::string temp_dir = {};
  nanobind::object progress = nanobind::none();  // called with (stage, unit, done, total, share)
};

// Parses a number of bytes: an integer, or a string such as "512M" or "1.5G". None gives 0.
std::uint64_t parse_size(nanobind::handle size, const char* option);

// Runs `work` on another thread, without the GIL. The calling thread waits, handles signals and reports progress. If
// either raises an exception, the work is stopped and cleans up before the exception propagates.
void run(const CallSettings& settings, const std::function<void(const Context&)>& work);

// Runs work that returns a value.
template <class Work>
auto call(const CallSettings& settings, Work work) {
  std::optional<std::invoke_result_t<Work, const Context&>> result;
  run(settings, [&](const Context& context) { result.emplace(work(context)); });
  return std::move(*result);
}

// The keyword of an option, as the tables that give keywords of their own name it: "text" for "text_field".
std::string argument_of(std::string_view option);

// Maps refrain::Error to the classes of pyrefrain.errors.
void bind_errors();

// Converts the names of choices to enum values.

// Returns the index of `name` in `names`. Throws Error(invalid_argument) with all names if it is not there.
std::size_t index_of_name(std::string_view option, std::string_view name, const std::vector<std::string_view>& names);

template <class Enum>
Enum named(std::string_view option, std::string_view name, const std::vector<std::string_view>& names) {
  return static_cast<Enum>(index_of_name(option, name, names));
}

TokenizerKind tokenizer_named(std::string_view name);
HashKind hash_named(std::string_view name);

}  // namespace refrain::python
