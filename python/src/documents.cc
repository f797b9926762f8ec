#include "documents.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "refrain/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

constexpr std::int64_t kUnpackedRows = 16384;  // per part

class Stream : public DocumentStream {
 public:
  Stream(std::vector<Documents::Part> parts, std::vector<std::string> fields)
      : parts_(std::move(parts)), fields_(std::move(fields)) {}

  bool next(DocumentBatch& batch) override {
    if (next_ == parts_.size()) return false;
    batch = parts_[next_++].batch();
    return true;
  }
  bool rewindable() const override { return true; }
  void rewind() override { next_ = 0; }
  std::vector<std::string> field_names() const override { return fields_; }

 private:
  const std::vector<Documents::Part> parts_;
  const std::vector<std::string> fields_;
  std::size_t next_ = 0;
};

using Named = Documents::Named;

std::string about(const Named& named) {
  return "`" + named.second + "`: ";
}

// Returns what `read` returns. An error is one about the option that names the column.
template <class Read>
auto reading(const Named& named, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.code(), about(named) + error.what());
  }
}

Chunk text_column(const Chunk& chunk, const Named& text) {
  return reading(text, [&] { return column_of(chunk, text.first); });
}

Texts texts_in(const Chunk& column, const Named& text) {
  return reading(text, [&] { return texts_of(column, "column '" + text.first + "'"); });
}

Texts field_of(const Chunk& chunk, const Named& field) {
  return reading(field, [&] {
    const Chunk column = column_of(chunk, field.first);  // reports which columns a table has
    if (!has_column(chunk, field.first))
      throw Error(Errc::invalid_argument, "there is no column '" + field.first + "' in the documents");
    return texts_of(column, "column '" + field.first + "'", true);
  });
}

// The ids of a part, which must not be null; `first` is the number of the first row.
Texts ids_of(const Chunk& chunk, const Named& id, std::size_t first) {
  Texts ids = field_of(chunk, id);
  for (std::size_t i = 0; i < ids.column.size(); ++i)
    if (!ids.column.valid(i))
      throw Error(Errc::invalid_argument, fmt::format("{}row {} of column '{}' is null; every document needs an id",
                                                      about(id), first + i, id.first));
  return ids;
}

template <class T>
Column parsed(const std::vector<std::string_view>& ids, std::span<const std::uint8_t> valid) {
  std::vector<T> numbers(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::from_chars(ids[i].data(), ids[i].data() + ids[i].size(), numbers[i]);
  return number_column(std::move(numbers), valid);
}

Column strings(const std::vector<std::string_view>& ids, std::span<const std::uint8_t> valid) {
  TextBuilder texts;
  for (const std::string_view id : ids) texts.add(id);
  return std::move(texts).column(valid);
}

Column fixed_width(const std::vector<std::string_view>& ids, std::size_t width, std::span<const std::uint8_t> valid) {
  std::vector<char> bytes(ids.size() * width);
  for (std::size_t i = 0; i < ids.size(); ++i) std::ranges::copy(ids[i], bytes.data() + i * width);
  return fixed_bytes_column(std::move(bytes), width, valid);
}

Chunk slice(Chunk chunk, std::int64_t first, std::int64_t length) {
  chunk.first += first;
  chunk.length = length;
  return chunk;
}

}  // namespace

DocumentBatch Documents::Part::batch() const {
  const Texts texts = packed.schema != nullptr ? texts_of(packed, "text")
                      : list != nullptr        ? list->texts(first, size)
                                               : unpacked;
  const auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  owners->push_back(texts.owner);
  DocumentBatch batch{.text = texts.column, .owner = owners};
  if (ids) {
    batch.ids = ids->column;
    owners->push_back(ids->owner);
  }
  for (const Texts& field : fields) {
    batch.fields.push_back(field.column);
    owners->push_back(field.owner);
  }
  return batch;
}

Documents::Documents(nb::handle data, const Named& text, const Named& id, const std::vector<Named>& fields,
                     nb::handle ids, std::string id_format)
    : has_ids_(!id.first.empty() || !ids.is_none()), id_format_(std::move(id_format)) {
  for (const Named& field : fields) fields_.push_back(field.first);
  if (nb::isinstance<nb::list>(data) || nb::isinstance<nb::tuple>(data)) {
    if (!id.first.empty() || !fields.empty())
      throw Error(Errc::invalid_argument,
                  about(id.first.empty() ? fields.front() : id) + "a list of texts has no other columns");
    const auto list = std::make_shared<TextList>(data, text.second);
    const Texts all_ids = has_ids_ ? texts_of_list(ids, id.second) : Texts{};
    if (has_ids_ && all_ids.column.size() != list->size())
      throw Error(Errc::invalid_argument,
                  fmt::format("{}{} ids for {} texts", about(id), all_ids.column.size(), list->size()));
    for (std::size_t first = 0; const std::size_t size : list->parts()) {
      Part part{.list = list, .first = first, .size = size};
      if (has_ids_) part.ids = {all_ids.column.slice(first, size), all_ids.owner};
      parts_.push_back(std::move(part));
      first += size;
    }
  } else {
    for (const Chunk& chunk : import_arrow(data)) add(chunk, text, id, fields);
  }
  for (const Part& part : parts_) starts_.push_back(starts_.back() + part.size);
}

