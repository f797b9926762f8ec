#include "refrain/plain_text.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
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

// Longer texts are quoted a part at a time when it is their turn, because JSON may be six times as long.
constexpr std::size_t kLongText = std::size_t{4} << 20;
constexpr std::size_t kPartBytes = std::size_t{256} << 10;

// The texts of a batch that waits for its turn.
struct Texts {
  std::vector<std::string> quoted;  // empty for a bad record, and for a long text
  std::vector<std::pair<std::size_t, Array<char>>> long_texts;  // by index
  corpus::BatchIds ids;
};

void print_long(std::string_view text, const std::function<void(std::string_view)>& out) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t wanted = begin + kPartBytes;
    const std::size_t end = wanted < text.size() ? boundary_before(text, wanted) : text.size();
    std::string quoted;
    append_json_escaped(quoted, text.substr(begin, end - begin));
    out(quoted);
    begin = end;
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
        auto texts = std::make_shared<Texts>();
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          const std::string_view text = batch.texts[i];
          const bool is_long = text.size() > kLongText;
          texts->quoted.push_back(batch.bad[i] != 0 || is_long ? std::string() : json_text(text));
          if (batch.bad[i] != 0 || !is_long) continue;
          texts->long_texts.emplace_back(i, Array<char>(budget, "a long text"));
          texts->long_texts.back().second.append(std::span(text.data(), text.size()));
        }
        texts->ids = std::move(batch.ids);
        return [&out, texts](DocId first) {
          std::string rows;
          auto next_long = texts->long_texts.begin();
          for (std::size_t i = 0; i < texts->quoted.size(); ++i) {
            const bool is_long = next_long != texts->long_texts.end() && next_long->first == i;
            if (texts->quoted[i].empty() && !is_long) continue;
            rows += R"({"id": )";
            if (texts->ids.ordinals) {
              rows += '"';
              verbs::run::append_decimal(rows, first + i);
              rows += '"';
            } else {
              rows += json_text(texts->ids[i]);
            }
            rows += R"(, "text": )";
            if (is_long) {
              out(rows += '"');
              print_long({next_long->second.data(), next_long->second.size()}, out);
              rows = '"';
              ++next_long;
            } else {
              rows += texts->quoted[i];
            }
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
