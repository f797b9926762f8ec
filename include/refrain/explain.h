// explain: shows why two documents match, or why they do not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

struct ExplainOptions {
  std::string a;  // a file; or, if `input` names any input, the id of a document in it
  std::string b;
  InputOptions input;
  FingerprintOptions fingerprint;
};

// One of the two documents.
struct ExplainedDocument {
  std::string id;
  std::string text;
  std::uint64_t tokens = 0;
  std::uint64_t windows = 0;                 // distinct windows
  std::optional<std::uint64_t> fingerprint;  // empty if the document is too short
  std::vector<ByteRange> shared;             // ranges of windows that the other document also has; sorted, disjoint
};

struct ExplainReport {
  ExplainedDocument a;
  ExplainedDocument b;
  std::optional<unsigned> difference;  // differing bits; empty if either document is too short
  std::uint64_t shared_windows = 0;    // distinct windows in both
  double similarity = 0;               // Jaccard similarity of the window sets; compares tokens, not only their hashes
};

ExplainReport explain(const ExplainOptions& options, const Context& context);

}  // namespace refrain
