#include "engines/blot/manifest.h"

#include <fmt/format.h>

#include "engines/blot/blotter.h"
#include "engines/blot/format.h"

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

constinit const store::SegmentKind kIndexKind = {.name = "index",
                                                 .other = "library",
                                                 .newest = kManifestVersion,
                                                 .if_missing = "create one with 'refrain index create'",
                                                 .if_invalid = "run 'refrain index check'",
                                                 .if_newer = "create it again with this build",
                                                 .format_version = kBlotFormatVersion,
                                                 .removed_magic = kBlotRemovedMagic,
                                                 .magic_of = magic_of};

std::string to_text(const Manifest& manifest) {
  const IndexLayout& layout = manifest.layout;
  const std::uint64_t version = version_of(manifest);
  std::string text = store::head_lines(kIndexKind, version, manifest);
  text += fmt::format(
      "next-ordinal {}\nwindow {}\ninterleave {}\nblot-bits {}\nshards {}\nblots {}\nsampling {}\ntokenizer {}\n"
      "store-text {}\n",
      manifest.next_ordinal, layout.window, layout.interleave, layout.blot_bits, layout.shards,
      blot_kind_names()[static_cast<std::size_t>(layout.blots)],
      blot_sampling_names()[static_cast<std::size_t>(layout.sampling)],
      tokenizer_names()[static_cast<std::size_t>(layout.tokenizer)], layout.store_text ? 1 : 0);
  if (version >= kManifestVersionWithoutBlotTokens) text += fmt::format("pairs {}\n", layout.pairs ? 1 : 0);
  if (version == kManifestVersion) text += fmt::format("blot-tokens {}\n", blot_shape(layout).tokens);
  for (const SegmentInfo& segment : manifest.segments) {
    text += fmt::format("segment {} {} {} {} {} {} {} {}", segment.number, segment.documents, segment.tokens,
                        segment.blocks, segment.text_bytes, segment.blots, segment.posts,
                        store::file_word(segment.documents_file));
    for (const store::PageFileId& file : segment.posts_files) text += " " + store::file_word(file);
    text += " " + (segment.texts_file ? store::file_word(*segment.texts_file) : std::string("-")) + "\n";
    text += store::removed_line(segment);
  }
  return store::with_checksum(text);
}

std::string identity_of(const Manifest& manifest) {
  return store::identity_of(manifest, to_text(manifest));
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  Manifest manifest;
  IndexLayout& layout = manifest.layout;
  store::ManifestLines lines(kIndexKind, text, path);
  const std::uint64_t found = lines.version();
  lines.take_head(found != kManifestVersionWithoutId, manifest);
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
  if (layout.blot_bits == 0) lines.damaged();
  while (!lines.at_end()) {
    store::ManifestWords words = lines.line("segment");
    SegmentInfo& segment = manifest.segments.emplace_back(parse_segment(words, layout.shards));
    words.end();
    lines.take_removed(segment);
  }
  return manifest;
}

Manifest read_manifest(const fs::path& folder) {
  return parse_manifest(store::read_manifest_text(folder, kIndexKind), (folder / store::kManifestName).string());
}

}  // namespace refrain::blot
