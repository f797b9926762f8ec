// Finds texts in files that can only be read from their beginning, such as compressed ones, for a server that needs
// one text after another.
//
// Reading such a file once per text would take time quadratic in its size. So the texts that are read on the way to
// the wanted one are kept on temporary disk, and those after it, too, up to kFileBytes per file. A file with at
// most that many bytes of text is read once, and a larger one once per kFileBytes if its texts are requested in
// order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "refrain/context.h"
#include "refrain/digest.h"
#include "refrain/input.h"

namespace refrain::verbs::known {

// Thread-safe. One thread reads a file at a time; the others wait, because it often finds what they need.
class FileTexts {
 public:
  static constexpr std::uint64_t kFileBytes = std::uint64_t{256} << 20;

  // Keeps up to `file_bytes` of texts per file, and four times as many bytes in total.
  FileTexts(const Context& context, MemoryBudget& budget, std::uint64_t file_bytes = kFileBytes);

  // Returns the text with this digest in the file that `input` names, or nothing if the file does not contain it,
  // is missing or is damaged. Throws Error(interrupted) once `stop` is set.
  std::optional<std::string> find(const InputOptions& input, const Digest& digest, const std::stop_token& stop);

  std::uint64_t reads() const;  // number of passes over files so far

 private:
  struct Entry {
    Digest digest;
    std::uint64_t begin;  // offset in the temporary file
    std::uint64_t bytes;
  };
  // The texts that are kept of one file.
  struct KeptFile {
    KeptFile(TempSpace& temp, MemoryBudget& budget) : texts(temp), entries(budget, "the texts of compressed files") {}
    std::string identity;  // of the file, and of how it is read
    TempFile texts;
    Array<Entry> entries;      // ascending, once the file has been read
    bool is_whole = true;      // whether all texts of the file are here
    std::set<Digest> missing;  // texts that the file is known not to have, if not all of its texts are here
  };
  struct Pass;

  std::shared_ptr<KeptFile> held(const std::string& identity);
  void keep(std::shared_ptr<KeptFile> made);

  const Context context_;
  MemoryBudget& budget_;
  TempSpace temp_;
  const std::uint64_t file_bytes_;
  const std::size_t most_entries_;  // of one file

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool is_reading_ = false;
  std::uint64_t reads_ = 0;
  std::list<std::shared_ptr<KeptFile>> kept_files_;  // the most recently used one comes first
};

}  // namespace refrain::verbs::known
