#include "engines/blot/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <random>
#include <set>
#include <system_error>

#include "base/checksum.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/random_file.h"
#include "engines/blot/blotter.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::blot {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kManifestVersion = 2;
constexpr std::uint64_t kManifestVersionWithoutId = 1;
constexpr std::size_t kIndexIdDigits = 32;
constexpr std::string_view kRemovedSuffix = ".removed";

std::string file_text(const store::PageFileId& id) {
  return fmt::format("{}:{:016x}", id.bytes, id.digest);
}

// The words of a line, taken one by one.
class Words {
 public:
  Words(std::string_view line, const std::string& path) : rest_(line), path_(path) {}

  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (word.empty()) fail();
    return word;
  }
  std::uint64_t number() { return parse(word(), 10); }
  template <class Enum>
  Enum name(const std::vector<std::string_view>& names) {
    const auto found = std::find(names.begin(), names.end(), word());
    if (found == names.end()) fail();
    return static_cast<Enum>(found - names.begin());
  }
  store::PageFileId file() {
    const std::string_view text = word();
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) fail();
    return {parse(text.substr(0, colon), 10), parse(text.substr(colon + 1), 16)};
  }
  std::string_view rest() const { return rest_; }
  void end() const {
    if (!rest_.empty()) fail();
  }
  [[noreturn]] void fail() const {
    throw Error(Errc::corrupt, fmt::format("{}: invalid line; run 'refrain index check'", path_));
  }

 private:
  std::uint64_t parse(std::string_view text, int base) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) fail();
    return value;
  }

  std::string_view rest_;
  const std::string& path_;
};

SegmentInfo parse_segment(Words& words, unsigned shards) {
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

}  // namespace

std::string to_text(const Manifest& manifest) {
  const IndexLayout& layout = manifest.layout;
  std::string text = fmt::format(
      "refrain-index {}\n{}generation {}\nnext-segment {}\nnext-ordinal {}\nwindow {}\ninterleave {}\nblot-bits {}\n"
      "shards {}\nblots {}\nsampling {}\ntokenizer {}\nstore-text {}\n",
      manifest.id.empty() ? kManifestVersionWithoutId : kManifestVersion,
      manifest.id.empty() ? std::string() : fmt::format("id {}\n", manifest.id), manifest.generation,
      manifest.next_segment, manifest.next_ordinal, layout.window, layout.interleave, layout.blot_bits, layout.shards,
      blot_kind_names()[static_cast<std::size_t>(layout.blots)],
      blot_sampling_names()[static_cast<std::size_t>(layout.sampling)],
      tokenizer_names()[static_cast<std::size_t>(layout.tokenizer)], layout.store_text ? 1 : 0);
  for (const SegmentInfo& segment : manifest.segments) {
    text += fmt::format("segment {} {} {} {} {} {} {} {}", segment.number, segment.documents, segment.tokens,
                        segment.blocks, segment.text_bytes, segment.blots, segment.posts,
                        file_text(segment.documents_file));
    for (const store::PageFileId& file : segment.posts_files) text += " " + file_text(file);
    text += " " + (segment.texts_file ? file_text(*segment.texts_file) : std::string("-")) + "\n";
    if (segment.removed > 0)
      text += fmt::format("removed {} {} {} {}\n", segment.number, segment.removed_generation, segment.removed,
                          file_text(segment.removed_file));
  }
  return text + fmt::format("checksum {:016x}\n", checksum(text));
}

std::string random_index_id() {
  std::random_device random;
  std::string id;
  while (id.size() < kIndexIdDigits) id += fmt::format("{:08x}", random());
  return id;
}

std::string identity_of(const Manifest& manifest) {
  return fmt::format("{}-{}-{:016x}", manifest.id, manifest.generation, checksum(to_text(manifest)));
}

