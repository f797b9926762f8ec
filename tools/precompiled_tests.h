// Precompiled for all tests.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "precompiled.h"
