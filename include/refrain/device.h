// Devices: GPUs that can compute fingerprints and signatures, with the same results as the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

// `automatic` uses a GPU, if there is one, for work where this was measured to be faster: the join of 16 million
// fingerprints or more. Computing fingerprints takes less time than reading the input, on the CPU as on a GPU.
enum class DeviceKind { cpu, cuda, automatic };
// The names in flags, in the order of the enum.
std::vector<std::string_view> device_names();

struct DeviceOptions {
  DeviceKind kind = DeviceKind::cpu;
  // The maximum device memory that a run may use; 0: half of the free memory. The result does not depend on it.
  std::uint64_t memory_bytes = 0;
};

struct DeviceInfo {
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "9.0"
  std::uint64_t memory_bytes = 0;
  std::uint64_t free_bytes = 0;
};

struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string missing;  // why there are none; empty if there are any
};

// Lists the GPUs of this machine. Loads the GPU module first, which takes a moment.
DeviceList devices();

// The work of a device in a run.
struct DeviceReport {
  std::string name;  // "cpu" if no device was used
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;        // bytes of text copied to the device
  std::uint64_t left_to_cpu = 0;  // documents that the CPU had to process, most of them not ASCII
  std::uint64_t joined = 0;       // fingerprints that the device compared with each other
  // The following times are summed over all threads.
  double staging_seconds = 0;  // copying text to memory from which the device fetches it
  double waiting_seconds = 0;  // waiting for the device
  double cpu_seconds = 0;      // processing documents that were left to the CPU
  double copy_seconds = 0;     // of the device: copying to it and back
  double kernel_seconds = 0;
  // The step that took longest while the input was read: "reading" (including parsing), "staging", "cpu", "copy" or
  // "kernel".
  std::string bound_by;
  std::string failed;  // with `automatic`: the error because of which the CPU did all the work
};

}  // namespace refrain
