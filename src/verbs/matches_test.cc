// Combines the kernels of dedup by hand, in the plainest way, and compares the result with the verb's, document by
// document.
#include "refrain/matches.h"

#include <algorithm>
#include <map>
#include <set>

#include "refrain/digest.h"
#include "refrain/error.h"
#include "refrain/memory.h"
#include "verbs/test_kernels.h"

namespace refrain {
namespace {

struct Found {
  IndexPair pair;  // the later document first
  TextMatch match;
};

TextMatch compare_alone(const DocumentMatcher& matcher, const std::optional<std::string>& later,
                        const std::optional<std::string>& earlier, const std::vector<std::uint32_t>& templates = {}) {
  const std::vector<IndexPair> pair = {{0, 1}};
  return matcher.compare(Column({later, earlier}).view(), templates, pair, on(1)).front();
}

TEST(DocumentMatcher, CoversNothingThatLosesAnAttachment) {
  std::string body;
  for (int i = 0; i < 200; ++i) body += "word" + std::to_string(i) + ' ';
  const auto with = [&](const std::string& sum) {
    return body + "\n\n[attachment: scan.pdf, application/pdf, 9 bytes, " + std::string(32, '0').replace(0, 1, sum) +
           "]";
  };
  for (const std::uint32_t max_loss : {kAutoLoss, kAnyLoss}) {
    const DocumentMatcher matcher(DocumentMatchOptions{.max_loss = max_loss});
    EXPECT_TRUE(compare_alone(matcher, body + "more", with("a")).covered);
    EXPECT_FALSE(compare_alone(matcher, with("a"), body).covered);
    EXPECT_FALSE(compare_alone(matcher, with("a"), with("b")).covered);
    EXPECT_TRUE(compare_alone(matcher, with("a"), "x " + with("a")).covered);
  }
}

class ByHand {
 public:
  ByHand(const Texts& texts, const DocumentMatchOptions& options)
      : texts_(texts), options_(options), matcher_(options) {
    heads_ = heads();
    std::vector<std::vector<std::uint64_t>> templates;
    if (std::vector<std::uint64_t> windows = find_template(); !windows.empty()) templates.push_back(windows);
    has_template = !templates.empty();
    matcher_ = DocumentMatcher(options, templates);
    template_of_.assign(texts.size(), has_template ? 1 : 0);
    sketches_ = matcher_.sketches(column_.view(), template_of_, on(2));
  }

  // Returns the document for which each one is removed, or the document itself if it is kept.
  std::vector<std::size_t> decide() {
    std::vector<Found> similar;
    std::set<IndexPair> met;
    std::set<std::uint64_t> crowded;
    std::vector<std::size_t> removed_for = keep(similar);
    for (unsigned round = 1;; ++round) {
      std::size_t matches = 0;
      for (const IndexPair& pair : meet(round, removed_for, crowded)) {
        if (!met.insert(pair).second) continue;
        const auto [later, earlier] = pair;
        if (!matcher_.may_match(lanes(later), lanes(earlier))) continue;
        const TextMatch match = compare(earlier, later);
        if (match.similarity == 0) continue;
        similar.push_back({pair, match});
        matches += match.covered ? 1 : 0;
      }
      std::ranges::sort(similar, {}, &Found::pair);
      removed_for = keep(similar);
      ++rounds;
      if (crowded.empty() || (matches == 0 && round >= 3)) return removed_for;
    }
  }

  bool has_template = false;
  unsigned rounds = 0;

 private:
  std::vector<std::size_t> heads() const {
    std::map<std::string, std::size_t> first;
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < texts_.size(); ++i) found.push_back(first.try_emplace(*texts_[i], i).first->second);
    return found;
  }

  std::vector<std::uint64_t> find_template() const {
    const auto plain = matcher_.sketches(column_.view(), {}, on(1));
    std::map<Digest, std::string> different;
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (plain.judged[i] != 0) different.emplace(digest(*texts_[i]), *texts_[i]);
    Texts sample;
    for (const auto& [name, text] : different)
      if (sample.size() < TemplateSample::kMostDocuments) sample.emplace_back(text);
    return matcher_.find_template(Column(sample).view(), on(1));
  }

  const std::uint8_t* lanes(std::uint64_t document) const {
    return sketches_.lanes.data() + document * matcher_.lanes();
  }

  TextMatch compare(std::uint64_t earlier, std::uint64_t later) const {
    const std::uint32_t number = has_template ? 1 : 0;
    return compare_alone(matcher_, texts_[later], texts_[earlier], {number, number});
  }

