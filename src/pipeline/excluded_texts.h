// Texts that are known, and not to be reported: boilerplate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blot/blot_function.h"
#include "refrain/index.h"

namespace refrain {

// Immutable; threads may share one.
class ExcludedTexts {
 public:
  ExcludedTexts(const IndexLayout& layout, const std::vector<std::string>& texts);

  bool empty() const { return windows_.empty(); }
  // Whether a run of tokens, of which `hashes` are 32 bits each, lies inside the texts: nine tenths of its windows stand in
  // one of them. Those are windows of as many tokens as a blot of the index is made of, in a row; a run that is shorter
  // lies inside none.
  bool hold(std::span<const std::uint32_t> hashes) const;

 private:
  std::size_t tokens_;                  // of a window
  std::vector<std::uint64_t> windows_;  // hashes of them, rising, each once
};

}  // namespace refrain
