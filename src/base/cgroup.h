// What the control groups of this process let it have, of either version, from its own group up to the root: a container
// with two CPUs on a machine with 64 has two.
#pragma once

#include <cstdint>
#include <string>

namespace refrain {

// UINT64_MAX where there is no limit. `root`: where /proc and /sys lie; for tests.
std::uint64_t cgroup_memory_bytes(const std::string& root = "");
// CPUs, a part counting as one; UINT64_MAX where there is no limit.
std::uint64_t cgroup_cpus(const std::string& root = "");

}  // namespace refrain
