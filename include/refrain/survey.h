// What the input looks like, before it is read: kinds of files, and a field that can name the records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/input.h"

namespace [[gnu::visibility("default")]] refrain {

struct InputSurvey {
  struct Kind {
    std::string name;     // "JSONL", "HTML"; in the plural where it has one
    std::string packing;  // "zstd"; by the name of the file; empty where it has none
    std::uint64_t files = 0;
  };
  std::vector<Kind> kinds;  // the most frequent first
  std::uint64_t files = 0;
  bool all = true;            // else there are more files than were counted
  bool records = false;       // some have fields
  std::string id_field = {};  // "id", "url" or "doc_id", if every record that was looked at has one of its own
};

// Goes by names and looks into the first records of some files. Knows nothing of standard input and of documents in
// memory. What is wrong with the input is left to whoever reads it.
InputSurvey survey_input(const InputOptions& options, const Context& context);

}  // namespace refrain
