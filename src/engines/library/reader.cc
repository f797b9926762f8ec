#include "engines/library/reader.h"

#include <algorithm>
#include <utility>

#include "engines/library/keys.h"
#include "engines/library/segment.h"
#include "refrain/error.h"
#include "store/segments/folder.h"

namespace refrain::library {

struct Reader::Parts {
  Parts(const std::filesystem::path& in, Manifest of, MemoryBudget& budget) : folder(in), manifest(std::move(of)) {
    for (const SegmentInfo& info : manifest.segments) {
      firsts.push_back(documents);
      segments.push_back(std::make_unique<Segment>(folder, info, manifest.layout.lanes, budget));
      keys.push_back(std::make_unique<KeysReader>(store::segment_path(folder, info.number), info.files.at(kKeysFile),
                                                  info.files.at(kFilterFile), budget));
      documents += info.documents;
    }
  }
  Parts(const Parts& other)
      : folder(other.folder), manifest(other.manifest), firsts(other.firsts), documents(other.documents) {
    for (const auto& segment : other.segments) segments.push_back(std::make_unique<Segment>(*segment));
    for (const auto& reader : other.keys) keys.push_back(std::make_unique<KeysReader>(*reader));
  }
  Parts& operator=(const Parts&) = delete;

  // Returns the segment of a document and its number in that segment.
  std::pair<std::size_t, std::uint64_t> place(KnownId document) const {
    if (document >= documents) throw Error(Errc::invalid_argument, "no such document in the library");
    const auto above = std::upper_bound(firsts.begin(), firsts.end(), document);
    return {static_cast<std::size_t>(above - firsts.begin()) - 1, document - *(above - 1)};
  }

  const std::filesystem::path folder;
  Manifest manifest;
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<std::unique_ptr<KeysReader>> keys;
  std::vector<KnownId> firsts;  // number of each segment's first document
  std::uint64_t documents = 0;
  // The results of the last calls.
  TextFile file;
  Origin origin;
  std::string source_name;
};

Reader::Reader(const std::filesystem::path& folder, MemoryBudget& budget) {
  // Between reading the manifest and opening the files, another commit may delete files that this manifest names.
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    const Manifest manifest = read_manifest(folder);
    try {
      parts_ = std::make_unique<Parts>(folder, manifest, budget);
      return;
    } catch (const Error&) {
      if (attempt == kAttempts || identity_of(read_manifest(folder)) == identity_of(manifest)) throw;
    }
  }
}

Reader::Reader(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Reader::~Reader() = default;

std::unique_ptr<Reader> Reader::clone() const {
  return std::unique_ptr<Reader>(new Reader(std::make_unique<Parts>(*parts_)));
}

const std::filesystem::path& Reader::folder() const {
  return parts_->folder;
}

const Manifest& Reader::manifest() const {
  return parts_->manifest;
}

std::string Reader::identity() const {
  return identity_of(parts_->manifest);
}

std::uint64_t Reader::documents() const {
  return parts_->documents;
}

void Reader::find(std::span<const Probe> probes,
                  const std::function<void(std::size_t probe, KnownId document)>& found) {
  for (std::size_t s = 0; s < parts_->segments.size(); ++s) {
    const Removed& removed = *parts_->segments[s]->removed;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      std::uint32_t left = probes[i].most;
      parts_->keys[s]->find(stored_key(probes[i].key), [&](std::uint32_t document) {
        if (left == 0) return false;
        if (!removed[document]) {
          found(i, parts_->firsts[s] + document);
          --left;
        }
        return left > 0;
      });
    }
  }
}

std::uint64_t Reader::bytes_read() const {
  std::uint64_t bytes = 0;
  for (const auto& segment : parts_->segments) bytes += segment->bytes_read();
  for (const auto& keys : parts_->keys) bytes += keys->bytes_read();
  return bytes;
}

void Reader::get(KnownId document, KnownDocument& out) {
  const auto [segment, number] = parts_->place(document);
  parts_->segments[segment]->documents.get(number, out);
  out.segment = segment;
}

std::string Reader::id(KnownId document) {
  const auto [segment, number] = parts_->place(document);
  return std::string(parts_->segments[segment]->ids.id(number));
}

bool Reader::removed(KnownId document) const {
  const auto [segment, number] = parts_->place(document);
  return (*parts_->segments[segment]->removed)[number];
}

const TextFile& Reader::file(std::size_t segment, std::uint32_t file) {
  parts_->segments.at(segment)->names.get(file, parts_->file);
  return parts_->file;
}

const Origin& Reader::origin(std::size_t segment, std::uint32_t origin) {
  parts_->segments.at(segment)->names.get(origin, parts_->origin);
  return parts_->origin;
}

const std::string& Reader::source_name(std::size_t segment, std::uint32_t source) {
  parts_->segments.at(segment)->names.get_name(source, parts_->source_name);
  return parts_->source_name;
}

void Reader::for_each_source(std::size_t segment,
                             const std::function<void(std::uint32_t number, const Source& source)>& each) {
  NamesReader& names = parts_->segments.at(segment)->names;
  Source source;
  for (std::uint32_t i = 0; i < names.count(kSources); ++i) {
    names.get(i, source);
    each(i, source);
  }
}

void Reader::for_each(
    const std::function<void(KnownId document, const KnownDocument& known, std::string_view id)>& each) {
  KnownDocument known;
  for (std::size_t s = 0; s < parts_->segments.size(); ++s) {
    Segment& segment = *parts_->segments[s];
    known.segment = s;
    for (std::uint64_t i = 0; i < segment.info.documents; ++i) {
      if ((*segment.removed)[i]) continue;
      segment.documents.get(i, known);
      each(parts_->firsts[s] + i, known, segment.ids.id(i));
    }
  }
}

}  // namespace refrain::library
