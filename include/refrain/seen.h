// Whether documents were seen before: a library that is kept open, and answers at crawl speed.
//
// Documents are decided as dedup decides them with `library`: each is compared with every document of the library, and
// with those that were added before it; it is new, unless one of them is the same, or is similar to it and covers it. The
// options are those that the library was made with; the templates of sources are those that it knows.
//
// With `add`, what is new joins the library. It is first appended to a file of texts in the library's folder, and synced:
// once seen() returns it outlasts a crash. In the background many such documents become a segment at a time
// (docs/format.md). What a process that was killed had added is taken up by the next one that opens the library.
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
  // What is new joins the library, which is made, with the defaults of dedup, where there is none. Nobody else may change
  // it meanwhile.
  bool add = false;
  // As DedupOptions::trust_signatures.
  bool trust_signatures = false;
  // Called, from any thread but one at a time, with one line about something to be told that no caller waits for. May be
  // empty.
  std::function<void(std::string_view line)> log = {};
};

struct SeenDocument {
  std::string_view id;
  std::string_view text;  // UTF-8
};

enum class SeenStatus { fresh, exact, near };
// "new", "exact", "near".
std::string_view seen_status_name(SeenStatus status);

struct SeenAnswer {
  SeenStatus status = SeenStatus::fresh;
  // The id of the document that it matches. Of one that is new: of one that is similar, but does not hold all of its text,
  // or whose own text is gone. Empty: there is none.
  std::string match = {};
  double similarity = 0;  // to that one; an estimate where it was not verified
  bool verified = false;  // it was compared with the text of that one
  bool added = false;
};

struct SeenStats {
  std::uint64_t generation = 0;  // of the library
  std::uint64_t documents = 0;   // in its segments, not removed
  std::uint64_t segments = 0;
  std::uint64_t recent = 0;  // documents that were added, and are in no segment yet
  std::uint64_t added = 0;   // since it was opened
};

// Thread-safe.
class Seen {
 public:
  // `context` is for as long as this lives: its memory is shared by all calls, and as many documents are worked on at a
  // time as it has threads. Error(not_found) if there is no library and `add` is not set, Error(busy) with `add` while
  // another process changes the library, Error(corrupt) if the library or a file of texts is damaged.
  Seen(const SeenOptions& options, const Context& context);
  // What was added becomes part of a segment, if that is possible now.
  ~Seen();

  // In order, an answer each; a document may match one before it. If this throws, none of them is promised to be added.
  // Error(over_budget) if the disk is full, Error(interrupted) once `stop` is set.
  std::vector<SeenAnswer> seen(std::span<const SeenDocument> documents, const std::stop_token& stop = {});

  SeenStats stats() const;

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

}  // namespace refrain
