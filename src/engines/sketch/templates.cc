#include "engines/sketch/templates.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engines/sketch/loss.h"

namespace refrain::sketch {

namespace {

using Windows = std::vector<std::uint64_t>;

struct Counted {
  std::uint64_t window;
  std::size_t documents;
};

// The windows that at least `least` of the sets contain, ascending.
std::vector<Counted> frequent(const std::vector<const Windows*>& sets, std::size_t least) {
  Windows all;
  for (const Windows* set : sets) all.insert(all.end(), set->begin(), set->end());
  std::sort(all.begin(), all.end());
  std::vector<Counted> found;
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    while (end < all.size() && all[end] == all[i]) ++end;
    if (end - i >= least) found.push_back({all[i], end - i});
  }
  return found;
}

Windows windows_of(const std::vector<Counted>& counted) {
  Windows windows;
  for (const Counted& one : counted) windows.push_back(one.window);
  return windows;
}

// The longest run of tokens that are in no window that `other` contains.
std::uint32_t own_run(const Windows& ordered, const Windows& other, unsigned window) {
  LossCount count(window);
  for (const std::uint64_t one : ordered) count.add(std::binary_search(other.begin(), other.end(), one));
  return count.finish().longest;
}

class Sample {
 public:
  Sample(std::span<const Windows> documents, const TemplateOptions& options)
      : documents_(documents), options_(options) {}

  Windows find() {
    for (const Windows& document : documents_) make_set(sets_.emplace_back(document));
    std::vector<std::size_t> all(documents_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    if (frequent(sets_of(all), options_.least).empty()) return {};
    const std::vector<std::size_t> different = with_own_text(without_matches(all));
    const auto share = std::ceil(options_.share * static_cast<double>(different.size()) - 1e-9);
    std::vector<Counted> found =
        frequent(sets_of(different), std::max(options_.least, static_cast<std::size_t>(share)));
    if (!is_worth_it(found, different)) return {};
    if (found.size() > options_.most) {
      std::stable_sort(found.begin(), found.end(),
                       [](const Counted& a, const Counted& b) { return a.documents > b.documents; });
      found.resize(options_.most);
    }
    Windows windows = windows_of(found);
    std::sort(windows.begin(), windows.end());
    return windows;
  }

 private:
  std::vector<const Windows*> sets_of(const std::vector<std::size_t>& some) const {
    std::vector<const Windows*> sets;
    for (const std::size_t document : some) sets.push_back(&sets_[document]);
    return sets;
  }

  // Leaves out documents that match an earlier one.
  std::vector<std::size_t> without_matches(const std::vector<std::size_t>& some) const {
    std::vector<std::size_t> different;
    for (const std::size_t document : some)
      if (std::none_of(different.begin(), different.end(),
                       [&](std::size_t earlier) { return covers(earlier, document); }))
        different.push_back(document);
    return different;
  }
  bool covers(std::size_t earlier, std::size_t document) const {
    const double threshold = options_.rule.threshold;
    return jaccard_from(threshold, sets_[earlier], sets_[document]) >= threshold &&
           options_.rule.allows(own_run(documents_[document], sets_[earlier], options_.window));
  }

  // Keeps the documents that have more than shared text, and whose own text is not that of an earlier document.
  std::vector<std::size_t> with_own_text(const std::vector<std::size_t>& some) const {
    const Windows shared = windows_of(frequent(sets_of(some), options_.least));
    std::vector<std::size_t> counted;
    std::vector<Windows> own_windows;
    for (const std::size_t document : some) {
      Windows rest;
      own_features(sets_[document], shared, rest);
      const bool shares = rest.size() != sets_[document].size();
      if (shares && own_run(documents_[document], shared, options_.window) <= kOwnRun) continue;
      if (std::any_of(own_windows.begin(), own_windows.end(), [&](const Windows& earlier) {
            return jaccard_from(kSameOwnText, earlier, rest) >= kSameOwnText;
          }))
        continue;
      counted.push_back(document);
      own_windows.push_back(std::move(rest));
    }
    return counted;
  }

  bool is_worth_it(const std::vector<Counted>& found, const std::vector<std::size_t>& different) const {
    std::size_t out = 0;
    std::size_t all = 0;
    for (const Counted& one : found) out += one.documents;
    for (const std::size_t document : different) all += sets_[document].size();
    return out != 0 && static_cast<double>(out) >= options_.worth * static_cast<double>(all);
  }

  static constexpr std::uint32_t kOwnRun = 16;  // without a longer run of its own, a document has no own text
  static constexpr double kSameOwnText = 0.5;

  const std::span<const Windows> documents_;
  const TemplateOptions& options_;
  std::vector<Windows> sets_;
};

}  // namespace

std::vector<std::uint64_t> template_windows(std::span<const std::vector<std::uint64_t>> documents,
                                            const TemplateOptions& options) {
  return documents.size() < options.least ? Windows() : Sample(documents, options).find();
}

}  // namespace refrain::sketch
