// A library as one commit left it, to be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engines/library/layout.h"
#include "engines/library/manifest.h"

namespace refrain::library {

using KnownId = std::uint64_t;  // of a document, through all segments; the lesser ranks better

// A key that is looked up, and who asks.
struct Probe {
  std::uint64_t key = 0;
  std::uint32_t asker = 0;
  friend auto operator<=>(const Probe&, const Probe&) = default;
};

// Not thread-safe; clone() for another thread. Nothing is mapped; every page that is read is checked.
class Reader {
 public:
  // The newest commit. Error(not_found) where there is no library. What it holds in memory comes from the budget: the
  // first key of every page of keys, and a filter of the keys where there is room for it.
  Reader(const std::filesystem::path& folder, MemoryBudget& budget);
  ~Reader();
  // The same commit, for another thread. This one may be in use.
  std::unique_ptr<Reader> clone() const;

  const std::filesystem::path& folder() const;
  const Manifest& manifest() const;
  const Layout& layout() const { return manifest().layout; }
  std::string identity() const;
  std::uint64_t documents() const;  // removed ones included

  // Documents that may have one of the keys, for each probe in ascending order; those that are removed are left out, and
  // of one key no more than the `most` best-ranked of each segment are told. `probes` ascend. found(probe, document) is
  // called with the place of the probe among them, segment by segment. False hits are possible: the document's digest or
  // signature decides.
  void find(std::span<const Probe> probes, std::size_t most,
            const std::function<void(std::size_t probe, KnownId document)>& found);
  // Bytes of the library's files that were read so far, and pages of them.
  std::uint64_t bytes_read() const;

  void get(KnownId document, KnownDocument& out);
  std::string id(KnownId document);
  bool removed(KnownId document) const;

  // Valid until the next call of the same function.
  const TextFile& file(std::size_t segment, std::uint32_t file);
  const Origin& origin(std::size_t segment, std::uint32_t origin);
  const std::string& source_name(std::size_t segment, std::uint32_t source);
  // All sources of a segment, in the order of their numbers.
  void for_each_source(std::size_t segment,
                       const std::function<void(std::uint32_t number, const Source& source)>& each);
  // All documents that are not removed, best-ranked first.
  void for_each(const std::function<void(KnownId document, const KnownDocument& known, std::string_view id)>& each);

 private:
  struct Parts;
  explicit Reader(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace refrain::library
