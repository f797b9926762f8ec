// The line-based input of suffix array tools: a file whose lines are documents (with their line breaks replaced by
// spaces), and optionally a file with their ids.
#pragma once

#include <string>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/input.h"
#include "verbs/run/columns/id_store.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::substrings {

// Reads both files; without `ids_path`, ids are ordinals. Throws Error(bad_input) if their numbers of lines differ.
ReadReport read_line_corpus(const std::string& path, const std::string& ids_path, const Context& context,
                            run::TextStore& text, run::IdStore& ids);

}  // namespace refrain::verbs::substrings