void Documents::add(const Chunk& chunk, const Named& text, const Named& id, const std::vector<Named>& fields) {
  const std::size_t starting = std::accumulate(parts_.begin(), parts_.end(), std::size_t{0},
                                               [](std::size_t sum, const Part& part) { return sum + part.size; });
  if (has_ids_ && has_column(chunk, id.first)) {
    const ArrowSchema* schema = column_of(chunk, id.first).schema;
    if (schema->dictionary != nullptr) schema = schema->dictionary;
    id_format_ = schema->format;
    id_metadata_ = metadata_of(*schema);
  }
  const Chunk column = text_column(chunk, text);
  const bool packed = is_packed(column);
  if (packed) texts_in(slice(column, 0, 0), text);  // reports an unreadable column at once
  const std::int64_t rows = packed ? kUnpackedRows : std::max<std::int64_t>(chunk.length, 1);
  for (std::int64_t first = 0; first < chunk.length; first += rows) {
    const std::int64_t length = std::min(rows, chunk.length - first);
    Part part{.size = static_cast<std::size_t>(length)};
    if (packed)
      part.packed = slice(column, first, length);
    else
      part.unpacked = texts_in(column, text);
    if (has_ids_) part.ids = ids_of(slice(chunk, first, length), id, starting + static_cast<std::size_t>(first));
    for (const Named& field : fields) part.fields.push_back(field_of(slice(chunk, first, length), field));
    parts_.push_back(std::move(part));
  }
  if (chunk.length == 0) {  // report missing columns even if there are no rows
    if (!packed) texts_in(column, text);
    if (has_ids_) field_of(chunk, id);
    for (const Named& field : fields) field_of(chunk, field);
  }
}

std::shared_ptr<DocumentStream> Documents::stream() const {
  return std::make_shared<Stream>(parts_, fields_);
}

std::size_t Documents::part_of(std::size_t document) const {
  if (document >= size()) throw nb::index_error("there is no such document");
  return static_cast<std::size_t>(std::ranges::upper_bound(starts_, document) - starts_.begin()) - 1;
}

Column Documents::ids_at(std::span<const std::int64_t> places) const {
  std::vector<std::uint8_t> valid(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) valid[i] = places[i] < 0 ? 0 : 1;
  if (!has_ids_) return number_column(std::vector<std::int64_t>(places.begin(), places.end()), valid);
  std::vector<std::string_view> ids(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) continue;
    const auto document = static_cast<std::size_t>(places[i]);
    const std::size_t part = part_of(document);
    ids[i] = parts_[part].ids->column[document - starts_[part]];
  }
  constexpr std::string_view kIntegers = "csilCSI";
  if (id_format_.size() == 1 && kIntegers.find(id_format_) != std::string_view::npos)
    return parsed<std::int64_t>(ids, valid);
  if (id_format_ == "L") return parsed<std::uint64_t>(ids, valid);
  if (id_format_.starts_with("w:")) {
    Column column = fixed_width(ids, std::stoul(id_format_.substr(2)), valid);
    column.metadata = id_metadata_;  // says that it is a UUID
    return column;
  }
  Column column = strings(ids, valid);
  if (id_format_ == "z" || id_format_ == "Z" || id_format_ == "vz") column.format = "Z";
  return column;
}

Column Documents::texts_at(std::span<const std::int64_t> places, std::span<const Cut> cuts) const {
  TextBuilder texts;
  std::vector<std::uint8_t> valid;
  std::optional<std::size_t> unpacked;  // the part that `batch` belongs to
  DocumentBatch batch;
  for (const std::int64_t place : places) {
    const auto document = static_cast<std::uint64_t>(place);
    const std::size_t part = part_of(document);
    if (unpacked != part) batch = parts_[part].batch();
    unpacked = part;
    const std::size_t row = document - starts_[part];
    valid.push_back(batch.text.valid(row) ? 1 : 0);
    const std::string_view text = batch.text.valid(row) ? batch.text[row] : std::string_view();
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
      .def(nb::init<nb::handle, const Named&, const Named&, const std::vector<Named>&, nb::handle, std::string>(),
           "data"_a, nb::kw_only(), "text"_a = Named("text", "text"), "id"_a = Named("", "id"),
           "fields"_a = std::vector<Named>(), "ids"_a = nb::none(), "id_format"_a = "")
      .def("__len__", &Documents::size)
      .def(
          "texts_at",
          [](const Documents& self, const std::vector<std::int64_t>& places, const nb::object& cut) {
            std::vector<Documents::Cut> cuts;
            for (const Chunk& chunk : cut.is_none() ? std::vector<Chunk>() : import_arrow(cut)) {
              const auto documents = numbers_of(column_of(chunk, "document"), "document");
              const auto begins = numbers_of(column_of(chunk, "begin"), "begin");
              const auto ends = numbers_of(column_of(chunk, "end"), "end");
              for (std::size_t i = 0; i < documents.size(); ++i) cuts.push_back({documents[i], begins[i], ends[i]});
            }
            return self.texts_at(places, cuts);
          },
          "places"_a, "cuts"_a = nb::none(),
          "The documents at these places, without the cuts: a table of document, begin, end.");
}

}  // namespace refrain::python
