// Collects the files of the input that are not read: their number by kind and some examples for the report. Passes
// every file to a callback that may list it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "corpus/files/walk.h"
#include "corpus/formats/recognize.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Thread-safe. The report does not depend on the order in which files are added.
class SkippedFiles {
 public:
  // `take` is called for every file, one at a time. It may be empty.
  explicit SkippedFiles(std::function<void(const SkippedFile&)> take) : take_(std::move(take)) {}

  // `total`: the field of the report that counts such files, or null.
  void add(SkipTotal total, SkippedFile file);
  // Adds a file that is not text, with what was recognized.
  void add_binary(const std::string& path, const Recognized& recognized);

  // Fills in the fields about skipped files.
  void fill(ReadReport& report) const;

 private:
  std::mutex mutex_;
  const std::function<void(const SkippedFile&)> take_;
  ReadReport totals_;
  std::map<std::string, SkippedKind> kinds_;
};

}  // namespace refrain::corpus
