#include "documents.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "arrow/import.h"
#include "refrain/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

class Stream : public DocumentStream {
 public:
  Stream(std::vector<DocumentBatch> batches, std::vector<std::string> fields)
      : batches_(std::move(batches)), fields_(std::move(fields)) {}

  bool next(DocumentBatch& batch) override {
    if (next_ == batches_.size()) return false;
    batch = batches_[next_++];
    return true;
  }
  bool rewindable() const override { return true; }
  void rewind() override { next_ = 0; }
  std::vector<std::string> field_names() const override { return fields_; }

 private:
  const std::vector<DocumentBatch> batches_;
  const std::vector<std::string> fields_;
  std::size_t next_ = 0;
};

using Owners = std::vector<std::shared_ptr<const void>>;

TextColumn field_of(const Chunk& chunk, const std::string& name, Owners& owners) {
  if (!has_column(chunk, name))
    throw Error(Errc::invalid_argument, "there is no column '" + name + "' in the documents");
  Texts texts = texts_of(column_of(chunk, name), name, true);
  owners.push_back(std::move(texts.owner));
  return texts.column;
}

}  // namespace

Documents::Documents(nb::handle data, const std::string& text, const std::string& id, std::vector<std::string> fields)
    : fields_(std::move(fields)), has_ids_(!id.empty()) {
  if (nb::isinstance<nb::list>(data) || nb::isinstance<nb::tuple>(data)) {
    if (has_ids_ || !fields_.empty()) throw Error(Errc::invalid_argument, "a list of texts has no other columns");
    Texts texts = texts_of_list(data, text);
    batches_.push_back({.text = texts.column, .owner = std::move(texts.owner)});
  } else {
    for (const Chunk& chunk : import_arrow(data)) {
      const auto owners = std::make_shared<Owners>();
      Texts texts = texts_of(column_of(chunk, text), text);
      owners->push_back(std::move(texts.owner));
      DocumentBatch batch{.text = texts.column, .owner = owners};
      if (has_ids_) batch.ids = field_of(chunk, id, *owners);
      for (const std::string& name : fields_) batch.fields.push_back(field_of(chunk, name, *owners));
      batches_.push_back(std::move(batch));
    }
  }
  for (const DocumentBatch& batch : batches_) starts_.push_back(starts_.back() + batch.text.size());
}

std::shared_ptr<DocumentStream> Documents::stream() const {
  return std::make_shared<Stream>(batches_, fields_);
}

Documents::Place Documents::place(std::size_t document) const {
  if (document >= size()) throw nb::index_error("there is no such document");
  const auto after = std::ranges::upper_bound(starts_, document);
  const auto batch = static_cast<std::size_t>(after - starts_.begin()) - 1;
  return {batch, document - starts_[batch]};
}

Column Documents::ids_at(std::span<const std::int64_t> places) const {
  std::vector<std::uint8_t> valid(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) valid[i] = places[i] < 0 ? 0 : 1;
  if (!has_ids_) return number_column(std::vector<std::int64_t>(places.begin(), places.end()), valid);
  TextBuilder ids;
  for (const std::int64_t each : places) {
    if (each < 0) {
      ids.add({});
      continue;
    }
    const auto [batch, row] = place(static_cast<std::size_t>(each));
    ids.add((*batches_[batch].ids)[row]);
  }
  return std::move(ids).column(valid);
}

Column Documents::texts_at(std::span<const std::int64_t> places, std::span<const Cut> cuts) const {
  TextBuilder texts;
  std::vector<std::uint8_t> valid;
  for (const std::int64_t each : places) {
    const auto document = static_cast<std::uint64_t>(each);
    const auto [batch, row] = place(document);
    const TextColumn& column = batches_[batch].text;
    valid.push_back(column.valid(row) ? 1 : 0);
    const std::string_view text = column.valid(row) ? column[row] : std::string_view();
    std::size_t from = 0;
    for (auto cut = std::ranges::lower_bound(cuts, document, {}, &Cut::document);
         cut != cuts.end() && cut->document == document; ++cut) {
      if (cut->begin < from || cut->end < cut->begin || cut->end > text.size())
        throw Error(Errc::invalid_argument, "cuts: one does not lie in its text, or they are not in order");
      texts.append(text.substr(from, cut->begin - from));
      from = cut->end;
    }
    texts.add(text.substr(from));
  }
  return std::move(texts).column(valid);
}

void bind_documents(nb::module_& module) {
  nb::class_<Documents>(module, "Documents", "Texts in memory, read where they lie.")
      .def(nb::init<nb::handle, const std::string&, const std::string&, std::vector<std::string>>(), "data"_a,
           nb::kw_only(), "text"_a = "text", "id"_a = "", "fields"_a = std::vector<std::string>())
      .def("__len__", &Documents::size)
      .def(
          "texts_at",
          [](const Documents& self, const std::vector<std::int64_t>& places, const nb::object& cut) {
            std::vector<Documents::Cut> cuts;
            for (const Chunk& chunk : import_arrow(cut)) {
              const auto documents = numbers_of(column_of(chunk, "document"), "document");
              const auto begins = numbers_of(column_of(chunk, "begin"), "begin");
              const auto ends = numbers_of(column_of(chunk, "end"), "end");
              for (std::size_t i = 0; i < documents.size(); ++i) cuts.push_back({documents[i], begins[i], ends[i]});
            }
            return self.texts_at(places, cuts);
          },
          "places"_a, "cuts"_a, "The documents at these places, without the cuts: a table of document, begin, end.");
}

}  // namespace refrain::python
