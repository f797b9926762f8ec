// Serves all passages of the index, one page at a time.
//
// The passages are extracted once per commit, into a nameless file, from which pages are cut. A cursor marks where a
// page ended: it contains a hash of the commit's identity, and an offset in the file. The next commit invalidates it,
// and so does replacing the index in its folder by another one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "faces/server/backend.h"
#include "faces/server/wire/answer.h"

namespace refrain::server {

struct PageCursor {
  std::uint64_t commit = 0;  // commit_hash() of the commit's identity
  std::uint64_t offset = 0;
};
std::uint64_t commit_hash(std::string_view identity);
std::string to_text(const PageCursor& cursor);
// Throws Failure(400) for text that to_text() did not make.
PageCursor parse_page_cursor(std::string_view text);

// The data that follows the passages of a page.
struct PageEnd {
  std::optional<PageCursor> next;  // empty after the last page
  std::uint64_t generation = 0;    // of the commit whose passages these are
  std::uint64_t changed_documents = 0;
};

// Not thread-safe.
class Pages {
 public:
  // The file reserves at most `most` bytes from `space`.
  Pages(const Backend& backend, Context context, SpoolSpace& space, std::uint64_t most)
      : backend_(backend), context_(std::move(context)), space_(space), most_(most) {}

  // Writes up to `limit` passages to `out`, as whole lines of JSON in pieces. Throws Failure(410) for a cursor of
  // another commit than the newest. If `stop` ends an extraction, this throws Error(interrupted), and the next call
  // starts it again.
  PageEnd page(const std::optional<PageCursor>& from, std::uint64_t limit, const std::stop_token& stop,
               const std::function<void(std::string_view)>& out);

 private:
  // The extracted passages, and the disk space reserved for them.
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
