// Kernels that turn a column of text into one row per document, or into rows that name the document they belong to.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <numeric>
#include <optional>

#include "arrow/export.h"
#include "arrow/import.h"
#include "bindings.h"
#include "call.h"
#include "refrain/error.h"
#include "refrain/kernels.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace refrain::python {

namespace {

std::size_t rows_of(const std::vector<Texts>& chunks) {
  std::size_t rows = 0;
  for (const Texts& chunk : chunks) rows += chunk.column.size();
  return rows;
}

// Calls work(column, row number of its first value) for each chunk.
template <class Work>
void each_chunk(const std::vector<Texts>& chunks, const Work& work) {
  std::size_t row = 0;
  for (const Texts& chunk : chunks) {
    work(chunk.column, row);
    row += chunk.column.size();
  }
}

// Writes big endian, so that digests sort the same as bytes and as numbers.
void put_number(std::uint64_t number, std::uint8_t* out) {
  for (unsigned i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(number >> (56 - 8 * i));
}

Column digest_column(const nb::object& texts, unsigned threads, const nb::object& memory) {
  const std::vector<Texts> chunks = import_texts(texts);
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    std::vector<Digest> found(rows_of(chunks));
    std::vector<std::uint8_t> valid(found.size());
    each_chunk(chunks, [&](const TextColumn& column, std::size_t row) {
      digests(column, found.data() + row, context);
      for (std::size_t i = 0; i < column.size(); ++i) valid[row + i] = column.valid(i) ? 1 : 0;
    });
    std::vector<std::uint8_t> bytes(found.size() * 16);
    for (std::size_t i = 0; i < found.size(); ++i) {
      put_number(found[i].high, &bytes[16 * i]);
      put_number(found[i].low, &bytes[16 * i + 8]);
    }
    Column column{.format = "w:16", .length = static_cast<std::int64_t>(found.size())};
    column.buffers = {nullptr, keep(column, std::move(bytes))};
    set_validity(column, valid);
    return column;
  });
}

Column fingerprint_column(const nb::object& texts, const std::string& tokenizer, const std::string& hash,
                          unsigned window, std::uint64_t seed, bool tie, std::vector<std::string> stop_words,
                          unsigned threads, const nb::object& memory) {
  const std::vector<Texts> chunks = import_texts(texts);
  const Fingerprinter fingerprinter({.tokenizer = tokenizer_named(tokenizer),
                                     .hash = hash_named(hash),
                                     .window = window,
                                     .seed = seed,
                                     .tie_sets_bit = tie,
                                     .stop_words = std::move(stop_words)});
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    std::vector<std::uint64_t> found(rows_of(chunks));
    std::vector<std::uint8_t> valid(found.size());
    each_chunk(chunks, [&](const TextColumn& column, std::size_t row) {
      fingerprinter.batch(column, found.data() + row, valid.data() + row, context);
    });
    return number_column(std::move(found), valid);
  });
}

Column signature_column(const nb::object& texts, unsigned lanes, const std::string& tokenizer, const std::string& hash,
                        unsigned window, std::uint64_t seed, unsigned threads, const nb::object& memory) {
  const std::vector<Texts> chunks = import_texts(texts);
  const MinHasher hasher(
      {.windows = {.tokenizer = tokenizer_named(tokenizer), .hash = hash_named(hash), .window = window, .seed = seed},
       .lanes = lanes});
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    const std::size_t rows = rows_of(chunks);
    std::vector<std::uint32_t> found(rows * lanes);
    std::vector<std::uint8_t> valid(rows);
    each_chunk(chunks, [&](const TextColumn& column, std::size_t row) {
      hasher.batch(column, found.data() + row * lanes, valid.data() + row, context);
    });
    return fixed_list_column(std::move(found), rows, lanes, valid);
  });
}

// Signatures, given as signatures() returns them, or as bytes. All bits of null rows are set.
struct Signatures {
  std::vector<std::uint32_t> lanes;
  std::vector<std::uint8_t> valid;
};

// The rows of a chunk of fixed-size lists or bytes, in contiguous memory.
struct LaneRows {
  const std::uint32_t* first = nullptr;
  std::size_t lanes = 0;  // per row
};

