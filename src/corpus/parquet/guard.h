// Converts Arrow's exceptions to Errors.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "refrain/error.h"

namespace refrain::corpus {

// Calls `action`. If it fails, each function of `kept` may throw the Error that it holds; otherwise the file is
// damaged.
template <class Action, class... Kept>
auto guarded_as(std::string_view format, const std::string& path, Action action, const Kept&... kept) {
  const auto damaged = [&](const std::exception& error) {
    std::string_view reason = error.what();
    reason = reason.substr(0, reason.find('\n'));
    return Error(Errc::bad_input, fmt::format("{}: cannot read as {}: {}; create it again", path, format, reason));
  };
  try {
    return action();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    (kept(), ...);
    throw damaged(error);
  }
}

template <class Action, class... Kept>
auto guarded(const std::string& path, Action action, const Kept&... kept) {
  return guarded_as("Parquet", path, action, kept...);
}

}  // namespace refrain::corpus
