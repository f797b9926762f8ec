// An assertion that is active in every build.
#pragma once

#include <cstdlib>

#define REQUIRE(condition)          \
  do {                              \
    if (!(condition)) std::abort(); \
  } while (false)
