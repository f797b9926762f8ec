// The same for tests.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "precompiled.h"