  std::vector<IndexPair> meet(unsigned round, const std::vector<std::size_t>& removed_for,
                              std::set<std::uint64_t>& crowded) const {
    const unsigned bands = matcher_.bands().bands;
    std::vector<BandEntry> entries;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (sketches_.judged[i] == 0 || removed_for[i] != i || (round > 1 && !crowded.contains(i))) continue;
      for (unsigned band = 0; band < bands; ++band) entries.push_back({std::uint64_t{band} << 32U | key(i, band), i});
    }
    std::vector<IndexPair> pairs;
    std::vector<BandEntry> crowd;
    walk(entries, round, pairs, crowd);
    for (BandEntry& entry : crowd) {
      crowded.insert(entry.rank);
      const unsigned other = MeetingPlan::other_band(static_cast<unsigned>(entry.group >> 32U), bands, round);
      entry.group = MeetingPlan::crowd_group(entry.group, key(entry.rank, other));
    }
    std::vector<BandEntry> none;
    walk(crowd, round, pairs, none);
    return pairs;
  }

  std::uint32_t key(std::uint64_t document, unsigned band) const {
    return sketches_.keys[document * matcher_.bands().bands + band];
  }

  // Adds the entries in small batches.
  static void walk(std::vector<BandEntry>& entries, unsigned round, std::vector<IndexPair>& pairs,
                   std::vector<BandEntry>& crowd) {
    std::ranges::sort(entries, [](const BandEntry& a, const BandEntry& b) {
      return std::pair(a.group, a.rank) < std::pair(b.group, b.rank);
    });
    MeetingPlan plan(round);
    for (std::size_t i = 0; i < entries.size(); i += 7)
      plan.add(std::span(entries).subspan(i, std::min<std::size_t>(7, entries.size() - i)), pairs, crowd);
  }

  std::vector<std::size_t> keep(const std::vector<Found>& similar) const {
    std::vector<std::size_t> removed_for(texts_.size());
    for (std::size_t i = 0; i < texts_.size(); ++i) removed_for[i] = heads_[i];
    for (const auto& [pair, match] : similar)
      if (removed_for[pair.first] == pair.first && removed_for[pair.second] == pair.second && match.covered)
        removed_for[pair.first] = pair.second;
    for (std::size_t i = 0; i < texts_.size(); ++i)
      if (heads_[i] != i) removed_for[i] = removed_for[heads_[i]];
    return removed_for;
  }

  const Texts& texts_;
  const DocumentMatchOptions options_;
  const Column column_{texts_};
  DocumentMatcher matcher_;
  std::vector<std::size_t> heads_;
  std::vector<std::uint32_t> template_of_;
  DocumentMatcher::Sketches sketches_;
};

// Makes families of similar documents, each with some text of its own, and copies, with `navigation` words added to
// every document.
Texts families(unsigned seed, std::size_t count, std::size_t navigation) {
  std::mt19937_64 random(seed);
  std::vector<Words> originals;
  for (int i = 0; i < 6; ++i) originals.push_back(random_words(random, 80 + random() % 200));
  const Words around = random_words(random, navigation);
  Texts texts;
  while (texts.size() < count) {
    if (!texts.empty() && random() % 8 == 0) {
      texts.push_back(texts[random() % texts.size()]);
      continue;
    }
    Words words = random() % 3 == 0 ? random_words(random, random() % 200) : originals[random() % originals.size()];
    if (!words.empty())
      for (std::size_t edits = random() % 5; edits > 0; --edits)
        words[random() % words.size()] = "w" + std::to_string(random() % 1000);
    if (random() % 4 == 0) append(words, random_words(random, 10 + random() % 20));
    append(words, around);
    texts.emplace_back(join(words));
  }
  return texts;
}

void expect_the_verb(const Texts& texts, bool with_template) {
  const Column column(texts);
  const auto documents = documents_of(column.view());
  const DedupResult expected = dedup(*documents, {.sample = 0}, on(2));
  ByHand by_hand(texts, {});
  const std::vector<std::size_t> found = by_hand.decide();
  EXPECT_EQ(by_hand.has_template, with_template);
  EXPECT_EQ(expected.report.templates.sources, with_template ? 1U : 0U);
  EXPECT_EQ(expected.report.rounds, by_hand.rounds);
  EXPECT_GT(expected.report.removed_near, 10U);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(expected.decisions[i].keep ? i : *expected.decisions[i].match, found[i]) << i;
}

