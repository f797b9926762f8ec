// The limits that control groups of either version set for this process. All groups count, from its own up to the
// root: a container with two CPUs on a machine with 64 has two.
#pragma once

#include <cstdint>
#include <string>

namespace refrain {

// The memory limit; UINT64_MAX if there is none. `root` is prepended to the paths of /proc and /sys, for tests.
std::uint64_t cgroup_memory_bytes(const std::string& root = "");
// The number of CPUs, rounded up; UINT64_MAX if there is no limit.
std::uint64_t cgroup_cpus(const std::string& root = "");

}  // namespace refrain
