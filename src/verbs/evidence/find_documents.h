// Documents of an input by their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "corpus/files/options.h"
#include "refrain/context.h"

namespace refrain::verbs::evidence {

struct WantedDocument {
  std::string id;
  std::optional<std::uint64_t> sum = {};  // what digest() must make of its text (the high half), where that is known
  std::optional<std::string> text = {};   // found: the first that has the id, and the sum
  bool other = false;                     // one with the id has another text
};

// Reads all of the input once, and fills in the texts that are there. Throws as read_documents() does.
void find_documents(const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                    std::vector<WantedDocument>& wanted);

}  // namespace refrain::verbs::evidence
