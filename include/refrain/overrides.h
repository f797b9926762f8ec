// Overrides: what people decided about documents. dedup obeys them (DedupOptions::overrides).
//
// A file of overrides has one line per decision (docs/format.md), and lines are only ever appended to it: `undo` takes
// back an earlier line. A document is named by the digest of its compared text, so a decision holds however the input
// is ordered, named or cut into files. An id only chooses among documents with the same text. If none of them has it,
// the decision is about the text, as it is without an id.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/digest.h"

namespace [[gnu::visibility("default")]] refrain {

enum class OverrideOp {
  keep,      // the document stays, and others may be removed because of it
  remove,    // the document goes, and nothing is removed because of it
  survivor,  // as keep, and the document ranks before all others
  never,     // the two documents do not match
  note,      // decides nothing
  undo,      // the line `undoes` does not count
};
std::string_view override_op_name(OverrideOp op);

struct OverrideDocument {
  Digest digest;
  std::optional<std::string> id = {};
  friend bool operator==(const OverrideDocument&, const OverrideDocument&) = default;
};

// A line of such a file.
struct Override {
  std::uint64_t seq = 0;
  OverrideOp op = OverrideOp::note;
  std::vector<OverrideDocument> documents = {};  // two for `never`, none for `undo`
  std::uint64_t undoes = 0;                      // for `undo`: the seq of an earlier line
  std::string by = {};
  std::string at = {};
  std::string note = {};
  std::string place = {};  // "FILE:LINE", for messages
};

// Throws Error(bad_input), which names the line, unless every line is correct. `name` is that of the file.
std::vector<Override> parse_overrides(std::string_view text, const std::string& name);
std::vector<Override> read_overrides(const std::filesystem::path& file);

// The lines that count: those that are not undone, without `undo`. Throws Error(bad_input) if two contradict each
// other; the message names both.
std::vector<Override> live_overrides(std::span<const Override> all);

// The line in the file, with a line break at its end.
std::string to_json(const Override& line);

// The lines of two files as one: those of `first`, then those that only `second` has, numbered anew. A line that both
// files have, because one began as a copy of the other, is taken once. Throws Error(bad_input) if two lines that count
// contradict each other.
std::string merge_overrides(const std::filesystem::path& first, const std::filesystem::path& second);
// The same, into a new file, which appears whole or not at all. Throws Error(invalid_argument) if it exists.
void merge_overrides(const std::filesystem::path& first, const std::filesystem::path& second,
                     const std::filesystem::path& output);

// Whether the text that a decision is about occurs in a run.
enum class OverrideStatus {
  applies,
  stale,      // the text does not occur, but a document with another text has the id
  not_found,  // neither occurs
};
std::string_view override_status_name(OverrideStatus status);

// A decision: each document of a line is one, except that the two of `never` are one together.
struct OverrideEffect {
  std::uint64_t seq = 0;
  OverrideOp op = OverrideOp::note;
  std::vector<OverrideDocument> documents = {};
  OverrideStatus status = OverrideStatus::applies;
  std::uint64_t found = 0;  // documents of the run that it is about
};

struct OverridesCheckReport {
  std::vector<OverrideEffect> decisions = {};  // of the lines that count, in their order
  std::uint64_t of(OverrideStatus status) const;
};

// Looks up the documents of each line that counts in a finished run of dedup. Nothing is decided anew, and
// documents of libraries are not looked up. Throws Error(not_found) if there is no finished run, and Error(bad_input)
// as live_overrides() does.
OverridesCheckReport check_overrides(const std::filesystem::path& file, const std::filesystem::path& run,
                                     const Context& context);

}  // namespace refrain
