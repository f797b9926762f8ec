// explain: two documents side by side.
#include "refrain/explain.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/files/listing.h"
#include "engines/sketch/comparer.h"
#include "refrain/error.h"
#include "text/windows.h"
#include "verbs/evidence/find_documents.h"
#include "verbs/evidence/shared_text.h"
#include "verbs/explain/explain.h"

namespace refrain::verbs::explain {

void compare_texts(ExplainReport& report, const FingerprintOptions& options, MemoryBudget& budget,
                   const Context& context, const evidence::LeftOutOf& left_out) {
  const text::FeaturePlan plan(options);
  // For the texts themselves, and for the copies that are displayed.
  const Reservation texts =
      budget.reserve(3 * (report.a.text.size() + report.b.text.size()), "two documents side by side");
  evidence::SharedText shared = evidence::shared_text(report.a.text, report.b.text, plan, budget, context, left_out);
  report.shared_windows = shared.shared_windows;
  report.similarity = shared.similarity;
  const Fingerprinter fingerprinter(options);
  const auto fill = [&](ExplainedDocument& document, evidence::SharedText::Side& side) {
    document.tokens = side.tokens;
    document.windows = side.windows;
    document.fingerprint = fingerprinter(document.text);
    document.shared = std::move(side.shared);
  };
  fill(report.a, shared.a);
  fill(report.b, shared.b);
  if (report.a.fingerprint && report.b.fingerprint)
    report.difference = static_cast<unsigned>(std::popcount(*report.a.fingerprint ^ *report.b.fingerprint));
}

namespace {

constexpr double kSteps = 1000;  // in which thresholds are named

// The two documents; their keys are 0 and 1.
class BothTexts final : public sketch::KeyedTexts {
 public:
  explicit BothTexts(const ExplainReport& report) : report_(report) {}
  std::uint64_t bytes(std::uint64_t key) override { return of(key).size(); }
  std::string_view get(std::uint64_t key, std::string& /*scratch*/) override { return of(key); }
  bool in_memory() const override { return true; }

 private:
  const std::string& of(std::uint64_t key) const { return key == 0 ? report_.a.text : report_.b.text; }

  const ExplainReport& report_;
};

ExplainedRemoval removal(const sketch::Loss& loss, const sketch::MatchRule& rule, double similarity) {
  ExplainedRemoval decided{.removed = rule.covers(loss),
                           .lost = loss.tokens,
                           .longest_lost = loss.longest,
                           .lost_attachments = loss.attachments,
                           .as_written = loss.written,
                           .differs_in = sketch::detail_names(loss.details)};
  decided.change = changing_options(decided, similarity, rule.threshold);
  return decided;
}

}  // namespace

ChangingOptions changing_options(const ExplainedRemoval& decided, double similarity, double threshold) {
  ChangingOptions change;
  if (decided.removed) {
    const double above = (std::floor(kSteps * similarity + 1e-6) + 1) / kSteps;
    if (above <= 1) change.threshold = above;
    if (decided.longest_lost != 0) change.max_loss = static_cast<std::uint32_t>(decided.longest_lost - 1);
  } else if (decided.lost_attachments == 0) {
    // If any loss is allowed, symbols do not count either.
    change.max_loss = decided.as_written < threshold ? kAnyLoss : static_cast<std::uint32_t>(decided.longest_lost);
  }
  return change;
}

void compare_as_dedup(ExplainReport& report, const DocumentMatchOptions& options, MemoryBudget& budget) {
  const text::FeaturePlan plan(options.windows);
  const sketch::MatchRule rule = sketch::MatchRule::of(options);
  BothTexts texts(report);
  ExplainedMatch& match = report.dedup;
  match.window = options.windows.window;
  match.threshold = options.threshold;
  match.same_text = report.a.text == report.b.text;
  // With no threshold, the similarity is exact. Losses are judged by the rule.
  sketch::MatchRule exact = rule;
  exact.threshold = 0;
  sketch::Comparer comparer(texts, plan, exact, budget, 0);
  if (!comparer.has_windows(0) || !comparer.has_windows(1)) return;
  match.similarity = comparer.similarity(0, 1);
  if (*match.similarity < rule.threshold) {
    if (const double below = std::floor(kSteps * *match.similarity) / kSteps; below > 0) match.change.threshold = below;
    return;
  }
  match.b_for_a = removal(comparer.loss(1, 0), rule, *match.similarity);
  match.a_for_b = removal(comparer.loss(0, 1), rule, *match.similarity);
}

}  // namespace refrain::verbs::explain

namespace refrain {

namespace {

// Throws Error(not_found) if one of them is not found.
void find_all(const InputOptions& input, const Context& context, MemoryBudget& budget,
              std::vector<verbs::evidence::WantedDocument>& wanted) {
  verbs::evidence::find_documents(input, context, budget, wanted);
  for (const verbs::evidence::WantedDocument& want : wanted)
    if (!want.text) throw Error(Errc::not_found, fmt::format("{}: no document in the input has this id", want.id));
}

}  // namespace

ExplainReport explain(const ExplainOptions& options, const Context& context) {
  MemoryBudget budget(context);
  const Reservation listing = corpus::reserve_listing(options.input, budget);
  std::vector<verbs::evidence::WantedDocument> wanted{{.id = options.a}, {.id = options.b}};
  if (options.input.empty()) {
    for (verbs::evidence::WantedDocument& want : wanted) {
      InputOptions one = options.input;
      one.paths = {want.id};
      one.format = Format::files;
      std::vector<verbs::evidence::WantedDocument> only{{.id = want.id}};
      find_all(one, context, budget, only);
      want.text = std::move(only.front().text);
    }
  } else {
    find_all(options.input, context, budget, wanted);
  }

  ExplainReport report;
  report.a.id = options.a;
  report.a.text = std::move(*wanted[0].text);
  report.b.id = options.b;
  report.b.text = std::move(*wanted[1].text);
  verbs::explain::compare_texts(report, options.fingerprint, budget, context);
  if (report.difference) {
    report.near = *report.difference <= options.distance;
    report.near_verified = *report.difference <= options.verified_distance && report.similarity >= options.threshold;
  }
  DocumentMatchOptions match{
      .windows = options.fingerprint, .threshold = options.threshold, .max_loss = options.max_loss};
  match.windows.window = options.dedup_window;
  verbs::explain::compare_as_dedup(report, match, budget);
  return report;
}

}  // namespace refrain
