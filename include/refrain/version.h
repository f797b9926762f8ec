// The version of this build.
#pragma once

namespace [[gnu::visibility("default")]] refrain {

inline constexpr const char* kVersion = "0.1.0";

// Increased whenever the same text and options would give a different fingerprint, or when the default options
// change. Recorded in summary.json. Version 2 introduced the tokenizer words-nfkc; with every other tokenizer,
// fingerprints are still those of version 1 (see fingerprint_version in refrain/fingerprint.h).
inline constexpr int kFingerprintVersion = 2;

// Increased whenever the same features and seed would give a different MinHash signature, or the same signature
// different band keys. Recorded in summary.json.
inline constexpr int kMinHashVersion = 1;

// Increased whenever a loss that was allowed by default is not, or the other way round. Libraries record it.
inline constexpr int kLossVersion = 1;

// Increased whenever HtmlPart::main would give another text for the same page. Runs and libraries record it; libraries
// that do not are of version 1, and are compared with pages that are read as version 1 reads them.
inline constexpr unsigned kMainVersion = 2;

}  // namespace refrain
