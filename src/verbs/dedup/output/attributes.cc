// dedup: writes the decisions as Dolma attributes: for each file of documents, a file with one line per document.
//
// Dolma's tools measure text in code points, Refrain in bytes, so every span is converted. Dolma's mixer reads the
// lines of both files side by side and compares the ids as JSON. So an id that is a number stays a number, and a
// record that could not be read has a line, too.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/json.h"
#include "base/threads.h"
#include "corpus/files/raw.h"
#include "corpus/files/walk.h"
#include "corpus/rewrite/packed_file.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/second_reading.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

// The length in code points: every byte that is not a continuation byte begins one.
std::uint64_t count_characters(std::string_view text) {
  return static_cast<std::uint64_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Counts the characters of one text incrementally.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {}
  // The number of characters before byte `end`. Ask in ascending order.
  std::uint64_t before(std::uint64_t end) {
    const std::uint64_t to = std::min<std::uint64_t>(end, text_.size());
    if (to > at_) count_ += count_characters(text_.substr(at_, to - at_));
    at_ = std::max(at_, to);
    return count_;
  }

 private:
  std::string_view text_;
  std::uint64_t at_ = 0;
  std::uint64_t count_ = 0;
};

void append_span(std::string& out, std::uint64_t begin, std::uint64_t end, double score) {
  // A score is written with a decimal point, because some readers distinguish 1 from 1.0.
  const std::string digits = fmt::format("{:.6g}", score);
  const bool whole = digits.find_first_of(".e") == std::string::npos;
  out += fmt::format("{}[{}, {}, {}{}]", out.ends_with('[') ? "" : ", ", begin, end, digits, whole ? ".0" : "");
}

// Data of a batch, kept until its turn.
struct Waiting {
  Reservation reservation;
  std::optional<corpus::Input> input;  // the file of records; nullopt if it could not be opened
  corpus::Packing packing = corpus::Packing::none;
  bool first = false;
  bool last = false;
  std::vector<std::string> ids;  // as JSON
  std::vector<std::uint8_t> bad;
  std::vector<Digest> digests;            // of the text
  std::vector<std::uint64_t> characters;  // of the text
};

std::shared_ptr<Waiting> take(const corpus::Batch& batch, MemoryBudget& budget) {
  auto waiting = std::make_shared<Waiting>();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < batch.texts.size(); ++i)
    bytes += sizeof(std::string) + batch.fields.value(i, 0).size() + 1 + sizeof(Digest) + sizeof(std::uint64_t);
  waiting->reservation = budget.reserve(bytes, "ids of the text that was read");
  if (batch.raw->file.input != nullptr) waiting->input = *batch.raw->file.input;
  waiting->packing = batch.raw->file.packing;
  waiting->first = batch.raw->first;
  waiting->last = batch.raw->last;
  for (std::size_t i = 0; i < batch.texts.size(); ++i) {
    const std::string_view text = batch.texts[i];
    const std::string_view id = batch.fields.value(i, 0);
    const corpus::FieldKind kind = batch.fields.kind(i, 0);
    waiting->ids.push_back(kind == corpus::FieldKind::number   ? std::string(id)
                           : kind == corpus::FieldKind::string ? json_text(id)
                                                               : "null");
    waiting->bad.push_back(batch.bad[i]);
    waiting->digests.push_back(digest(text));
    waiting->characters.push_back(count_characters(text));
  }
  return waiting;
}

class AttributesWriter {
 public:
  AttributesWriter(DedupRun& run, SecondReading& reading, const fs::path& folder)
      : run_(run),
        folder_(folder),
        names_(run.options.input),
        texts_(run.texts(), run.dir.work("text_ends")),
        reading_(reading),
        against_(run),
        out_(run.budget, run.threads) {}

