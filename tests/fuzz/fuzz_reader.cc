// Reads arbitrary bytes as a file of every format (and of every compression whose magic they begin with): no crash,
// only Errors, and the same documents with one thread and with three, with small pieces and with large ones, with ids
// and other fields and without. The raw bytes that are handed out are those of the file and contain each text.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/temp.h"
#include "corpus/files/raw.h"
#include "corpus/formats/csv.h"
#include "corpus/formats/raw_json.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "require.h"

namespace {

using namespace refrain;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 12;
constexpr std::size_t kSmallPiece = 1000;
constexpr std::size_t kLargePiece = 256 << 10;

enum class Fields { none, named, nested };

InputOptions options_for(const std::string& path, Format format, Fields fields) {
  InputOptions options;
  options.paths = {path};
  options.format = format;
  options.max_doc_bytes = kMostBytes;
  if (fields == Fields::named) {
    options.id_field = "id";
    options.extra_fields = {"m", "n"};
  }
  if (fields == Fields::nested) {
    options.text_field = "m.x";
    options.id_field = "id";
    options.id_optional = true;
    options.extra_fields = {"m", "m.x", "text", "content-length"};
    options.html = HtmlPart::main;
    options.compare = ComparedMail::headers;
  }
  return options;
}

// The records that were read from a file, and how reading ended.
struct Reading {
  std::vector<std::string> records;  // id, text and fields of each, and why some are bad
  std::string raw;                   // the bytes that were handed out
  bool places = false;               // they are those of the file
  std::string error;

  bool operator==(const Reading& other) const = default;
};

std::string record_of(const corpus::Batch& batch, std::size_t i) {
  std::string record = batch.bad[i] != 0 ? "bad" : "good";
  if (!batch.ids.ordinals) record.append(" ").append(batch.ids[i]);
  record.append("\n").append(batch.texts[i]);
  for (std::size_t field = 0; field < batch.fields.width; ++field)
    record.append("\n" + std::to_string(static_cast<int>(batch.fields.kind(i, field))) + " ")
        .append(batch.fields.value(i, field));
  return record;
}

bool is_inside(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check_raw(const corpus::Batch& batch, const corpus::RawBatch& raw) {
  for (std::size_t i = 0; i < raw.records.size(); ++i) {
    if (raw.records[i].data() == nullptr) continue;
    REQUIRE(batch.bad[i] == 0 && is_inside(raw.records[i], raw.bytes));
    if (raw.texts[i].data() == nullptr) continue;
    REQUIRE(is_inside(raw.texts[i], raw.records[i]));
    const corpus::Input& input = *raw.file.input;
    if (corpus::has_places(raw.file)) REQUIRE(corpus::text_of_raw(input.format->id, raw.texts[i]) == batch.texts[i]);
    if (input.format->id != Format::csv && input.format->id != Format::tsv) continue;
    const corpus::CsvRow row = corpus::measure_csv_row(raw.records[i], input.delimiter);
    REQUIRE(row.columns > 0 && row.content_end <= raw.records[i].size());
  }
}

Reading read(const InputOptions& options, unsigned threads, std::size_t piece_bytes) {
  Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{256} << 20U;
  MemoryBudget budget(context);
  Reading result;
  const bool raw = piece_bytes == kSmallPiece;
  try {
    const auto work = [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
      std::vector<std::string> records;
      for (std::size_t i = 0; i < batch.texts.size(); ++i) records.push_back(record_of(batch, i));
      std::string bytes;
      bool places = false;
      if (batch.raw != nullptr && batch.raw->files.empty()) {
        check_raw(batch, *batch.raw);
        bytes = batch.raw->bytes;
        places = batch.raw->file.packing == corpus::Packing::none && !batch.raw->file.converted;
      }
      return [&result, records, bytes, places](DocId first) {
        REQUIRE(first == result.records.size());
        result.records.insert(result.records.end(), records.begin(), records.end());
        result.raw += bytes;
        result.places = places;
      };
    };
    corpus::ReadPurpose purpose{.raw = raw};
    purpose.all_may_be_bad = true;
    const ReadReport report =
        corpus::read_documents(options, context, budget, work, {.piece_bytes = piece_bytes}, purpose);
    REQUIRE(report.documents + report.bad_records == result.records.size());
    for (const BadRecord& bad : report.examples) result.records.push_back(std::to_string(bad.line) + ": " + bad.reason);
  } catch (const Error& error) {
    REQUIRE(std::string(error.what()).find(options.paths.front()) != std::string::npos);
    result.error = error.what();
  }
  return result;
}

void check(const std::string& path, Format format, Fields fields, std::string_view bytes) {
  const InputOptions options = options_for(path, format, fields);
  const Reading small = read(options, 3, kSmallPiece);
  REQUIRE(read(options, 1, kSmallPiece) == small);
  // Which error is met, and how much is read before it, depends on the pieces.
  const Reading large = read(options, 1, kLargePiece);
  REQUIRE(large.error.empty() == small.error.empty());
  REQUIRE(!large.error.empty() || large.records == small.records);
  if (small.places && small.error.empty()) REQUIRE(small.raw == bytes);
}

void check_layout(std::string_view bytes) {
  for (const std::string_view field : {"text", "m", ""}) {
    const corpus::JsonLayout whole = corpus::json_layout(bytes, field, true);
    REQUIRE(whole != corpus::JsonLayout::unknown);
    corpus::json_layout(bytes.substr(0, bytes.size() / 2), field, false);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir folder(fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path(),
                              "refrain-fuzz");
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto path = [](const char* name) { return (folder.path() / name).string(); };
  std::ofstream(path("file"), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
  for (const Format format : {Format::files, Format::lines, Format::jsonl, Format::json, Format::csv, Format::tsv,
                              Format::warc, Format::mbox})
    check(path("file"), format, Fields::none, bytes);
  for (const Format format : {Format::jsonl, Format::json, Format::csv, Format::warc, Format::mbox})
    for (const Fields fields : {Fields::named, Fields::nested}) check(path("file"), format, fields, bytes);
  for (const char* name : {"a.json", "2010-March.txt"}) {
    fs::rename(path("file"), path(name));
    check(path(name), Format::automatic, Fields::none, bytes);
    fs::rename(path(name), path("file"));
  }
  check_layout(bytes);
  return 0;
}
