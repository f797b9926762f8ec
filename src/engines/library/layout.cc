#include "engines/library/layout.h"

#include <fmt/format.h>

#include <limits>

#include "base/hash.h"
#include "engines/library/format.h"

namespace refrain::library {

std::uint64_t digest_key(const Digest& digest) {
  return digest.high;
}

std::uint64_t band_key(unsigned band, std::uint32_t key, std::span<const std::uint8_t> lanes) {
  const std::uint64_t hash = checksum({reinterpret_cast<const char*>(lanes.data()), lanes.size()});
  return mix(hash ^ (std::uint64_t{band} << 32U | key), 0xD6E8FEB86659FD93U, 0x9E3779B97F4A7C15U);
}

void append_keys(const Layout& layout, const Digest& digest, std::span<const std::uint8_t> signature,
                 std::span<const std::uint32_t> bands, std::vector<std::uint64_t>& keys) {
  keys.push_back(digest_key(digest));
  for (unsigned band = 0; band < bands.size(); ++band)
    keys.push_back(band_key(band, bands[band], signature.subspan(std::size_t{band} * layout.rows, layout.rows)));
}

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

constinit const store::SegmentKind kLibraryKind = {.name = "library",
                                                   .other = "index",
                                                   .newest = kManifestVersion,
                                                   .if_missing = "'refrain dedup --library' makes one",
                                                   .if_invalid = "the library cannot be read",
                                                   .if_newer = "use a newer build",
                                                   .format_version = kLibraryFormatVersion,
                                                   .removed_magic = kRemovedMagic,
                                                   .magic_of = magic_of};

std::string to_text(const Manifest& manifest) {
  const Layout& layout = manifest.layout;
  std::string text = store::head_lines(kLibraryKind, kManifestVersion, manifest);
  text += fmt::format("lanes {}\nbands {}\nrows {}\n", layout.lanes, layout.bands, layout.rows);
  for (const Rule& rule : layout.rules) text += fmt::format("rule {} {}\n", rule.name, in_line(rule.value));
  for (const std::string& run : manifest.runs) text += fmt::format("run {}\n", in_line(run));
  for (const SegmentInfo& segment : manifest.segments) {
    text += fmt::format("segment {} {} {} {} {}", segment.number, segment.documents, segment.text_bytes, segment.keys,
                        segment.greatest_rank);
    for (const store::PageFileId& file : segment.files) text += " " + store::file_word(file);
    text += " " + in_line(segment.run) + "\n" + store::removed_line(segment);
  }
  return store::with_checksum(text);
}

std::string identity_of(const Manifest& manifest) {
  return store::identity_of(manifest, to_text(manifest));
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  Manifest manifest;
  Layout& layout = manifest.layout;
  store::ManifestLines lines(kLibraryKind, text, path);
  lines.take_head(true, manifest);
  for (auto [key, value] : {std::pair{"lanes", &layout.lanes}, {"bands", &layout.bands}, {"rows", &layout.rows}}) {
    const std::uint64_t number = lines.number(key);
    if (number > kMostLanes) lines.damaged();
    *value = static_cast<unsigned>(number);
  }
  if (layout.bands * layout.rows > layout.lanes) lines.damaged();
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
    lines.take_removed(manifest.segments.emplace_back(parse_segment(words)));
  }
  return manifest;
}

Manifest read_manifest(const fs::path& folder) {
  return parse_manifest(store::read_manifest_text(folder, kLibraryKind), (folder / store::kManifestName).string());
}

}  // namespace refrain::library
