// Documents in memory, as Python holds them: a list of str, or anything that exports Arrow.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/export.h"
#include "refrain/documents.h"

namespace refrain::python {

// Immutable. Holds on to the memory of whoever made the columns.
class Documents {
 public:
  // Column `id` names the documents, where it is not empty; `fields` are columns that a keep policy asks for.
  Documents(nanobind::handle data, const std::string& text, const std::string& id, std::vector<std::string> fields);

  std::size_t size() const { return starts_.back(); }
  bool has_ids() const { return has_ids_; }
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

 private:
  struct Place {
    std::size_t batch;
    std::size_t row;
  };
  Place place(std::size_t document) const;

  std::vector<DocumentBatch> batches_;
  std::vector<std::size_t> starts_ = {0};  // the number of the first document of each batch, and of all
  std::vector<std::string> fields_;
  bool has_ids_ = false;
};

void bind_documents(nanobind::module_& module);

}  // namespace refrain::python
