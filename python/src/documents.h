// Documents in memory, as Python passes them: a list of str, or any object that exports Arrow.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrow/export.h"
#include "arrow/import.h"
#include "refrain/documents.h"

namespace refrain::python {

// Immutable. Keeps the memory of the given columns alive. Layouts that must be unpacked are unpacked part by part,
// each time they are read.
class Documents {
 public:
  // A column, and the option that names it.
  using Named = std::pair<std::string, std::string>;
  // Column `id` holds the ids, unless its name is empty; `fields` are the columns that a keep policy needs. For a list
  // of texts, `ids` is a list of str, or None; `id_format` is the Arrow format of what they stand for.
  Documents(nanobind::handle data, const Named& text, const Named& id, const std::vector<Named>& fields,
            nanobind::handle ids, std::string id_format);

  std::size_t size() const { return starts_.back(); }
  // Rewindable; shares the columns.
  std::shared_ptr<DocumentStream> stream() const;

  // The ids of the documents at `places`: values of the id column, or else the places themselves. A place of -1 gives
  // null.
  Column ids_at(std::span<const std::int64_t> places) const;
  // The texts of the documents at `places` without the `cuts`, which are sorted. A cut is a document's place and a
  // byte range.
  struct Cut {
    std::uint64_t document = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  Column texts_at(std::span<const std::int64_t> places, std::span<const Cut> cuts) const;

  // Consecutive documents.
  struct Part {
    // The texts: unpacked each time they are read, from one of the first two, or as they lie.
    Chunk packed = {};
    std::shared_ptr<const TextList> list = {};
    std::size_t first = 0;  // in `list`
    Texts unpacked = {};
    std::optional<Texts> ids = {};
    std::vector<Texts> fields = {};
    std::size_t size = 0;

    DocumentBatch batch() const;
  };

 private:
  void add(const Chunk& chunk, const Named& text, const Named& id, const std::vector<Named>& fields);
  std::size_t part_of(std::size_t document) const;

  std::vector<Part> parts_;
  std::vector<std::size_t> starts_ = {0};  // the number of each part's first document, then of all documents
  std::vector<std::string> fields_;
  bool has_ids_ = false;
  std::string id_format_;  // the Arrow format of the ids, or of their dictionary,
  std::string id_metadata_;
};

void bind_documents(nanobind::module_& module);

}  // namespace refrain::python
