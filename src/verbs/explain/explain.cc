// explain: two documents side by side.
#include "refrain/explain.h"

#include <fmt/format.h>

#include <bit>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/files/listing.h"
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
  return report;
}

}  // namespace refrain
