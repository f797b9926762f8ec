// Compares one document with everything that may match it: documents of the library, and documents added recently.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "engines/library/reader.h"
#include "engines/sketch/comparer.h"
#include "refrain/context.h"
#include "refrain/seen.h"
#include "verbs/known/file_texts.h"
#include "verbs/known/judgement.h"
#include "verbs/known/rules.h"
#include "verbs/seen/recent.h"

namespace refrain::verbs::seen {

// A document in a log. It counts as added once the log is synced up to its end.
struct LoggedMatch {
  std::shared_ptr<Recent> recent;  // null: none
  std::uint64_t end = 0;
};

// Not thread-safe: each thread has its own, for one document after another.
class Comparer {
 public:
  Comparer(const known::SketchPlan& plan, bool trust_signatures, known::FileTexts& file_texts, const Context& context,
           MemoryBudget& budget);

  // Begins a new document: compares it with the documents of the library that may match it. The arguments must stay
  // valid until the next call. This function and compare() throw Error(interrupted) once `stop` is set.
  void begin(const SeenDocument& document, const known::SourceTemplate* left_out, const Snapshot& snapshot,
             const std::stop_token& stop);

  // Notes the documents of `recent` that may match and have not been compared yet, for compare(). Returns whether
  // there are any. Nobody may add to `recent` during the call.
  bool note_candidates(const std::shared_ptr<Recent>& recent);
  // Compares the document with those that were noted.
  void compare();

  const known::TextSketch& sketch() const { return sketch_; }
  bool removed() const { return best_ && best_->removes(); }
  SeenAnswer answer() const;
  // The record that the answer depends on.
  const LoggedMatch& logged() const { return logged_; }

 private:
  void compare_known(const Snapshot& snapshot, library::Reader& reader);
  // Compares the document with one document of the library, which is in known_.
  void compare_known(const Snapshot& snapshot, library::Reader& reader, library::KnownId hit,
                     const known::Proposal& proposal);
  // Judges a document with this text, or without one if it is gone. Returns whether the verdict is the best so far.
  bool judge(const known::Proposal& proposal, const std::optional<std::string>& text, const text::LeftOut* left_out);

  const known::Proposer proposer_;
  const known::JudgeRules rules_;
  known::FileTexts& file_texts_;
  Context context_;  // with the stop token of the request
  MemoryBudget& budget_;
  Reservation memory_;  // for the buffers, and for a long text
  const known::SketchPlan& plan_;

  // The current document, and the one that it is compared with. Every text gets a new key.
  class Texts final : public sketch::KeyedTexts {
   public:
    struct Text {
      std::uint64_t key = 0;
      std::string_view text = {};
      const text::LeftOut* left_out = nullptr;
    };
    Text keyed(std::string_view text, const text::LeftOut* left_out) { return {++last_key_, text, left_out}; }
    std::uint64_t bytes(std::uint64_t key) override { return of(key).text.size(); }
    std::string_view get(std::uint64_t key, std::string& /*scratch*/) override { return of(key).text; }
    bool in_memory() const override { return true; }
    const text::LeftOut* left_out(std::uint64_t key) const override { return of(key).left_out; }

    Text document;
    Text other;

   private:
    const Text& of(std::uint64_t key) const { return key == document.key ? document : other; }
    std::uint64_t last_key_ = 0;
  };
  Texts texts_;
  std::optional<sketch::Comparer> comparer_;  // set if near-duplicates are found, too

  known::TextSketch sketch_;
  std::optional<known::Verdict> best_;
  std::string match_;
  LoggedMatch logged_;
  std::size_t compared_ = 0;  // documents compared because they may be similar; copies are not counted
  bool settled_ = false;      // a copy was found, so no more documents are compared

  // The tables that were searched, with the number of documents that each had then.
  std::vector<std::pair<std::shared_ptr<Recent>, std::uint32_t>> looked_;
  struct Candidate {
    std::shared_ptr<Recent> recent;
    const RecentDocument* document;
  };
  std::vector<Candidate> candidates_;
  std::vector<library::Probe> probes_;
  std::vector<library::KnownId> copies_;
  std::vector<library::KnownId> hits_;
  std::vector<std::uint32_t> found_;
  library::KnownDocument known_;
};

}  // namespace refrain::verbs::seen
