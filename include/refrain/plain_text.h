// plain_text: extracts the text of every document, exactly as the other verbs read it.
#pragma once

#include <functional>
#include <string_view>

#include "refrain/context.h"
#include "refrain/input.h"

namespace [[gnu::visibility("default")]] refrain {

struct PlainTextReport {
  ReadReport read;
  double seconds = 0;
};

// Passes JSONL to `out` in input order, a few lines at a time or, of a long text, a part of its line:
// {"id": ..., "text": ...}. Bytes that are not UTF-8 are replaced by U+FFFD, because JSON is UTF-8.
PlainTextReport plain_text(const InputOptions& input, const Context& context,
                           const std::function<void(std::string_view)>& out);

}  // namespace refrain