std::optional<LaneRows> lane_rows(const Chunk& chunk) {
  const std::string_view format = chunk.schema->format;
  const bool listed = format.starts_with("+w:") && chunk.schema->n_children == 1;
  const std::string_view item = listed ? chunk.schema->children[0]->format : "";
  if (!format.starts_with("w:") && item != "I" && item != "i") return {};
  const std::int64_t width = width_of(*chunk.schema);
  LaneRows rows{.lanes = static_cast<std::size_t>(listed ? width : width % 4 == 0 ? width / 4 : 0)};
  if (chunk.length == 0) return rows;
  const std::int64_t row = chunk.array->offset + chunk.first;
  if (!listed) {
    rows.first =
        reinterpret_cast<const std::uint32_t*>(static_cast<const char*>(chunk.array->buffers[1]) + row * width);
    return rows;
  }
  const Chunk values =
      checked({chunk.schema->children[0], chunk.array->children[0], row * width, chunk.length * width, {}});
  if (values.length > 0)
    rows.first = static_cast<const std::uint32_t*>(values.array->buffers[1]) + values.array->offset + values.first;
  return rows;
}

Signatures import_signatures(const nb::object& object, unsigned lanes) {
  Signatures all;
  for (const Chunk& chunk : import_arrow(object)) {
    const std::optional<LaneRows> fixed = lane_rows(chunk);
    const Texts bytes = fixed ? Texts{} : texts_of(chunk, "signatures");
    for (std::int64_t i = 0; i < chunk.length; ++i) {
      const bool valid = is_valid(chunk, i);
      all.valid.push_back(valid ? 1 : 0);
      if (!valid) {
        all.lanes.insert(all.lanes.end(), lanes, ~std::uint32_t{0});
        continue;
      }
      const std::string_view text = fixed ? std::string_view() : bytes.column[static_cast<std::size_t>(i)];
      const std::size_t found = fixed ? fixed->lanes : text.size() / 4;
      if (found != lanes)
        throw Error(Errc::invalid_argument,
                    "signatures: expected " + std::to_string(lanes) + " lanes, found " + std::to_string(found));
      const void* row =
          fixed ? static_cast<const void*>(fixed->first + static_cast<std::size_t>(i) * lanes) : text.data();
      const std::size_t size = all.lanes.size();
      all.lanes.resize(size + lanes);
      std::memcpy(&all.lanes[size], row, lanes * sizeof(std::uint32_t));
    }
  }
  return all;
}

Column band_key_column(const nb::object& signatures, unsigned bands, unsigned rows, unsigned lanes, unsigned threads,
                       const nb::object& memory) {
  if (bands == 0 || rows == 0 || std::uint64_t{bands} * rows > lanes)
    throw Error(Errc::invalid_argument, "`bands`: bands times rows must be from 1 to the number of lanes");
  const Signatures given = import_signatures(signatures, lanes);
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    std::vector<std::uint32_t> keys(given.valid.size() * bands);
    band_keys({.bands = bands, .rows = rows}, given.lanes, lanes, keys.data(), context);
    return fixed_list_column(std::move(keys), given.valid.size(), bands, given.valid);
  });
}

Column estimate_column(const nb::object& left, const nb::object& right, unsigned lanes) {
  const Signatures a = import_signatures(left, lanes);
  const Signatures b = import_signatures(right, lanes);
  if (a.valid.size() != b.valid.size())
    throw Error(Errc::invalid_argument, "estimated_similarities: the columns have different lengths");
  std::vector<double> found(a.valid.size());
  std::vector<std::uint8_t> valid(a.valid.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    valid[i] = a.valid[i] & b.valid[i];
    const auto row = [&](const Signatures& side) { return std::span(side.lanes).subspan(i * lanes, lanes); };
    if (valid[i] != 0) found[i] = estimated_similarity(row(a), row(b));
  }
  return number_column(std::move(found), valid);
}

Column ngram_key_table(const nb::object& texts, unsigned n, const std::string& tokenizer, unsigned threads,
                       const nb::object& memory) {
  const std::vector<Texts> chunks = import_texts(texts);
  const NgramKeyer keyer(n, tokenizer_named(tokenizer));
  return call({.threads = threads, .memory = memory}, [&](const Context& context) {
    std::vector<std::int64_t> rows, begins, ends;
    std::vector<std::uint64_t> keys;
    each_chunk(chunks, [&](const TextColumn& column, std::size_t row) {
      const ListColumn<NgramPlace> found = keyer.batch(column, context);
      for (std::size_t i = 0; i < found.size(); ++i)
        for (const NgramPlace& place : found[i]) {
          rows.push_back(static_cast<std::int64_t>(row + i));
          keys.push_back(place.key);
          begins.push_back(static_cast<std::int64_t>(place.where.begin));
          ends.push_back(static_cast<std::int64_t>(place.where.end));
        }
    });
    return table({number_column(std::move(rows)).named("row"), number_column(std::move(keys)).named("key"),
                  number_column(std::move(begins)).named("begin"), number_column(std::move(ends)).named("end")});
  });
}

