// Tells whether documents were seen before: a library that is kept open, and answers at the speed of a crawler.
//
// Documents are decided in the same way as by dedup with `library`: each is compared with every document of the
// library, and with those that were added before it. A document is new unless one of these is the same, or is similar
// to it and covers it. The options are those with which the library was made; the templates of sources are those that
// it knows.
//
// With `add`, new documents are added to the library. A new document is first appended to a file of texts in the
// library's folder, and synced: once seen() returns, it survives a crash. In the background, many such documents
// become a segment at a time (docs/format.md). If a process is killed, the next one that opens the library takes over
// the documents that it had added.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"

namespace [[gnu::visibility("default")]] refrain {

struct SeenOptions {
  std::filesystem::path library;
  // Add new documents to the library. It is created, with the defaults of dedup, if it does not exist. No other
  // process can change it meanwhile.
  bool add = false;
  // See DedupOptions::trust_signatures.
  bool trust_signatures = false;
  // Called with one line of text about an event that no caller waits for. Called from any thread, one call at a time.
  // May be empty.
  std::function<void(std::string_view line)> log = {};
};

struct SeenDocument {
  std::string_view id;
  std::string_view text;  // UTF-8
};

enum class SeenStatus { fresh, exact, near };
// Returns "new", "exact" or "near".
std::string_view seen_status_name(SeenStatus status);

struct SeenAnswer {
  SeenStatus status = SeenStatus::fresh;
  // The id of the document that it matches. For a new document: the id of one that is similar, but does not hold all
  // of its text, or whose own text is gone. Empty if there is none.
  std::string match = {};
  double similarity = 0;  // to the document `match`; an estimate if it was not verified
  bool verified = false;  // whether it was compared with the text of `match`
  bool added = false;
};

struct SeenStats {
  std::uint64_t generation = 0;  // of the library
  std::uint64_t documents = 0;   // in its segments, without removed ones
  std::uint64_t segments = 0;
  std::uint64_t recent = 0;  // documents that were added, and are not in a segment yet
  std::uint64_t added = 0;   // documents added since the library was opened
};

// Thread-safe.
class Seen {
 public:
  // `context` applies as long as this object lives: all calls share its memory, and its threads limit how many
  // documents are processed at the same time. Throws Error(not_found) if there is no library and `add` is not set,
  // Error(busy) with `add` while another process changes the library, and Error(corrupt) if the library or a file of
  // texts is damaged.
  Seen(const SeenOptions& options, const Context& context);
  // Makes the added documents part of a segment, if that is possible now.
  ~Seen();

  // Returns one answer per document, in order; a document may match one before it in `documents` that was added. With
  // `add` not set, nothing is added although the library is open to add. If this throws, none of the documents is
  // guaranteed to be added. Throws Error(over_budget) if the disk is full, and
  // Error(interrupted) once `stop` is set.
  std::vector<SeenAnswer> seen(std::span<const SeenDocument> documents, const std::stop_token& stop = {},
                               bool add = true);

  SeenStats stats() const;

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

}  // namespace refrain