  void write(const Waiting& batch, DocId first) {
    if (!batch.input) return;
    if (batch.first) {
      const fs::path path = folder_ / names_.of(*batch.input);
      make_folders(path.parent_path());
      out_.open(path.string(), batch.packing);
    }
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      line_ = fmt::format(R"({{"id": {}, "attributes": {{)", batch.ids[i]);
      add_attributes(batch, i, first + i);
      line_ += "}}\n";
      out_.write(line_);
    }
    if (batch.last) out_.close();
  }

 private:
  void begin(std::string_view name) {
    line_ += fmt::format(R"({}"refrain__dedup__{}": [)", line_.ends_with('{') ? "" : ", ", name);
  }
  void end() { line_ += ']'; }

  void add_passages(std::string_view name, const std::vector<ByteRange>& passages, DocId document, double score) {
    begin(name);
    if (!passages.empty()) {
      Characters characters(texts_.get(document, text_));
      for (const ByteRange& passage : passages) {
        const std::uint64_t begin = characters.before(passage.begin);
        append_span(line_, begin, characters.before(passage.end), score);
      }
    }
    end();
  }

  void add_attributes(const Waiting& batch, std::size_t i, DocId document) {
    const Decision& decision = reading_.at(document, batch.digests[i]);
    const bool bad = batch.bad[i] != 0;
    const auto reason = bad ? Reason::none : static_cast<Reason>(decision.reason);
    const auto add_whole = [&](std::string_view name, bool is_so, double score) {
      begin(name);
      if (is_so) append_span(line_, 0, batch.characters[i], score);
      end();
    };
    const bool by_similarity = reason != Reason::substring && reason != Reason::overridden;
    add_whole("duplicate", reason != Reason::none, by_similarity ? decision.similarity : 1);
    if (run_.options.exact) add_whole("exact", reason == Reason::exact, decision.similarity);
    if (run_.near != nullptr) add_whole("near", reason == Reason::near, decision.similarity);
    if (!run_.plan.overrides.empty()) add_whole("overridden", reason == Reason::overridden, 1);
    if (run_.against()) {
      const AgainstHit* hit = bad ? nullptr : against_.hit(document);
      const double share = hit == nullptr ? 0 : hit->share;
      add_passages("against", hit == nullptr ? std::vector<ByteRange>() : against_.spans(document), document, share);
    }
    if (run_.options.substrings != 0) add_passages("substring", reading_.spans(), document, 1);
  }

  DedupRun& run_;
  const fs::path folder_;
  const corpus::OutputNames names_;
  run::SliceFile texts_;
  SecondReading& reading_;
  AgainstView against_;
  corpus::PackedFile out_;
  std::string line_;
  std::string text_;
};

}  // namespace

void check_attributes(const DedupOptions& options, const Context& context) {
  if (options.attributes == Attributes::none) return;
  if (options.input.id_field.empty())
    throw Error(Errc::invalid_argument, "`attributes` dolma: needs ids; add `id_field` id");
  for (const std::string& path : options.input.paths) {
    if (path == "-" || path_kind(path) == PathKind::other)
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: `attributes` reads its input twice; write it to a file first", path));
  }
  corpus::check_named(options.input);
  MemoryBudget budget(context);
  const corpus::SourceOptions source = options.input;
  corpus::Walk walk(source, budget);
  for (corpus::Input input; walk.next(input);) {
    throw_if_stopped(context);
    if (!input.failure.empty() || input.format->id == Format::jsonl) continue;
    throw Error(Errc::invalid_argument,
                fmt::format("{}: `attributes` dolma needs JSONL; if it is JSONL, add `format` jsonl", input.path));
  }
}

void dedup_attributes(DedupRun& run) {
  SecondReading reading(run);
  corpus::SourceOptions input = reading.input();
  input.extra_fields = {input.id_field};  // to see how the id is written
  reading.make("attributes", [&](const fs::path& folder) {
    AttributesWriter writer(run, reading, folder);
    const corpus::BatchWork work = [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
      return [&writer, waiting = take(batch, run.budget)](DocId first) { writer.write(*waiting, first); };
    };
    const ReadReport read =
        corpus::read_documents(input, run.context, run.budget, work, {.stage = "attributes", .raw = true});
    sync_filesystem(folder);
    return read.documents;
  });
}

}  // namespace refrain::verbs::dedup
