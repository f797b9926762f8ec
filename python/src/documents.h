// Documents in memory, as Python holds them: a list of str, or anything that exports Arrow.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrow/export.h"
#include "arrow/import.h"
#include "refrain/documents.h"

namespace refrain::python {

// Immutable. Holds on to the memory of whoever made the columns. Layouts that have to be unpacked are, a part at a time, whenever
// they are read.
class Documents {
 public:
  // Column `id` names the documents, where it is not empty; `fields` are columns that a keep policy asks for.
  Documents(nanobind::handle data, const std::string& text, const std::string& id, std::vector<std::string> fields);

  std::size_t size() const { return starts_.back(); }
  // Rewindable; shares the columns.
  std::shared_ptr<DocumentStream> stream() const;

  // The ids of documents: their places, or what the column of ids has. A place of -1 is a null.
  Column ids_at(std::span<const std::int64_t> places) const;
  // The documents at `places` with `cuts` taken out of them; each is a document's place and a range of its bytes, ascending.
  struct Cut {
    std::uint64_t document = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  Column texts_at(std::span<const std::int64_t> places, std::span<const Cut> cuts) const;

  // Consecutive documents.
  struct Part {
    Chunk packed = {};    // where the texts are unpacked when they are read,
    Texts unpacked = {};  // or the texts
    std::optional<Texts> ids = {};
    std::vector<Texts> fields = {};
    std::size_t size = 0;

    DocumentBatch batch() const;
  };

 private:
  void add(const Chunk& chunk, const std::string& text, const std::string& id);
  std::size_t part_of(std::size_t document) const;

  std::vector<Part> parts_;
  std::vector<std::size_t> starts_ = {0};  // the number of the first document of each part, and of all
  std::vector<std::string> fields_;
  bool has_ids_ = false;
};

void bind_documents(nanobind::module_& module);

}  // namespace refrain::python
