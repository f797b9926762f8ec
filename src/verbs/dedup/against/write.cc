// dedup: writes what was found of another set as JSON.
#include <fmt/format.h>

#include <iterator>
#include <span>

#include "base/files/random_file.h"
#include "base/json.h"
#include "verbs/dedup/against/against.h"

namespace refrain::verbs::dedup {

void write_against(DedupRun& run) {
  if (!run.against()) return;
  run::SliceFile item_ids(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  const RandomFile found(run.dir.work("against_found"));
  run::ColumnReader<AgainstItem> items(run.dir.work("against_items"));
  run::RunFile out = run.dir.create_output("against.jsonl");
  std::string scratch;
  std::string line;
  AgainstItem item;
  for (std::uint64_t i = 0; items.next(item); ++i) {
    const auto state = static_cast<DocState>(item.state);
    if (state == DocState::bad) continue;
    line = fmt::format(R"({{"id": {}, "tokens": {}, "too_short": {}, "documents": {}, "found": [)",
                       json_text(item_ids.get(i, scratch)), item.tokens, state == DocState::too_short, item.documents);
    for (std::uint64_t k = item.first_found; k < item.last_found; ++k) {
      AgainstPlace place;
      found.read(k * sizeof place, {reinterpret_cast<char*>(&place), sizeof place});
      line +=
          fmt::format(R"({}{{"id": {}, "share": {:.6g}, "begin": {}, "end": {}}})", k == item.first_found ? "" : ", ",
                      json_text(ids.get(place.document, scratch)), place.share, place.where.begin, place.where.end);
    }
    out.write(line + "]}\n");
  }
  run.dir.close(out);
}

}  // namespace refrain::verbs::dedup
