// All passages of the index, a page at a time.
//
// They are extracted once a commit, into a file without a name, and pages are cut from that. A cursor is where a page
// ended: it names the commit, by a hash of its identity, and the place in the file. It is worth nothing after the next
// commit, nor for another index in the same place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "faces/server/backend.h"
#include "faces/server/wire/spool_file.h"

namespace refrain::server {

struct PageCursor {
  std::uint64_t commit = 0;  // commit_hash() of its identity
  std::uint64_t offset = 0;
};
std::uint64_t commit_hash(std::string_view identity);
std::string to_text(const PageCursor& cursor);
// Failure(400) for what to_text() did not make.
PageCursor parse_page_cursor(std::string_view text);

// What follows the passages of a page.
struct PageEnd {
  std::optional<PageCursor> next;  // none: that was all
  std::uint64_t generation = 0;    // that the passages are of
  std::uint64_t changed_documents = 0;
};

// For one thread.
class Pages {
 public:
  // The file takes its bytes from `space`, `most` of them.
  Pages(const Backend& backend, Context context, SpoolSpace& space, std::uint64_t most)
      : backend_(backend), context_(std::move(context)), space_(space), most_(most) {}

  // Writes up to `limit` passages to `out`, whole lines of JSON in pieces. Failure(410) for a cursor of another
  // commit than the newest. `stop` ends an extraction, with Error(interrupted); the next call begins it again.
  PageEnd page(const std::optional<PageCursor>& from, std::uint64_t limit, const std::stop_token& stop,
               const std::function<void(std::string_view)>& out);

 private:
  // What was extracted, and its part of the space.
  struct Extracted {
    explicit Extracted(SpoolSpace& of) : space(of), file(of.folder()) {}
    ~Extracted() { space.give_back(held); }
    Extracted(const Extracted&) = delete;
    Extracted& operator=(const Extracted&) = delete;
    SpoolSpace& space;
    SpoolFile file;
    std::uint64_t held = 0;
    std::string identity;
    std::uint64_t generation = 0;
    std::uint64_t changed_documents = 0;
  };
  void append(Extracted& to, std::string_view bytes) const;
  void extract(const std::stop_token& stop);

  const Backend& backend_;
  const Context context_;
  SpoolSpace& space_;
  const std::uint64_t most_;
  std::unique_ptr<Extracted> extracted_;
};

}  // namespace refrain::server
