#include "engines/library/manifest.h"

#include <fmt/format.h>

#include <limits>

#include "base/checksum.h"
#include "engines/library/format.h"
#include "refrain/error.h"
#include "store/segments/manifest_text.h"

namespace refrain::library {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kManifestVersion = 1;

std::string_view magic_of(std::string_view name) {
  if (name == kDocumentsName) return kDocumentsMagic;
  if (name == kIdsName) return kIdsMagic;
  if (name == kNamesName) return kNamesMagic;
  if (name == kKeysName) return kKeysMagic;
  if (name == kFilterName) return kFilterMagic;
  return {};
}

// Escapes text for use as the rest of a line.
std::string in_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else if (c == '\\')
      line += "\\\\";
    else
      line += c;
  }
  return line;
}

std::string from_line(std::string_view line, const store::ManifestWords& words) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      if (++i == line.size() || (line[i] != 'n' && line[i] != '\\')) words.fail();
      text += line[i] == 'n' ? '\n' : '\\';
    } else {
      text += line[i];
    }
  }
  return text;
}

SegmentInfo parse_segment(store::ManifestWords& words) {
  SegmentInfo segment;
  for (std::uint64_t* value :
       {&segment.number, &segment.documents, &segment.text_bytes, &segment.keys, &segment.greatest_rank})
    *value = words.number();
  for (std::size_t i = 0; i < kSegmentFiles; ++i) segment.files.push_back(words.file());
  segment.run = from_line(words.rest(), words);
  if (segment.documents > kMaxDocuments) words.fail();
  return segment;
}

}  // namespace

constinit const store::SegmentKind kLibraryKind = {kRemovedMagic, magic_of};

std::string to_text(const Manifest& manifest) {
  const Layout& layout = manifest.layout;
  std::string text = fmt::format(
      "refrain-library {}\nid {}\ngeneration {}\nnext-segment {}\nlanes {}\nbands {}\nrows {}\n", kManifestVersion,
      manifest.id, manifest.generation, manifest.next_segment, layout.lanes, layout.bands, layout.rows);
  for (const Rule& rule : layout.rules) text += fmt::format("rule {} {}\n", rule.name, in_line(rule.value));
  for (const std::string& run : manifest.runs) text += fmt::format("run {}\n", in_line(run));
  for (const SegmentInfo& segment : manifest.segments) {
    text += fmt::format("segment {} {} {} {} {}", segment.number, segment.documents, segment.text_bytes, segment.keys,
                        segment.greatest_rank);
    for (const store::PageFileId& file : segment.files) text += " " + store::file_word(file);
    text += " " + in_line(segment.run) + "\n";
    if (segment.removed > 0)
      text += fmt::format("removed {} {} {} {}\n", segment.number, segment.removed_generation, segment.removed,
                          store::file_word(segment.removed_file));
  }
  return store::with_checksum(text);
}

std::string identity_of(const Manifest& manifest) {
  return fmt::format("{}-{}-{:016x}", manifest.id, manifest.generation, checksum(to_text(manifest)));
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  const auto damaged = [&] {
    throw Error(Errc::corrupt, fmt::format("{}: manifest damaged; the library cannot be read", path));
  };
  const std::optional<std::string_view> body = store::without_checksum(text);
  if (body && body->starts_with("refrain-index "))
    throw Error(Errc::invalid_argument, fmt::format("{}: this is an index, not a library; see 'refrain index'", path));
  if (!body || !body->starts_with("refrain-library ")) damaged();
  store::ManifestLines lines(*body, fmt::format("{}: invalid line; the library cannot be read", path));
  const std::uint64_t found = lines.number("refrain-library");
  if (found != kManifestVersion)
    throw Error(Errc::unsupported, fmt::format("{}: library version {}, but this build reads {}; use a newer build",
                                               path, found, kManifestVersion));
  Manifest manifest;
  Layout& layout = manifest.layout;
  {
    store::ManifestWords words = lines.line("id");
    manifest.id = words.word();
    words.end();
    if (!store::is_manifest_id(manifest.id)) damaged();
  }
  manifest.generation = lines.number("generation");
  manifest.next_segment = lines.number("next-segment");
  for (auto [key, value] : {std::pair{"lanes", &layout.lanes}, {"bands", &layout.bands}, {"rows", &layout.rows}}) {
    const std::uint64_t number = lines.number(key);
    if (number > kMostLanes) damaged();
    *value = static_cast<unsigned>(number);
  }
  if (layout.bands * layout.rows > layout.lanes) damaged();
  while (lines.next_is("rule")) {
    store::ManifestWords words = lines.line("rule");
    const std::string name(words.word());
    layout.rules.push_back({name, from_line(words.rest(), words)});
  }
  while (lines.next_is("run")) {
    const store::ManifestWords words = lines.line("run");
    manifest.runs.push_back(from_line(words.rest(), words));
  }
  while (!lines.at_end()) {
    store::ManifestWords words = lines.line("segment");
    SegmentInfo segment = parse_segment(words);
    if (lines.next_is("removed")) {
      store::ManifestWords removed = lines.line("removed");
      if (removed.number() != segment.number) removed.fail();
      segment.removed_generation = removed.number();
      segment.removed = removed.number();
      segment.removed_file = removed.file();
      removed.end();
      if (segment.removed > segment.documents) removed.fail();
    }
    manifest.segments.push_back(std::move(segment));
  }
  return manifest;
}

Manifest read_manifest(const fs::path& folder) {
  const std::optional<std::string> text =
      store::read_manifest_text(folder, "manifest missing; the library cannot be read");
  if (!text)
    throw Error(Errc::not_found,
                fmt::format("{}: not a library; 'refrain dedup --library' makes one", folder.string()));
  return parse_manifest(*text, (folder / store::kManifestName).string());
}

store::NamedSegments named_in(const Manifest& manifest) {
  store::NamedSegments named;
  for (const SegmentInfo& segment : manifest.segments) {
    named.add(segment.number);
    if (segment.removed > 0) named.add_removed(segment.number, segment.removed_generation);
  }
  return named;
}

}  // namespace refrain::library
