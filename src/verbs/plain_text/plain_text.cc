#include "refrain/plain_text.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/json.h"
#include "base/progress.h"
#include "corpus/files/listing.h"
#include "refrain/report_json.h"
#include "refrain/utf8.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/skipped.h"
#include "verbs/run/tsv.h"

namespace refrain {

namespace {

// The texts of a batch that waits for its turn.
struct Texts {
  Reservation reservation;
  std::vector<std::string> quoted;  // empty for a bad record
  corpus::BatchIds ids;
};

std::string begin_row(const corpus::BatchIds& ids, std::size_t i, DocId first) {
  std::string row = R"({"id": )";
  if (ids.ordinals) {
    row += '"';
    verbs::run::append_decimal(row, first + i);
    row += '"';
  } else {
    row += json_text(ids[i]);
  }
  return row += R"(, "text": )";
}

void print_waiting(const Texts& texts, DocId first, const std::function<void(std::string_view)>& out) {
  std::string rows;
  for (std::size_t i = 0; i < texts.quoted.size(); ++i)
    if (!texts.quoted[i].empty()) rows += begin_row(texts.ids, i, first) + texts.quoted[i] + "}\n";
  out(rows);
}

// Quotes long texts a part at a time, because JSON may be six times as long.
void print_at_once(const corpus::Batch& batch, DocId first, const std::function<void(std::string_view)>& out) {
  constexpr std::size_t kPartBytes = std::size_t{256} << 10;
  for (std::size_t i = 0; i < batch.texts.size(); ++i) {
    if (batch.bad[i] != 0) continue;
    std::string part = begin_row(batch.ids, i, first) + '"';
    const std::string_view text = batch.texts[i];
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t wanted = begin + kPartBytes;
      const std::size_t end = wanted < text.size() ? boundary_before(text, wanted) : text.size();
      append_json_escaped(part, text.substr(begin, end - begin));
      out(part);
      part.clear();
      begin = end;
    }
    out(part + "\"}\n");
  }
}

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
        if (batch.at_once) return [&out, &batch](DocId first) { print_at_once(batch, first, out); };
        auto texts = std::make_shared<Texts>(Texts{.reservation = budget.reserve(0, "texts"), .quoted = {}, .ids = {}});
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          texts->quoted.push_back(batch.bad[i] != 0 ? std::string() : json_text(batch.texts[i]));
          bytes += sizeof(std::string) + texts->quoted.back().capacity();
        }
        texts->reservation.resize(bytes, "texts");
        texts->ids = std::move(batch.ids);
        return [&out, texts](DocId first) { print_waiting(*texts, first, out); };
      },
      {.raw = true, .keeps_texts = true});
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
