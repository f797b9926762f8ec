#include "verbs/known/old_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/json.h"
#include "corpus/files/format.h"
#include "corpus/source/reader.h"
#include "refrain/error.h"
#include "verbs/run/input_json.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/output_dir.h"

namespace refrain::verbs::known {

namespace fs = std::filesystem;

namespace {

struct HashOfDigest {
  std::size_t operator()(const Digest& digest) const { return static_cast<std::size_t>(digest.low); }
};

using Found = std::function<void(std::size_t i, std::string_view text)>;
using ByDigest = std::unordered_multimap<Digest, std::size_t, HashOfDigest>;

std::uint64_t read_files(std::span<WantedText> sought, const ByDigest& wanted, const InputOptions& input,
                         const Context& context, MemoryBudget& budget, const Found& found) {
  const ReadReport read = corpus::read_documents(input, context, budget,
                                                 [&](unsigned, corpus::Batch& batch) -> corpus::InOrder {
                                                   auto texts =
                                                       std::make_shared<std::vector<std::pair<Digest, std::string>>>();
                                                   for (std::size_t i = 0; i < batch.texts.size(); ++i) {
                                                     const Digest text = digest(batch.texts[i]);
                                                     if (batch.bad[i] == 0 && wanted.contains(text))
                                                       texts->emplace_back(text, batch.texts[i]);
                                                   }
                                                   return [&, texts](DocId) {
                                                     for (const auto& [of, text] : *texts) {
                                                       const auto [begin, end] = wanted.equal_range(of);
                                                       for (auto one = begin; one != end; ++one)
                                                         if (!std::exchange(sought[one->second].found, true))
                                                           found(one->second, text);
                                                     }
                                                   };
                                                 },
                                                 {.stage = "known", .keeps_texts = true, .all_may_be_bad = true});
  return read.bytes;
}

}  // namespace

bool is_of_file(const Error& error) {
  return error.code() == Errc::bad_input || error.code() == Errc::not_found || error.code() == Errc::unsupported ||
         error.code() == Errc::invalid_argument;
}

fs::path library_folder(const fs::path& known) {
  if (path_kind(known / run::kSummaryName) != PathKind::file) return known;
  fs::path library = known / "library";
  if (!is_taken(library))
    throw Error(Errc::not_found,
                fmt::format("{}: this run left no library: it used `forget` or `near` simhash, or an older version "
                            "made it; run it again",
                            known.string()));
  return library;
}

std::string origin_input(const InputOptions& input) {
  InputOptions without = input;
  without.paths.clear();
  JsonWriter json;
  json.begin_object();
  json.field("root", current_folder().string());
  run::write_input(json, without);
  json.end_object();
  return std::move(json).take();
}

OriginInput parse_origin_input(const std::string& json) {
  OriginInput origin;
  try {
    simdjson::dom::parser parser;
    const simdjson::dom::element all = parser.parse(json);
    origin.root = std::string(std::string_view(all["root"]));
    run::read_input(all, origin.options);
  } catch (const simdjson::simdjson_error& error) {
    throw Error(Errc::corrupt, fmt::format("library: invalid description of an input ({}); run 'refrain library check'",
                                           error.what()));
  }
  origin.options.id_field.clear();  // ids are already known
  return origin;
}

std::optional<std::string> text_at_place(library::Reader& reader, const library::KnownDocument& known,
                                         MemoryBudget& budget, std::uint64_t& bytes) {
  if (known.text_bytes == 0) return digest("") == known.digest ? std::optional<std::string>("") : std::nullopt;
  const library::TextPlace& place = known.place;
  if (place.bytes == 0 || place.file == library::kNoFile) return std::nullopt;
  const library::TextFile& file = reader.file(known.segment, place.file);
  if (file.path.empty()) return std::nullopt;
  const fs::path path = reader.folder() / file.path;
  if (path_kind(path) != PathKind::file) return std::nullopt;
  const Reservation room = budget.reserve(place.bytes + known.text_bytes, "a known document");
  const std::string raw = read_file_part(path, place.begin, place.bytes);
  bytes += raw.size();
  std::optional<std::string> text = corpus::text_of_raw(static_cast<Format>(file.format), raw);
  if (text && digest(*text) != known.digest) text.reset();
  return text;
}

std::uint64_t find_in_files(std::span<WantedText> sought, const OriginInput& origin, const Context& context,
                            MemoryBudget& budget, const Found& found) {
  std::set<std::string> paths;
  for (const WantedText& one : sought)
    if (std::string path = (origin.root / one.path).string(); path_kind(path) == PathKind::file)
      paths.insert(std::move(path));
  if (paths.empty()) return 0;
  const Reservation room = budget.reserve(sought.size() * 64, "the known documents");
  ByDigest wanted;
  for (std::size_t i = 0; i < sought.size(); ++i) wanted.emplace(sought[i].digest, i);
  InputOptions input = origin.options;
  input.paths.assign(paths.begin(), paths.end());
  try {
    return read_files(sought, wanted, input, context, budget, found);
  } catch (const Error& error) {
    if (!is_of_file(error)) throw;
  }
  // Some file cannot be read, so read them one by one.
  std::uint64_t bytes = 0;
  for (const std::string& path : paths) {
    input.paths = {path};
    try {
      bytes += read_files(sought, wanted, input, context, budget, found);
    } catch (const Error& error) {
      if (!is_of_file(error)) throw;
    }
  }
  return bytes;
}

std::optional<std::string> text_of_known(library::Reader& reader, const library::KnownDocument& known,
                                         const std::string& id, FileTexts* file_texts, const Context& context,
                                         MemoryBudget& budget) {
  std::uint64_t bytes = 0;
  if (std::optional<std::string> text = text_at_place(reader, known, budget, bytes)) return text;
  if (known.place.file == library::kNoFile || known.place.bytes != 0) return std::nullopt;
  const library::TextFile& file = reader.file(known.segment, known.place.file);
  WantedText sought{.path = file.path.empty() ? id : file.path, .digest = known.digest};
  const bool is_own_file = file.path.empty();
  OriginInput origin = parse_origin_input(reader.origin(known.segment, file.origin).input);
  if (file_texts != nullptr && !is_own_file) {
    origin.options.paths = {(origin.root / sought.path).string()};
    return file_texts->find(origin.options, known.digest, context.stop);
  }
  std::optional<std::string> text;
  find_in_files({&sought, 1}, origin, context, budget, [&](std::size_t, std::string_view found) { text = found; });
  return text;
}

}  // namespace refrain::verbs::known
