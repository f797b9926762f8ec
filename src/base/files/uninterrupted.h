// Makes a system call again that a signal cut short (EINTR).
#pragma once

#include <cerrno>

namespace refrain {

template <class Call>
auto uninterrupted(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

}  // namespace refrain