Manifest parse_manifest(const std::string& text, const std::string& path) {
  const auto damaged = [&] {
    throw Error(Errc::corrupt, fmt::format("{}: manifest damaged; the index cannot be read", path));
  };
  constexpr std::string_view kFirst = "refrain-index ";
  if (!text.starts_with(kFirst)) damaged();
  constexpr std::size_t kLastBytes = 9 + 16 + 1;
  if (text.size() < kLastBytes) damaged();
  const std::string_view body = std::string_view(text).substr(0, text.size() - kLastBytes);
  const std::string last = fmt::format("checksum {:016x}\n", checksum(body));
  if (text.compare(body.size(), kLastBytes, last) != 0) damaged();

  Manifest manifest;
  IndexLayout& layout = manifest.layout;
  std::size_t at = 0;
  const auto line = [&](std::string_view key) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    Words words(body.substr(at, end - at), path);
    at = end + 1;
    if (words.word() != key) words.fail();
    return words;
  };
  Words version = line("refrain-index");
  const std::uint64_t found = version.number();
  if (found != kManifestVersion && found != kManifestVersionWithoutId)
    throw Error(Errc::unsupported,
                fmt::format("{}: index version {}, but this build reads {}; create it again with this build", path,
                            found, kManifestVersion));
  if (found == kManifestVersion) {
    Words words = line("id");
    manifest.id = words.word();
    words.end();
    if (manifest.id.size() != kIndexIdDigits || manifest.id.find_first_not_of("0123456789abcdef") != std::string::npos)
      damaged();
  }
  const auto number = [&](std::string_view key) {
    Words words = line(key);
    const std::uint64_t value = words.number();
    words.end();
    return value;
  };
  manifest.generation = number("generation");
  manifest.next_segment = number("next-segment");
  manifest.next_ordinal = number("next-ordinal");
  layout.window = static_cast<unsigned>(number("window"));
  layout.interleave = static_cast<unsigned>(number("interleave"));
  layout.blot_bits = static_cast<unsigned>(number("blot-bits"));
  layout.shards = static_cast<unsigned>(number("shards"));
  layout.blots = line("blots").name<BlotKind>(blot_kind_names());
  layout.sampling = line("sampling").name<BlotSampling>(blot_sampling_names());
  layout.tokenizer = line("tokenizer").name<TokenizerKind>(tokenizer_names());
  layout.store_text = number("store-text") != 0;
  checked_layout(layout);
  if (layout.blot_bits == 0) damaged();
  while (at < body.size()) {
    if (body.substr(at).starts_with("removed ")) {
      Words words = line("removed");
      if (manifest.segments.empty() || words.number() != manifest.segments.back().number) words.fail();
      SegmentInfo& segment = manifest.segments.back();
      segment.removed_generation = words.number();
      segment.removed = words.number();
      segment.removed_file = words.file();
      words.end();
      if (segment.removed > segment.documents) words.fail();
    } else {
      Words words = line("segment");
      manifest.segments.push_back(parse_segment(words, layout.shards));
      words.end();
    }
  }
  return manifest;
}

Manifest read_manifest(const fs::path& folder) {
  const fs::path path = folder / kManifestName;
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {
    if (error.code() == Errc::io) throw;
    if (error.code() == Errc::unsupported) throw Error(Errc::corrupt, error.what());
    // They come together, in one rename.
    if (is_taken(folder / kLockName))
      throw Error(Errc::corrupt, fmt::format("{}: manifest missing; the index cannot be read", path.string()));
    throw Error(Errc::not_found,
                fmt::format("{}: not an index; create one with 'refrain index create'", folder.string()));
  }
  return parse_manifest(text, path.string());
}

void write_manifest(const fs::path& folder, const Manifest& manifest) {
  AtomicFile file((folder / kManifestName).string());
  file.out().write(to_text(manifest));
  file.commit();
}

bool still_stands(const fs::path& folder, const Manifest& before) noexcept try {
  return identity_of(read_manifest(folder)) == identity_of(before);
} catch (const std::exception&) {
  return false;
}

std::string lock_path(const fs::path& folder) {
  std::string path = (folder / kLockName).string();
  if (!is_taken(path)) OutputFile(path).close_unsynced();
  return path;
}

fs::path segment_folder(const fs::path& folder, const SegmentInfo& segment) {
  return folder / fmt::format("{:06}", segment.number);
}

