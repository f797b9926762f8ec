// passages.jsonl: every repeated passage once, with its text and all its places.
//
// A passage is a range of first occurrences. Every other place lists its own part of the passage: a stretch that
// equals the passage from `offset` on. So the result is unique, and its size grows with the number of places, never
// with that of their pairs.
#pragma once

#include <cstdint>

#include "base/files/file.h"
#include "engines/substring/repeats.h"
#include "refrain/context.h"
#include "verbs/run/columns/id_store.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::substrings {

struct PassageCounts {
  std::uint64_t passages = 0;
  std::uint64_t places = 0;
};

// `found` must have been computed with `places`.
PassageCounts write_passages(const substring::Repeats& found, const run::TextStore& text, const run::IdStore& ids,
                             const Context& context, OutputFile& out);

}  // namespace refrain::verbs::substrings