TEST(Matches, PutTogetherByHandAreThoseOfDedup) {
  expect_the_verb(families(1, 400, 0), false);
  expect_the_verb(families(2, 100, 0), false);
}

TEST(Matches, WithATemplateAreThoseOfDedup) {
  expect_the_verb(families(3, 300, 150), true);
}

TEST(Matches, DependOnNeitherThreadsNorLayout) {
  const Texts texts = hard_texts(4, 200);
  const DocumentMatcher matcher({});
  const auto expected = matcher.sketches(Column(texts).view(), {}, on(1));
  std::vector<IndexPair> pairs;
  std::vector<TextMatch> matches;
  for (std::size_t i = 0; i < 2 * texts.size(); ++i) {
    const IndexPair pair = {i % texts.size(), (i + 1 + i / texts.size()) % texts.size()};
    pairs.push_back(pair);
    matches.push_back(compare_alone(matcher, texts[pair.first], texts[pair.second]));
  }
  EXPECT_TRUE(std::ranges::any_of(matches, [](const TextMatch& match) { return match.similarity > 0; }));
  for (const Layout layout : kLayouts)
    for (const unsigned threads : kThreads) {
      const Column column(texts, layout);
      const auto found = matcher.sketches(column.view(), {}, on(threads));
      EXPECT_EQ(found.judged, expected.judged);
      EXPECT_EQ(found.lanes, expected.lanes);
      EXPECT_EQ(found.keys, expected.keys);
      EXPECT_EQ(matcher.compare(column.view(), {}, pairs, on(threads)), matches);
    }
}

TEST(Matches, RefuseWhatDoesNotFitTogether) {
  const Column column({"one text", "and another"});
  const DocumentMatcher matcher({});
  const std::vector<std::uint32_t> one = {0};
  const std::vector<std::uint32_t> unknown = {0, 1};
  EXPECT_THROW(matcher.sketches(column.view(), one, on(1)), Error);
  EXPECT_THROW(matcher.sketches(column.view(), unknown, on(1)), Error);
  const std::vector<IndexPair> outside = {{0, 1}, {1, 2}};
  EXPECT_THROW(matcher.compare(column.view(), {}, outside, on(1)), Error);
  EXPECT_THROW(DocumentMatcher({.threshold = 2}), Error);
}

TEST(KeptSet, IsThatOfThePlainWay) {
  std::mt19937_64 random(5);
  std::map<IndexPair, KeptSet::Match> all;
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t later = 1 + random() % 500;
    const KeptSet::Match match = {.later = later,
                                  .earlier = random() % later,
                                  .longest_lost = static_cast<std::uint32_t>(random() % 20),
                                  .covered = random() % 3 == 0};
    all.emplace(IndexPair{match.later, match.earlier}, match);
  }
  std::vector<KeptSet::Match> matches;
  for (const auto& [pair, match] : all) matches.push_back(match);

  std::vector<std::uint64_t> expected;
  std::set<std::uint64_t> removed;
  for (std::uint64_t later = 1; later <= 500; ++later) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> covering, lacking;  // sort key and index
    for (std::uint64_t i = 0; i < matches.size(); ++i)
      if (matches[i].later == later && !removed.contains(matches[i].earlier))
        (matches[i].covered ? covering : lacking).emplace_back(matches[i].covered ? 0 : matches[i].longest_lost, i);
    if (!covering.empty()) removed.insert(later);
    const auto& best = covering.empty() ? lacking : covering;
    if (!best.empty()) expected.push_back(std::ranges::min(best).second);
  }
  ASSERT_GT(removed.size(), 100U);
  ASSERT_GT(expected.size(), removed.size());

  KeptSet whole;
  std::vector<std::uint64_t> found;
  whole.add(matches, found);
  EXPECT_EQ(found, expected);
  KeptSet parts;
  found.clear();
  for (std::size_t begin = 0, end = 0; begin < matches.size(); begin = end) {
    while (end < matches.size() && matches[end].later == matches[begin].later) ++end;
    std::vector<std::uint64_t> places;
    parts.add(std::span(matches).subspan(begin, end - begin), places);
    for (const std::uint64_t place : places) found.push_back(begin + place);
  }
  EXPECT_EQ(found, expected);
}

TEST(SiteOfAddress, IsTheHost) {
  EXPECT_EQ(site_of_address("https://www.example.org/a?b"), site_of_address("http://EXAMPLE.org:80/"));
  EXPECT_NE(site_of_address("https://example.org/"), site_of_address("https://example.com/"));
  EXPECT_EQ(site_of_address("no address"), 0U);
}

}  // namespace
}  // namespace refrain