// Returns the n-grams of text row[i] that begin with token[i]. Rows ascend, and so do the tokens of each row.
Column ngram_text_column(const nb::object& texts, const nb::object& row, const nb::object& token, unsigned n,
                         const std::string& tokenizer) {
  const Texts given = import_one_text(texts);
  const std::vector<std::uint64_t> rows = import_numbers(row, "row");
  const std::vector<std::uint64_t> tokens = import_numbers(token, "token");
  if (rows.size() != tokens.size())
    throw Error(Errc::invalid_argument, "row, token: the columns have different lengths");
  const NgramKeyer keyer(n, tokenizer_named(tokenizer));
  return call({.threads = 1}, [&](const Context&) {
    TextBuilder found;
    for (std::size_t i = 0, end = 0; i < rows.size(); i = end) {
      while (end < rows.size() && rows[end] == rows[i]) ++end;
      if (rows[i] >= given.column.size()) throw Error(Errc::invalid_argument, "row: there is no such text");
      for (const std::string& gram : keyer.texts(given.column[rows[i]], std::span(tokens).subspan(i, end - i)))
        found.add(gram);
    }
    return std::move(found).column();
  });
}

}  // namespace

void bind_document_kernels(nb::module_& module) {
  module.def("digests", digest_column, "texts"_a, nb::kw_only(), "threads"_a = 0, "memory"_a = nb::none(),
             "A 128-bit hash of each text, for exact copies: fixed_size_binary(16), null for a null.");
  module.def("fingerprints", fingerprint_column, "texts"_a, nb::kw_only(), "tokenizer"_a = "words-nfkc",
             "hash"_a = "xxh3", "window"_a = 3, "seed"_a = 0, "tie"_a = false,
             "stop_words"_a = std::vector<std::string>(), "threads"_a = 0, "memory"_a = nb::none(),
             "SimHash of each text: uint64, null where it is too short.");
  module.def("signatures", signature_column, "texts"_a, nb::kw_only(), "lanes"_a = 128, "tokenizer"_a = "words-nfkc",
             "hash"_a = "xxh3", "window"_a = 5, "seed"_a = 0, "threads"_a = 0, "memory"_a = nb::none(),
             "MinHash signature of each text: fixed_size_list(uint32, lanes), null where it is too short.");
  module.def(
      "band_keys", band_key_column, "signatures"_a, nb::kw_only(), "bands"_a, "rows"_a, "lanes"_a = 128,
      "threads"_a = 0, "memory"_a = nb::none(),
      "The keys of signatures, a key a band: fixed_size_list(uint32, bands), null for a null. Group by band and key.\n"
      "Signatures are as signatures() gives them, or their bytes in any binary column.");
  module.def(
      "choose_bands",
      [](double threshold, double recall, unsigned lanes) {
        const Bands chosen = choose_bands(threshold, recall, lanes);
        return nb::make_tuple(chosen.bands, chosen.rows);
      },
      nb::kw_only(), "threshold"_a = 0.8, "recall"_a = 0.95, "lanes"_a = 128,
      "(bands, rows) such that texts of this similarity meet with this probability.");
  module.def(
      "meeting_probability",
      [](unsigned bands, unsigned rows, double similarity) {
        return meeting_probability({.bands = bands, .rows = rows}, similarity);
      },
      nb::kw_only(), "bands"_a, "rows"_a, "similarity"_a, "The probability that texts of this similarity meet.");
  module.def("estimated_similarities", estimate_column, "left"_a, "right"_a, nb::kw_only(), "lanes"_a = 128,
             "The share of lanes in which two columns of signatures agree, row by row: float64.");
  module.def(
      "ngram_keys", ngram_key_table, "texts"_a, nb::kw_only(), "n"_a = 8, "tokenizer"_a = "words-nfkc", "threads"_a = 0,
      "memory"_a = nb::none(),
      "The n-grams of each text: a table of row (int64), key (uint64), begin and end (int64, bytes of the text).");
  module.def("ngram_texts", ngram_text_column, "texts"_a, "row"_a, "token"_a, nb::kw_only(), "n"_a = 8,
             "tokenizer"_a = "words-nfkc",
             "The n-grams of texts[row[i]] that begin with token[i], as ngrams shows them; rows and tokens ascend.");
}

}  // namespace refrain::python
