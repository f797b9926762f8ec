// explain: two documents side by side.
#include "refrain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/threads.h"
#include "corpus/reader.h"
#include "refrain/error.h"
#include "text/tokenizer.h"
#include "text/windows.h"

namespace refrain {

namespace {

// A document's tokens, less the stop words: where they stand, and each one's number in a vocabulary that both documents
// share. So windows are compared token by token, and no hash is believed. 32 bits do: a document is at most 4 GiB here.
struct Tokens {
  explicit Tokens(MemoryBudget& budget)
      : begins(budget, "the tokens"), ends(budget, "the tokens"), words(budget, "the tokens") {}
  Array<std::uint32_t> begins;
  Array<std::uint32_t> ends;
  Array<std::uint32_t> words;
};

class Vocabulary {
 public:
  explicit Vocabulary(MemoryBudget& budget) : reservation_(budget.reserve(0, "the vocabulary")) {}
  std::uint32_t number(std::string_view word) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(word), static_cast<std::uint32_t>(numbers_.size()));
    // A node, its bucket, and the text where it is long.
    if (is_new) reservation_.resize(reservation_.bytes() + 96 + word.size(), "the vocabulary");
    return at->second;
  }

 private:
  Reservation reservation_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

Tokens tokenize(std::string_view text, const FeaturePlan& plan, Vocabulary& vocabulary, MemoryBudget& budget) {
  if (text.size() > UINT32_MAX) throw Error(Errc::unsupported, "a document of more than 4 GiB cannot be explained");
  Tokens tokens(budget);
  TokenBlock block;
  for (std::size_t at = 0; at < text.size();) {
    at = plan.tokenizer->next(text, at, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (plan.stop_words.contains(block.normal(i))) continue;
      tokens.begins.push_back(static_cast<std::uint32_t>(block.range(i).begin));
      tokens.ends.push_back(static_cast<std::uint32_t>(block.range(i).end));
      tokens.words.push_back(vocabulary.number(block.normal(i)));
    }
  }
  return tokens;
}

// The distinct windows of a document, ordered by a hash that rolls over the numbers of their words. Equal hashes are
// not believed: the words are compared.
class Windows {
 public:
  Windows(const Tokens& tokens, std::size_t window, MemoryBudget& budget)
      : words_(tokens.words.data()), window_(window), hashes_(budget, "the windows"), sorted_(budget, "the windows") {
    const std::size_t count = tokens.words.size() < window ? 0 : tokens.words.size() - window + 1;
    hashes_.resize(count);
    sorted_.resize(count);
    std::uint64_t weight = 1;
    for (std::size_t i = 0; i < window; ++i) weight *= kBase;
    std::uint64_t rolling = 0;
    for (std::size_t i = 0; i < tokens.words.size() && count != 0; ++i) {
      rolling = rolling * kBase + words_[i] + 1;
      if (i >= window) rolling -= weight * (words_[i - window] + 1);
      if (i + 1 >= window) hashes_[i + 1 - window] = rolling;
    }
    for (std::size_t i = 0; i < count; ++i) sorted_[i] = static_cast<std::uint32_t>(i);
    std::sort(sorted_.begin(), sorted_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return hashes_[a] != hashes_[b] ? hashes_[a] < hashes_[b] : a < b;
    });
    drop_repeats();
  }
  std::size_t count() const { return hashes_.size(); }
  std::size_t distinct() const { return sorted_.size(); }
  // Whether window i of `other` stands here too.
  bool contains(const Windows& other, std::size_t i) const {
    const auto* at = std::lower_bound(sorted_.begin(), sorted_.end(), other.hashes_[i],
                                      [&](std::uint32_t mine, std::uint64_t hash) { return hashes_[mine] < hash; });
    for (; at != sorted_.end() && hashes_[*at] == other.hashes_[i]; ++at)
      if (std::equal(words_ + *at, words_ + *at + window_, other.words_ + i)) return true;
    return false;
  }
  std::size_t shared_with(const Windows& other) const {
    return static_cast<std::size_t>(
        std::count_if(sorted_.begin(), sorted_.end(), [&](std::uint32_t i) { return other.contains(*this, i); }));
  }

 private:
  static constexpr std::uint64_t kBase = 0xD6E8FEB86659FD93ULL;

  // Keeps of each window the first. Windows that differ and still have one hash are kept side by side.
  void drop_repeats() {
    std::size_t kept = 0;
    std::size_t group = 0;  // where those with this hash begin
    for (const std::uint32_t i : sorted_) {
      if (kept == group || hashes_[sorted_[group]] != hashes_[i]) group = kept;
      const bool seen = std::any_of(sorted_.begin() + group, sorted_.begin() + kept, [&](std::uint32_t earlier) {
        return std::equal(words_ + earlier, words_ + earlier + window_, words_ + i);
      });
      if (!seen) sorted_[kept++] = i;
    }
    sorted_.resize(kept);
  }

  const std::uint32_t* words_;
  std::size_t window_;
  Array<std::uint64_t> hashes_;  // by the place of the first token
  Array<std::uint32_t> sorted_;
};

// The stretches of text that lie in windows which the other document holds too.
std::vector<ByteRange> shared_ranges(const Tokens& tokens, const Windows& windows, const Windows& other,
                                     std::size_t window) {
  std::vector<ByteRange> ranges;
  std::size_t marked = 0;  // tokens before this one are in the last range already
  for (std::size_t i = 0; i < windows.count(); ++i) {
    if (!other.contains(windows, i)) continue;
    const std::uint64_t end = tokens.ends[i + window - 1];
    if (!ranges.empty() && i <= marked)
      ranges.back().end = end;
    else
      ranges.push_back({tokens.begins[i], end});
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
  // The texts themselves, and again as they are shown.
  const Reservation texts =
      budget.reserve(3 * (report.a.text.size() + report.b.text.size()), "two documents side by side");
  const std::size_t window = plan.window;
  Vocabulary vocabulary(budget);
  const Tokens tokens_a = tokenize(report.a.text, plan, vocabulary, budget);
  const Tokens tokens_b = tokenize(report.b.text, plan, vocabulary, budget);
  throw_if_stopped(context);
  const Windows windows_a(tokens_a, window, budget);
  const Windows windows_b(tokens_b, window, budget);
  throw_if_stopped(context);
  report.shared_windows = windows_a.shared_with(windows_b);
  const std::size_t all = windows_a.distinct() + windows_b.distinct() - report.shared_windows;
  report.similarity = all == 0 ? 0 : static_cast<double>(report.shared_windows) / static_cast<double>(all);
  const Fingerprinter fingerprinter(options.fingerprint);
  const auto fill = [&](ExplainedDocument& document, const Tokens& tokens, const Windows& windows,
                        const Windows& other) {
    document.tokens = tokens.words.size();
    document.windows = windows.distinct();
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
