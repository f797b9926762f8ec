// Finds documents of an input by their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "corpus/files/options.h"
#include "refrain/context.h"
#include "refrain/explain.h"

namespace refrain::verbs::evidence {

struct WantedDocument {
  std::string id;
  std::optional<std::uint64_t> sum = {};  // the high half of the digest() of its text, if known
  std::optional<std::string> text = {};   // result: the first text with the id and the sum
  std::string headers = {};               // result: of a message, see find_documents()
  bool other = false;                     // result: a document with the id has another text
};

// Reads the whole input once and fills in the texts it finds. Throws as read_documents() does.
//
// With ComparedMail::headers, a document also has the sum if its text without the leading header lines has it. Then
// these lines become `headers`, and the rest becomes `text`. So a message that was compared without its headers is
// found, and its headers with it.
void find_documents(const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                    std::vector<WantedDocument>& wanted);

// The headers that differ between two messages, by name. `a` and `b` hold lines, as in WantedDocument::headers.
std::vector<DifferingHeader> differing_headers(std::string_view a, std::string_view b);

}  // namespace refrain::verbs::evidence
