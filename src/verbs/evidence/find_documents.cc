#include "verbs/evidence/find_documents.h"

#include <memory>
#include <utility>

#include "base/checksum.h"
#include "corpus/source/reader.h"

namespace refrain::verbs::evidence {

namespace {

void offer(WantedDocument& want, const std::string& text) {
  if (want.text) return;
  if (want.sum && digest(text).high != *want.sum)
    want.other = true;
  else
    want.text = text;
}

}  // namespace

void find_documents(const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                    std::vector<WantedDocument>& wanted) {
  // On one thread a batch is dealt with before the next one is read, so that none waits with its text.
  Context alone = context;
  alone.threads = 1;
  corpus::read_documents(input, alone, budget, [&](unsigned /*worker*/, corpus::Batch& batch) -> corpus::InOrder {
    if (!batch.ids.ordinals) {
      struct Candidate {
        std::size_t want;
        std::string text;
      };
      std::vector<Candidate> candidates;
      for (std::size_t i = 0; i < batch.texts.size(); ++i)
        for (std::size_t want = 0; want < wanted.size(); ++want)
          if (batch.bad[i] == 0 && batch.ids[i] == wanted[want].id)
            candidates.push_back({want, std::string(batch.texts[i])});
      return [&wanted, candidates = std::move(candidates)](DocId /*first*/) {
        for (const Candidate& candidate : candidates) offer(wanted[candidate.want], candidate.text);
      };
    }
    // Ids that are ordinals are known in order only: keep what could be asked for.
    auto texts = std::make_shared<std::vector<std::string>>();
    for (std::size_t i = 0; i < batch.texts.size(); ++i) texts->emplace_back(batch.texts[i]);
    auto bad = std::make_shared<std::vector<std::uint8_t>>(std::move(batch.bad));
    return [&wanted, texts, bad](DocId first) {
      for (WantedDocument& want : wanted)
        for (std::size_t i = 0; !want.text && i < texts->size(); ++i)
          if ((*bad)[i] == 0 && std::to_string(first + i) == want.id) offer(want, (*texts)[i]);
    };
  });
}

}  // namespace refrain::verbs::evidence