fs::path removed_path(const fs::path& folder, const SegmentInfo& segment) {
  return folder / fmt::format("{:06}-{:06}{}", segment.number, segment.removed_generation, kRemovedSuffix);
}

std::uint64_t take_segment_number(const fs::path& folder, Manifest& manifest) {
  SegmentInfo segment;
  do {
    segment.number = manifest.next_segment++;
  } while (is_taken(segment_folder(folder, segment)));
  return segment.number;
}

std::vector<bool> read_removed(const fs::path& folder, const SegmentInfo& segment) {
  if (segment.removed == 0) return {};
  store::PageReader file(removed_path(folder, segment).string(), kBlotRemovedMagic, kBlotFormatVersion);
  if (file.id() != segment.removed_file) file.corrupt("not the file named in the manifest");
  std::vector<bool> removed(segment.documents);
  store::PageCursor cursor(file, store::PageReader::kBegin, file.size());
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < segment.removed; ++i) {
    const std::uint64_t gap = cursor.varint();
    if (gap >= segment.documents - next) file.corrupt("names a document that does not exist");
    removed[next + gap] = true;
    next += gap + 1;
  }
  return removed;
}

void write_removed(const fs::path& folder, const std::vector<bool>& removed, std::uint64_t generation,
                   SegmentInfo& segment) {
  segment.removed_generation = generation;
  while (is_taken(removed_path(folder, segment))) ++segment.removed_generation;  // a stranger's
  segment.removed = 0;
  store::PageWriter file(removed_path(folder, segment).string(), kBlotRemovedMagic, kBlotFormatVersion);
  std::string row;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < removed.size(); ++i) {
    if (!removed[i]) continue;
    row.clear();
    store::append_varint(row, i - next);
    file.write(row);
    next = i + 1;
    ++segment.removed;
  }
  const std::uint64_t count = segment.removed;
  segment.removed_file = file.finish({reinterpret_cast<const char*>(&count), sizeof count});
}

namespace {

bool is_number(std::string_view text) {
  return text.size() >= 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether a file is of those that an index is made of, or was to be: a writer that was killed may have left it empty.
bool is_page_file(const fs::path& path, std::string_view magic) {
  if (fs::is_symlink(path)) return false;
  const std::string beginning = read_file_part(path, 0, store::kMagicBytes);
  return beginning.empty() || beginning == magic;
}

void remove_segment(const fs::path& folder) {
  const auto remove_file = [&](const std::string& name, std::string_view magic) {
    if (is_page_file(folder / name, magic)) fs::remove(folder / name);
  };
  for (const std::string& name : list_folder(folder)) {
    if (name == kBlotDocumentsName) remove_file(name, kBlotDocumentsMagic);
    if (name == kBlotTextsName) remove_file(name, kBlotTextsMagic);
    if (name.starts_with("posts-") && name.ends_with(".bin")) remove_file(name, kBlotPostsMagic);
  }
  if (list_folder(folder).empty()) fs::remove(folder);
}

}  // namespace

void remove_unnamed(const fs::path& folder, const Manifest& manifest) noexcept try {
  std::set<std::string> named;
  for (const SegmentInfo& segment : manifest.segments) {
    named.insert(segment_folder(folder, segment).filename().string());
    if (segment.removed > 0) named.insert(removed_path(folder, segment).filename().string());
  }
  for (const std::string& name : list_folder(folder)) {
    if (named.contains(name)) continue;
    const fs::path path = folder / name;
    try {
      const std::string_view stem = std::string_view(name).substr(0, name.find(kRemovedSuffix));
      const std::size_t dash = stem.find('-');
      if (is_number(name) && !fs::is_symlink(path) && path_kind(path) == PathKind::folder)
        remove_segment(path);
      else if (name.ends_with(kRemovedSuffix) && dash != std::string_view::npos && is_number(stem.substr(0, dash)) &&
               is_number(stem.substr(dash + 1)) && is_page_file(path, kBlotRemovedMagic))
        fs::remove(path);
    } catch (const std::exception&) {
      // What cannot be looked at or removed stays, and the next writer tries again.
    }
  }
} catch (const std::exception&) {
  // The same of the whole folder.
}

}  // namespace refrain::blot
