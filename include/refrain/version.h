// What this build is called.
#pragma once

namespace [[gnu::visibility("default")]] refrain {

inline constexpr const char* kVersion = "0.1.0";

// Raised whenever the same text and options would give another fingerprint; summary.json names it.
inline constexpr int kFingerprintVersion = 1;

// Raised whenever the same features and seed would give another MinHash signature, or the same signature other band
// keys; summary.json names it.
inline constexpr int kMinHashVersion = 1;

}  // namespace refrain
