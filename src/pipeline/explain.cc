// explain: two documents side by side.
#include "refrain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/budget.h"
#include "base/file.h"
#include "corpus/reader.h"
#include "refrain/error.h"
#include "text/tokenizer.h"
#include "text/windows.h"

namespace refrain {

namespace {

// A document's tokens, less the stop words: where they stand, and each one's number in a vocabulary that both documents
// share. So windows are compared token by token, and no hash is believed.
struct Tokens {
  std::vector<ByteRange> ranges;
  std::vector<std::uint32_t> words;
};

using Vocabulary = std::unordered_map<std::string, std::uint32_t>;

Tokens tokenize(std::string_view text, const FeaturePlan& plan, Vocabulary& vocabulary) {
  Tokens tokens;
  TokenBlock block;
  for (std::size_t at = 0; at < text.size();) {
    at = plan.tokenizer->next(text, at, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (plan.stop_words.contains(block.normal(i))) continue;
      tokens.ranges.push_back(block.range(i));
      tokens.words.push_back(
          vocabulary.try_emplace(std::string(block.normal(i)), static_cast<std::uint32_t>(vocabulary.size()))
              .first->second);
    }
  }
  return tokens;
}

// The windows of a document as views of its words' numbers.
class Windows {
 public:
  Windows(const Tokens& tokens, std::size_t window)
      : words_(tokens.words.data()),
        window_(window),
        count_(tokens.words.size() < window ? 0 : tokens.words.size() - window + 1) {
    for (std::size_t i = 0; i < count_; ++i) distinct_.insert((*this)[i]);
  }
  std::size_t count() const { return count_; }
  const std::unordered_set<std::string_view>& distinct() const { return distinct_; }
  bool contains(std::string_view window) const { return distinct_.contains(window); }
  // The words' numbers as bytes, which hash and compare as they should.
  std::string_view operator[](std::size_t i) const {
    return {reinterpret_cast<const char*>(words_ + i), window_ * sizeof(std::uint32_t)};
  }

 private:
  const std::uint32_t* words_;
  std::size_t window_;
  std::size_t count_;
  std::unordered_set<std::string_view> distinct_;
};

// The stretches of text that lie in windows which the other document holds too.
std::vector<ByteRange> shared_ranges(const Tokens& tokens, const Windows& windows, const Windows& other,
                                     std::size_t window) {
  std::vector<ByteRange> ranges;
  std::size_t marked = 0;  // tokens before this one are in the last range already
  for (std::size_t i = 0; i < windows.count(); ++i) {
    if (!other.contains(windows[i])) continue;
    const std::uint64_t end = tokens.ranges[i + window - 1].end;
    if (!ranges.empty() && i <= marked)
      ranges.back().end = end;
    else
      ranges.push_back({tokens.ranges[i].begin, end});
    marked = i + window;
  }
  return ranges;
}

// A document of the input by its id; the first that has it.
struct Wanted {
  std::string id;
  std::optional<std::string> text;
};

void find_in_input(const InputOptions& input, const Context& context, MemoryBudget& budget,
                   std::vector<Wanted>& wanted) {
  // On one thread a batch is dealt with before the next one is read, so that none waits with its text.
  Context alone = context;
  alone.threads = 1;
  read_documents(input, alone, budget, [&](unsigned /*worker*/, Batch& batch) -> InOrder {
    // Ids that are ordinals are known in order only: keep what could be asked for.
    struct Candidate {
      std::string id;
      std::string text;
    };
    if (!batch.ids.ordinals) {
      std::vector<Candidate> candidates;
      for (std::size_t i = 0; i < batch.texts.size(); ++i)
        for (const Wanted& want : wanted)
          if (batch.bad[i] == 0 && batch.ids[i] == want.id)
            candidates.push_back({want.id, std::string(batch.texts[i])});
      return [&wanted, candidates = std::move(candidates)](DocId /*first*/) {
        for (const Candidate& candidate : candidates)
          for (Wanted& want : wanted)
            if (!want.text && want.id == candidate.id) want.text = candidate.text;
      };
    }
    auto texts = std::make_shared<std::vector<std::string>>();
    for (std::size_t i = 0; i < batch.texts.size(); ++i) texts->emplace_back(batch.texts[i]);
    auto bad = std::make_shared<std::vector<std::uint8_t>>(std::move(batch.bad));
    return [&wanted, texts, bad](DocId first) {
      for (Wanted& want : wanted)
        for (std::size_t i = 0; !want.text && i < texts->size(); ++i)
          if ((*bad)[i] == 0 && std::to_string(first + i) == want.id) want.text = (*texts)[i];
    };
  });
  for (const Wanted& want : wanted)
    if (!want.text) throw Error(Errc::not_found, fmt::format("{}: no document of the input has this id", want.id));
}

}  // namespace

ExplainReport explain(const ExplainOptions& options, const Context& context) {
  MemoryBudget budget(context);
  const FeaturePlan plan(options.fingerprint);
  std::vector<Wanted> wanted{{options.a, std::nullopt}, {options.b, std::nullopt}};
  if (options.input.paths.empty()) {
    for (Wanted& want : wanted) {
      InputOptions one = options.input;
      one.paths = {want.id};
      one.format = Format::files;
      std::vector<Wanted> only{{want.id, std::nullopt}};
      find_in_input(one, context, budget, only);
      want.text = std::move(only.front().text);
    }
  } else {
    find_in_input(options.input, context, budget, wanted);
  }

  ExplainReport report;
  report.a.id = options.a;
  report.a.text = std::move(*wanted[0].text);
  report.b.id = options.b;
  report.b.text = std::move(*wanted[1].text);
  // A token takes its range and number, a window a place in a set, a word a place in the vocabulary: for short tokens
  // some twenty times their text.
  const Reservation reservation =
      budget.reserve(20 * (report.a.text.size() + report.b.text.size()), "comparing these two documents");
  const std::size_t window = plan.window;
  Vocabulary vocabulary;
  const Tokens tokens_a = tokenize(report.a.text, plan, vocabulary);
  const Tokens tokens_b = tokenize(report.b.text, plan, vocabulary);
  const Windows windows_a(tokens_a, window);
  const Windows windows_b(tokens_b, window);
  for (const std::string_view w : windows_a.distinct()) report.shared_windows += windows_b.contains(w) ? 1 : 0;
  const std::size_t all = windows_a.distinct().size() + windows_b.distinct().size() - report.shared_windows;
  report.similarity = all == 0 ? 0 : static_cast<double>(report.shared_windows) / static_cast<double>(all);
  const Fingerprinter fingerprinter(options.fingerprint);
  const auto fill = [&](ExplainedDocument& document, const Tokens& tokens, const Windows& windows,
                        const Windows& other) {
    document.tokens = tokens.ranges.size();
    document.windows = windows.distinct().size();
    document.fingerprint = fingerprinter(document.text);
    document.shared = shared_ranges(tokens, windows, other, window);
  };
  fill(report.a, tokens_a, windows_a, windows_b);
  fill(report.b, tokens_b, windows_b, windows_a);
  if (report.a.fingerprint && report.b.fingerprint)
    report.difference = static_cast<unsigned>(std::popcount(*report.a.fingerprint ^ *report.b.fingerprint));
  return report;
}

}  // namespace refrain
