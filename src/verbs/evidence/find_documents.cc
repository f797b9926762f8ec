#include "verbs/evidence/find_documents.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "corpus/markup/mail.h"
#include "corpus/source/reader.h"

namespace refrain::verbs::evidence {

namespace {

void offer(WantedDocument& want, const std::string& text) {
  if (want.text) return;
  if (!want.sum || digest(text).high == *want.sum) {
    want.text = text;
    return;
  }
  const std::string_view headers = corpus::leading_headers(text);
  const std::string_view rest = std::string_view(text).substr(std::min(headers.size() + 2, text.size()));
  if (headers.empty() || digest(rest).high != *want.sum) {
    want.other = true;
    return;
  }
  want.text = rest;
  want.headers = headers;
}

}  // namespace

void find_documents(const corpus::SourceOptions& input, const Context& context, MemoryBudget& budget,
                    std::vector<WantedDocument>& wanted) {
  // With one thread, a batch is processed before the next one is read, so no batch has to wait with its text.
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
    // Ids that are ordinals are known only in order, so all texts are kept until then.
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

std::vector<DifferingHeader> differing_headers(std::string_view a, std::string_view b) {
  std::map<std::string_view, DifferingHeader> headers;
  const auto take = [&](std::string_view lines, std::string DifferingHeader::*value) {
    while (!lines.empty()) {
      const std::string_view line = lines.substr(0, lines.find('\n'));
      lines.remove_prefix(std::min(line.size() + 1, lines.size()));
      const std::string_view name = line.substr(0, line.find(": "));
      headers[name].name = name;
      headers[name].*value = line.substr(std::min(name.size() + 2, line.size()));
    }
  };
  take(a, &DifferingHeader::a);
  take(b, &DifferingHeader::b);
  std::vector<DifferingHeader> differing;
  for (auto& [name, header] : headers)
    if (header.a != header.b) differing.push_back(std::move(header));
  return differing;
}

}  // namespace refrain::verbs::evidence
