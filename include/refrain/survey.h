// A survey of the input before it is read: the kinds of files, and a field that can serve as the records' id.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/input.h"

namespace [[gnu::visibility("default")]] refrain {

struct InputSurvey {
  struct Kind {
    std::string name;     // "JSONL", "HTML"; in the plural if there is one: "documents"
    std::string packing;  // "zstd", by the file's name; empty if it is not compressed
    std::uint64_t files = 0;
  };
  std::vector<Kind> kinds;  // most frequent first
  std::uint64_t files = 0;
  bool all = true;            // false: there are more files than were counted
  bool records = false;       // some files have records with fields
  std::string id_field = {};  // "id", "url" or "doc_id": every record examined has a distinct value; else empty
};

// Goes by file names, and reads the first records of some files. The survey is empty if the input is standard input
// or documents in memory. Bad records and damaged files are not reported here: the verb that reads the input reports
// them.
InputSurvey survey_input(const InputOptions& options, const Context& context);

// Lists the folders of the input, for InputOptions::listing; null if the listing needs too much of the memory. For one
// run only: files that are added later are not in it.
std::shared_ptr<const corpus::Listing> list_input(const InputOptions& options, const Context& context);

}  // namespace refrain
