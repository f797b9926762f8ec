// Repeats a system call that a signal has interrupted (EINTR).
#pragma once

#include <cerrno>

namespace refrain {

template <class Call>
auto retry_on_eintr(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace refrain
