// One document, compared with whatever may match it: with those of the library, and with those that were added lately.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/library/reader.h"
#include "refrain/context.h"
#include "refrain/seen.h"
#include "verbs/known/judgement.h"
#include "verbs/known/text_sketch.h"
#include "verbs/seen/recent.h"
#include "verbs/seen/snapshot.h"

namespace refrain::verbs::seen {

// A document of a log, which is known to be added once the log is synced up to its end.
struct LoggedMatch {
  std::shared_ptr<Recent> recent;  // null: none
  std::uint64_t end = 0;
};

// Not thread-safe: one a thread, for one document after the other.
class Comparer {
 public:
  Comparer(const known::SketchPlan& plan, bool trust_signatures, const Context& context, MemoryBudget& budget);

  // A new document, and the documents of the library that may match it. All of these last until the next.
  void begin(const SeenDocument& document, const known::SourceTemplate* left_out, const Snapshot& snapshot);

  // Whether there are documents of `recent` that it has not been compared with: they are noted for compare(). The caller
  // sees to it that nobody adds to `recent` meanwhile.
  bool notes_more(const std::shared_ptr<Recent>& recent);
  // With those that were noted.
  void compare();

  const known::TextSketch& sketch() const { return sketch_; }
  bool removed() const { return best_ && best_->removes(); }
  SeenAnswer answer() const;
  // What the answer depends on.
  const LoggedMatch& logged() const { return logged_; }

 private:
  void compare_known(const Snapshot& snapshot, library::Reader& reader);
  // Takes the verdict on a document whose text that is, or is gone. Returns whether it is the best so far.
  bool judge(const known::Proposal& proposal, const std::optional<std::string>& text, const text::LeftOut* left_out);

  const known::SketchPlan& plan_;
  const known::Proposer proposer_;
  const known::JudgeRules rules_;
  const Context context_;
  MemoryBudget& budget_;
  Reservation memory_;  // for the buffers, and for a long text
  known::TextSketcher sketcher_;

  SeenDocument document_;
  known::TextSketch sketch_;
  std::optional<known::Verdict> best_;
  std::string match_;
  LoggedMatch logged_;
  std::size_t compared_ = 0;
  bool done_ = false;  // no more are compared

  // What was looked at so far, with how many there were then: the last one, and the one before.
  std::vector<std::pair<std::shared_ptr<Recent>, std::uint32_t>> looked_;
  struct Noted {
    std::shared_ptr<Recent> recent;
    const RecentDocument* document;
  };
  std::vector<Noted> noted_;
  std::vector<library::Probe> probes_;
  std::vector<library::KnownId> hits_;
  std::vector<std::uint32_t> found_;
  library::KnownDocument known_;
};

}  // namespace refrain::verbs::seen
