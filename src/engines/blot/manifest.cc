#include "engines/blot/manifest.h"

#include <fmt/format.h>

#include "base/checksum.h"
#include "engines/blot/blotter.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/segments/manifest_text.h"
#include "store/segments/removed.h"

namespace refrain::blot {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kManifestVersion = 4;
constexpr std::uint64_t kManifestVersionWithoutBlotTokens = 3;
constexpr std::uint64_t kManifestVersionWithoutPairs = 2;
constexpr std::uint64_t kManifestVersionWithoutId = 1;

SegmentInfo parse_segment(store::ManifestWords& words, unsigned shards) {
  SegmentInfo segment;
  for (std::uint64_t* value : {&segment.number, &segment.documents, &segment.tokens, &segment.blocks,
                               &segment.text_bytes, &segment.blots, &segment.posts})
    *value = words.number();
  segment.documents_file = words.file();
  for (unsigned i = 0; i < shards; ++i) segment.posts_files.push_back(words.file());
  if (words.rest() == "-")
    words.word();
  else
    segment.texts_file = words.file();
  if (segment.documents > kMaxDocuments) words.fail();
  return segment;
}

std::string_view magic_of(std::string_view name) {
  if (name == kBlotDocumentsName) return kBlotDocumentsMagic;
  if (name == kBlotTextsName) return kBlotTextsMagic;
  if (name.starts_with("posts-") && name.ends_with(".bin")) return kBlotPostsMagic;
  return {};
}

// The number of tokens of a blot in manifests up to version 3, where it follows from the sampling.
unsigned old_blot_tokens(const IndexLayout& layout) {
  return layout.sampling == BlotSampling::all ? layout.window : default_blot_tokens(layout);
}

// The oldest version that can express the manifest, so that older builds can read an index that needs nothing newer.
std::uint64_t version_of(const Manifest& manifest) {
  const IndexLayout& layout = manifest.layout;
  const bool bare = layout.tokenizer == TokenizerKind::code_bare || layout.tokenizer == TokenizerKind::code_kinds_bare;
  if (bare || blot_shape(layout).tokens != old_blot_tokens(layout)) return kManifestVersion;
  if (manifest.id.empty()) return kManifestVersionWithoutId;
  return layout.pairs ? kManifestVersionWithoutBlotTokens : kManifestVersionWithoutPairs;
}

}  // namespace

constinit const store::SegmentKind kIndexKind = {kBlotRemovedMagic, magic_of};

