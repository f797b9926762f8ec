// Devices: GPUs that fingerprints and signatures can be computed on, with the same result as on the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

// `automatic` takes a GPU if there is one, for what was measured to be worth it: the join of 16 million fingerprints or
// more. Making fingerprints takes less time than reading the input, on either.
enum class DeviceKind { cpu, cuda, automatic };
// As flags spell them, in the order of the enum.
std::vector<std::string_view> device_names();

struct DeviceOptions {
  DeviceKind kind = DeviceKind::cpu;
  // The most device memory that a run takes; 0: half of what is free. The result does not depend on it.
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
  std::string missing;  // why there are none; empty if there are
};

// The GPUs of this machine. Loads the module that knows them, which takes a moment.
DeviceList devices();

// What a device did in a run.
struct DeviceReport {
  std::string name;  // "cpu" if there was none
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;        // of text, copied to it
  std::uint64_t left_to_cpu = 0;  // documents that it could not do: not ASCII, for the most part
  std::uint64_t joined = 0;       // fingerprints that it compared with each other
  // Summed over all threads.
  double staging_seconds = 0;  // copying text to where the device can fetch it
  double waiting_seconds = 0;  // for the device
  double cpu_seconds = 0;      // on documents that were left to the CPU
  double copy_seconds = 0;     // the device's own: to it and back
  double kernel_seconds = 0;
  // What took longest while the input was read: "reading" (with parsing), "staging", "cpu", "copy" or "kernel".
  std::string bound_by;
  std::string failed;  // with `automatic`: the error for which the CPU did it all
};

}  // namespace refrain
