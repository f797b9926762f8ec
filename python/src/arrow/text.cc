// Reads strings in all of Arrow's layouts, and from Python lists.
#include <cstring>

#include "arrow/import.h"
#include "refrain/error.h"

namespace nb = nanobind;

namespace refrain::python {

namespace {

// A contiguous column that owns its strings.
struct Unpacked {
  std::vector<char> bytes;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint8_t> validity;
  bool nulls = false;

  void add(std::optional<std::string_view> text) {
    const std::size_t i = offsets.size() - 1;
    if (i % 8 == 0) validity.push_back(0);
    if (text) {
      bytes.insert(bytes.end(), text->begin(), text->end());
      validity[i / 8] = static_cast<std::uint8_t>(validity[i / 8] | 1U << i % 8);
    } else {
      nulls = true;
    }
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
};

Texts shared(std::shared_ptr<Unpacked> unpacked) {
  const TextColumn column(unpacked->bytes.data(), unpacked->offsets.data(), unpacked->offsets.size() - 1,
                          unpacked->nulls ? unpacked->validity.data() : nullptr);
  return {column, std::move(unpacked)};
}

[[noreturn]] void outside(std::string_view what) {
  throw Error(Errc::invalid_argument,
              std::string(what) + ": the Arrow data is malformed: a string lies outside of its buffer");
}

template <class Offset>
Texts plain(const Chunk& chunk, std::string_view what) {
  static constexpr Offset kNone[1] = {0};
  if (chunk.length == 0) return {TextColumn("", kNone, 0), chunk.owner};
  const ArrowArray& array = *chunk.array;
  const auto first = static_cast<std::size_t>(array.offset + chunk.first);
  const auto length = static_cast<std::size_t>(chunk.length);
  const auto* validity = static_cast<const std::uint8_t*>(array.null_count == 0 ? nullptr : array.buffers[0]);
  const auto* bytes = static_cast<const char*>(array.buffers[2]);
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]);
  bool ascending = offsets[first] >= 0;
  for (std::size_t i = first; i < first + length; ++i) ascending &= offsets[i] <= offsets[i + 1];
  if (!ascending || (bytes == nullptr && offsets[first] != offsets[first + length])) outside(what);
  const TextColumn all(bytes != nullptr ? bytes : "", offsets, first + length, validity);
  return {all.slice(first, length), chunk.owner};
}

// A view has 16 bytes: the length and up to 12 bytes of string, or the length, a prefix, a buffer's number and an
// offset.
std::string_view view_at(const ArrowArray& array, std::int64_t i, std::string_view what) {
  const char* view = static_cast<const char*>(array.buffers[1]) + 16 * i;
  std::int32_t part[4];
  std::memcpy(part, view, sizeof part);
  const std::int64_t size = part[0], buffer = part[2], first = part[3];
  if (size >= 0 && size <= 12) return {view + 4, static_cast<std::size_t>(size)};
  const std::int64_t last = array.n_buffers - 1;  // the index of the buffer with the sizes of the data buffers
  const auto* sizes = static_cast<const std::int64_t*>(array.buffers[last]);
  if (size < 0 || buffer < 0 || buffer >= last - 2 || sizes == nullptr || first < 0 || first > sizes[buffer] - size ||
      array.buffers[2 + buffer] == nullptr)
    outside(what);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + first, static_cast<std::size_t>(size)};
}

Texts from_views(const Chunk& chunk, std::string_view what) {
  const auto unpacked = std::make_shared<Unpacked>();
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    if (is_valid(chunk, i))
      unpacked->add(view_at(*chunk.array, chunk.array->offset + chunk.first + i, what));
    else
      unpacked->add({});
  }
  return shared(unpacked);
}

Texts from_dictionary(const Chunk& chunk, std::string_view what, bool values_too) {
  if (chunk.schema->dictionary->dictionary != nullptr)
    throw Error(Errc::invalid_argument, std::string(what) + ": a dictionary of dictionaries is not supported");
  if (chunk.length == 0) return texts_of(checked({chunk.schema->dictionary, nullptr, 0, 0, {}}), what, values_too);
  const auto unpacked = std::make_shared<Unpacked>();
  const ArrowArray& values = *chunk.array->dictionary;
  const Texts texts =
      texts_of(checked({chunk.schema->dictionary, &values, 0, values.length, chunk.owner}), what, values_too);
  ArrowSchema keys = *chunk.schema;
  keys.dictionary = nullptr;
  std::vector<std::uint8_t> valid;
  const std::vector<std::uint64_t> places =
      numbers_of({&keys, chunk.array, chunk.first, chunk.length, {}}, what, &valid);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (valid[i] != 0 && places[i] >= texts.column.size()) outside(what);
    if (valid[i] != 0 && texts.column.valid(places[i]))
      unpacked->add(texts.column[places[i]]);
    else
      unpacked->add({});
  }
  return shared(unpacked);
}

Texts from_values(const Chunk& chunk, std::string_view what) {
  const auto unpacked = std::make_shared<Unpacked>();
  for (std::int64_t i = 0; i < chunk.length; ++i) {
    if (is_valid(chunk, i))
      unpacked->add(value_text(chunk, i, what));
    else
      unpacked->add({});
  }
  return shared(unpacked);
}

