// Calls into the library: the GIL is released, Ctrl-C stops them, and errors become Python's exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "refrain/context.h"

namespace refrain::python {

// What every function takes: threads, memory, temp_dir, progress.
struct CallSettings {
  unsigned threads = 0;
  nanobind::object memory = nanobind::none();  // bytes, or "512M"; none: half of the RAM
  std::string temp_dir = {};
  nanobind::object progress = nanobind::none();  // called with (stage, unit, done, total, share)
};

// Bytes: a number, or a text such as "512M" or "1.5G".
std::uint64_t parse_size(nanobind::handle size, const char* option);

// Runs `work` on a thread of its own, without the GIL. The calling thread waits, handles signals and reports progress: if
// either raises, the work is stopped, and what it had begun is removed before the exception goes on.
void run(const CallSettings& settings, const std::function<void(const Context&)>& work);

// The same for work that returns something.
template <class Work>
auto call(const CallSettings& settings, Work work) {
  std::optional<std::invoke_result_t<Work, const Context&>> result;
  run(settings, [&](const Context& context) { result.emplace(work(context)); });
  return std::move(*result);
}

// Maps refrain::Error to the classes of pyrefrain.errors.
void bind_errors();

}  // namespace refrain::python
