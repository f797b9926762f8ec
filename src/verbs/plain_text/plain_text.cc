#include "refrain/plain_text.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "corpus/files/listing.h"
#include "refrain/report_json.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

// The texts of a batch that waits for its turn.
struct Texts {
  std::vector<std::string> quoted;  // empty for a bad record
  corpus::BatchIds ids;
};

}  // namespace

PlainTextReport plain_text(const InputOptions& input, const Context& context,
                           const std::function<void(std::string_view)>& out) {
  const Stopwatch watch;
  MemoryBudget budget(context);
  const Reservation listing = corpus::reserve_listing(input, budget);
  PlainTextReport report;
  report.read = verbs::run::read_listed(
      input, context, budget,
      [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
        auto texts = std::make_shared<Texts>();
        for (std::size_t i = 0; i < batch.texts.size(); ++i)
          texts->quoted.push_back(batch.bad[i] != 0 ? std::string() : json_text(batch.texts[i]));
        texts->ids = std::move(batch.ids);
        return [&out, texts](DocId first) {
          std::string rows;
          for (std::size_t i = 0; i < texts->quoted.size(); ++i) {
            if (texts->quoted[i].empty()) continue;
            rows += R"({"id": )";
            if (texts->ids.ordinals) {
              rows += '"';
              verbs::run::append_decimal(rows, first + i);
              rows += '"';
            } else {
              rows += json_text(texts->ids[i]);
            }
            rows += R"(, "text": )";
            rows += texts->quoted[i];
            rows += "}\n";
          }
          out(rows);
        };
      },
      {.keeps_texts = true});
  report.seconds = watch.seconds();
  return report;
}

std::string to_json(const PlainTextReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "text");
  verbs::run::write_read(json, report.read);
  return verbs::run::end_report(std::move(json), report.read, report.seconds);
}

}  // namespace refrain