// Encodes as UTF-8. Lone surrogates become U+FFFD, as in JSON; both are three bytes long.
std::string encoded_loosely(nb::handle text) {
  const nb::bytes bytes = nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
  if (!bytes.is_valid()) throw nb::python_error();
  std::string out(bytes.c_str(), bytes.size());
  for (std::size_t i = 0; i + 2 < out.size(); ++i)
    if (out[i] == '\xED' && static_cast<unsigned char>(out[i + 1]) >= 0xA0) out.replace(i, 3, "\xEF\xBF\xBD");
  return out;
}

void check_text(nb::handle item, std::string_view what) {
  if (!item.is_none() && PyUnicode_Check(item.ptr()) == 0)
    throw nb::type_error(
        (std::string(what) + ": expected str, not " + nb::str(item.type().attr("__name__")).c_str()).c_str());
}

// PyUnicode_AsUTF8AndSize() would keep what it encodes in the str.
void add_python(Unpacked& unpacked, nb::handle item) {
  if (item.is_none()) return unpacked.add({});
  const nb::bytes bytes = nb::steal<nb::bytes>(PyUnicode_AsUTF8String(item.ptr()));
  if (bytes.is_valid()) return unpacked.add(std::string_view(bytes.c_str(), bytes.size()));
  PyErr_Clear();
  unpacked.add(encoded_loosely(item));
}

}  // namespace

bool is_packed(const Chunk& chunk) {
  const std::string_view format = chunk.schema->format;
  return chunk.schema->dictionary != nullptr || format == "vu" || format == "vz";
}

Texts texts_of(const Chunk& chunk, std::string_view what, bool values) {
  const std::string_view format = chunk.schema->format;
  if (chunk.schema->dictionary != nullptr) return from_dictionary(chunk, what, values);
  if (format == "u" || format == "z") return plain<std::int32_t>(chunk, what);
  if (format == "U" || format == "Z") return plain<std::int64_t>(chunk, what);
  if (format == "vu" || format == "vz") return from_views(chunk, what);
  if (format == "n") {
    const auto unpacked = std::make_shared<Unpacked>();
    for (std::int64_t i = 0; i < chunk.length; ++i) unpacked->add({});
    return shared(unpacked);
  }
  if (values) return from_values(chunk, what);
  throw Error(Errc::invalid_argument,
              std::string(what) + ": expected strings, not Arrow's format '" + std::string(format) + "'");
}

Texts texts_of_list(nb::handle list, std::string_view what) {
  const auto unpacked = std::make_shared<Unpacked>();
  for (nb::handle item : list) {
    check_text(item, what);
    add_python(*unpacked, item);
  }
  return shared(unpacked);
}

TextList::TextList(nb::handle list, std::string_view what) : what_(what) {
  constexpr std::size_t kMostTexts = 16384, kMostCharacters = std::size_t{1} << 18U;  // in a part
  nb::tuple items = nb::steal<nb::tuple>(PySequence_Tuple(list.ptr()));
  if (!items.is_valid()) throw nb::python_error();
  size_ = items.size();
  std::size_t characters = kMostCharacters;
  for (nb::handle item : items) {
    check_text(item, what);
    if (characters >= kMostCharacters || parts_.back() == kMostTexts) {
      parts_.push_back(0);
      characters = 0;
    }
    ++parts_.back();
    if (!item.is_none()) characters += static_cast<std::size_t>(PyUnicode_GetLength(item.ptr()));
  }
  items_ = {items.release().ptr(), [](PyObject* released) {
              const nb::gil_scoped_acquire acquired;
              Py_DECREF(released);
            }};
}

Texts TextList::texts(std::size_t first, std::size_t count) const {
  const auto unpacked = std::make_shared<Unpacked>();
  const nb::gil_scoped_acquire acquired;
  try {
    for (std::size_t i = first; i < first + count; ++i)
      add_python(*unpacked, PyTuple_GetItem(items_.get(), static_cast<Py_ssize_t>(i)));
  } catch (const nb::python_error& error) {
    throw Error(Errc::over_budget, what_ + ": " + error.what());
  }
  return shared(unpacked);
}

std::vector<Texts> import_texts(nb::handle object, std::string_view name) {
  if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) return {texts_of_list(object, name)};
  std::vector<Texts> texts;
  for (const Chunk& chunk : import_arrow(object)) texts.push_back(texts_of(column_of(chunk, name), name));
  return texts;
}

Texts import_one_text(nb::handle object, std::string_view name) {
  const std::vector<Texts> chunks = import_texts(object, name);
  if (chunks.size() == 1) return chunks[0];
  const auto unpacked = std::make_shared<Unpacked>();
  for (const Texts& chunk : chunks)
    for (std::size_t i = 0; i < chunk.column.size(); ++i) {
      if (chunk.column.valid(i))
        unpacked->add(chunk.column[i]);
      else
        unpacked->add({});
    }
  return shared(unpacked);
}

}  // namespace refrain::python
