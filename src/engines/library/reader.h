// Reads a library as one commit left it.
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

namespace refrain::library {

using KnownId = std::uint64_t;  // number of a document across all segments; a smaller one ranks better

inline constexpr std::uint32_t kAllOfKey = ~std::uint32_t{0};

// A key to look up, and who looks it up.
struct Probe {
  std::uint64_t key = 0;
  std::uint32_t asker = 0;
  std::uint32_t most = kAllOfKey;  // at most this many documents of each segment are found, the best-ranked
  friend auto operator<=>(const Probe&, const Probe&) = default;
};

// Not thread-safe; use clone() for another thread. Nothing is memory-mapped, and every page that is read is
// checked.
class Reader {
 public:
  // Opens the newest commit. Throws Error(not_found) if there is no library. The budget pays for what is kept in
  // memory: the first keys of the pages of keys and, if there is room, a filter of the keys.
  Reader(const std::filesystem::path& folder, MemoryBudget& budget);
  ~Reader();
  // Opens the same commit for another thread. May be called while this reader is in use.
  std::unique_ptr<Reader> clone() const;

  const std::filesystem::path& folder() const;
  const Manifest& manifest() const;
  const Layout& layout() const { return manifest().layout; }
  std::string identity() const;
  std::uint64_t documents() const;  // including removed ones

  // Calls found(probe, document) for the documents that may have the key of a probe, except removed ones: segment
  // by segment, probe by probe, documents in ascending order. `probes` must be in ascending order, and `probe` is
  // an index in it. False hits are possible; the document's digest or signature decides.
  void find(std::span<const Probe> probes, const std::function<void(std::size_t probe, KnownId document)>& found);
  // Bytes of the library's files that were read so far, in whole pages.
  std::uint64_t bytes_read() const;

  void get(KnownId document, KnownDocument& out);
  std::string id(KnownId document);
  bool removed(KnownId document) const;

  // The results are valid until the next call of the same function.
  const TextFile& file(std::size_t segment, std::uint32_t file);
  const Origin& origin(std::size_t segment, std::uint32_t origin);
  const std::string& source_name(std::size_t segment, std::uint32_t source);
  // Visits all sources of a segment in the order of their numbers.
  void for_each_source(std::size_t segment,
                       const std::function<void(std::uint32_t number, const Source& source)>& each);
  // Visits all documents that are not removed, the best-ranked first.
  void for_each(const std::function<void(KnownId document, const KnownDocument& known, std::string_view id)>& each);

 private:
  struct Parts;
  explicit Reader(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace refrain::library