std::string to_text(const Manifest& manifest) {
  const IndexLayout& layout = manifest.layout;
  std::string text = fmt::format(
      "refrain-index {}\n{}generation {}\nnext-segment {}\nnext-ordinal {}\nwindow {}\ninterleave {}\nblot-bits {}\n"
      "shards {}\nblots {}\nsampling {}\ntokenizer {}\nstore-text {}\n",
      version_of(manifest), manifest.id.empty() ? std::string() : fmt::format("id {}\n", manifest.id),
      manifest.generation, manifest.next_segment, manifest.next_ordinal, layout.window, layout.interleave,
      layout.blot_bits, layout.shards, blot_kind_names()[static_cast<std::size_t>(layout.blots)],
      blot_sampling_names()[static_cast<std::size_t>(layout.sampling)],
      tokenizer_names()[static_cast<std::size_t>(layout.tokenizer)], layout.store_text ? 1 : 0);
  const std::uint64_t version = version_of(manifest);
  if (version >= kManifestVersionWithoutBlotTokens) text += fmt::format("pairs {}\n", layout.pairs ? 1 : 0);
  if (version == kManifestVersion) text += fmt::format("blot-tokens {}\n", blot_shape(layout).tokens);
  for (const SegmentInfo& segment : manifest.segments) {
    text += fmt::format("segment {} {} {} {} {} {} {} {}", segment.number, segment.documents, segment.tokens,
                        segment.blocks, segment.text_bytes, segment.blots, segment.posts,
                        store::file_word(segment.documents_file));
    for (const store::PageFileId& file : segment.posts_files) text += " " + store::file_word(file);
    text += " " + (segment.texts_file ? store::file_word(*segment.texts_file) : std::string("-")) + "\n";
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
    throw Error(Errc::corrupt, fmt::format("{}: manifest damaged; the index cannot be read", path));
  };
  const std::optional<std::string_view> body = store::without_checksum(text);
  if (body && body->starts_with("refrain-library "))
    throw Error(Errc::invalid_argument,
                fmt::format("{}: this is a library, not an index; see 'refrain library'", path));
  if (!body || !body->starts_with("refrain-index ")) damaged();

  Manifest manifest;
  IndexLayout& layout = manifest.layout;
  store::ManifestLines lines(*body, fmt::format("{}: invalid line; run 'refrain index check'", path));
  const std::uint64_t found = lines.line("refrain-index").number();
  if (found < kManifestVersionWithoutId || found > kManifestVersion)
    throw Error(Errc::unsupported,
                fmt::format("{}: index version {}, but this build reads {}; create it again with this build", path,
                            found, kManifestVersion));
  if (found != kManifestVersionWithoutId) {
    store::ManifestWords words = lines.line("id");
    manifest.id = words.word();
    words.end();
    if (!store::is_manifest_id(manifest.id)) damaged();
  }
  manifest.generation = lines.number("generation");
  manifest.next_segment = lines.number("next-segment");
  manifest.next_ordinal = lines.number("next-ordinal");
  layout.window = static_cast<unsigned>(lines.number("window"));
  layout.interleave = static_cast<unsigned>(lines.number("interleave"));
  layout.blot_bits = static_cast<unsigned>(lines.number("blot-bits"));
  layout.shards = static_cast<unsigned>(lines.number("shards"));
  layout.blots = lines.line("blots").name<BlotKind>(blot_kind_names());
  layout.sampling = lines.line("sampling").name<BlotSampling>(blot_sampling_names());
  layout.tokenizer = lines.line("tokenizer").name<TokenizerKind>(tokenizer_names());
  layout.store_text = lines.number("store-text") != 0;
  layout.pairs = found >= kManifestVersionWithoutBlotTokens && lines.number("pairs") != 0;
  layout.blot_tokens =
      found == kManifestVersion ? static_cast<unsigned>(lines.number("blot-tokens")) : old_blot_tokens(layout);
  checked_layout(layout);
  if (layout.blot_bits == 0) damaged();
  while (!lines.at_end()) {
    if (lines.next_is("removed")) {
      store::ManifestWords words = lines.line("removed");
      if (manifest.segments.empty() || words.number() != manifest.segments.back().number) words.fail();
      SegmentInfo& segment = manifest.segments.back();
      segment.removed_generation = words.number();
      segment.removed = words.number();
      segment.removed_file = words.file();
      words.end();
      if (segment.removed > segment.documents) words.fail();
    } else {
      store::ManifestWords words = lines.line("segment");
      manifest.segments.push_back(parse_segment(words, layout.shards));
      words.end();
    }
  }
  return manifest;
}

Manifest read_manifest(const fs::path& folder) {
  const std::optional<std::string> text =
      store::read_manifest_text(folder, "manifest missing; the index cannot be read");
  if (!text)
    throw Error(Errc::not_found,
                fmt::format("{}: not an index; create one with 'refrain index create'", folder.string()));
  return parse_manifest(*text, (folder / kManifestName).string());
}

fs::path segment_folder(const fs::path& folder, const SegmentInfo& segment) {
  return store::segment_path(folder, segment.number);
}

fs::path removed_path(const fs::path& folder, const SegmentInfo& segment) {
  return store::removed_path(folder, segment.number, segment.removed_generation);
}

std::vector<bool> read_removed(const fs::path& folder, const SegmentInfo& segment) {
  if (segment.removed == 0) return {};
  return store::read_removed(removed_path(folder, segment).string(), kBlotRemovedMagic, kBlotFormatVersion,
                             {segment.removed, segment.removed_file}, segment.documents);
}

void write_removed(const fs::path& folder, const std::vector<bool>& removed, std::uint64_t generation,
                   SegmentInfo& segment) {
  segment.removed_generation = store::free_generation(folder, segment.number, generation);
  const store::RemovedFile file =
      store::write_removed(removed_path(folder, segment).string(), kBlotRemovedMagic, kBlotFormatVersion, removed);
  segment.removed = file.removed;
  segment.removed_file = file.id;
}

store::NamedSegments named_in(const Manifest& manifest) {
  store::NamedSegments named;
  for (const SegmentInfo& segment : manifest.segments) {
    named.add(segment.number);
    if (segment.removed > 0) named.add_removed(segment.number, segment.removed_generation);
  }
  return named;
}

}  // namespace refrain::blot
