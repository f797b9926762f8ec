#include "engines/substring/repeats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engines/substring/plan.h"
#include "oracle/suffix_array.h"
#include "random_text.h"

namespace refrain::substring {
namespace {

class TextInMemory : public TextSource {
 public:
  explicit TextInMemory(std::string_view text) : size_(text.size()), text_(text) { text_.append(kPadding, '\xEE'); }
  std::uint64_t size() const override { return size_; }
  const char* read(std::uint64_t begin, std::size_t /*size*/, std::vector<char>& /*scratch*/) const override {
    return text_.data() + begin;
  }

 private:
  std::size_t size_;
  std::string text_;
};

// The same, but each read returns a copy, as from a file, so that the sanitizer notices reads past the requested
// bytes.
class TextElsewhere : public TextSource {
 public:
  explicit TextElsewhere(std::string_view text) : text_(text) {}
  std::uint64_t size() const override { return text_.size(); }
  const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const override {
    EXPECT_LE(begin + size, text_.size());
    scratch.assign(size + kPadding, '\x77');
    std::memcpy(scratch.data(), text_.data() + begin, size);
    return scratch.data();
  }

 private:
  std::string_view text_;
};

struct Corpus {
  std::string text;
  std::vector<std::uint64_t> ends;
  void add(std::string_view document) {
    text += document;
    ends.push_back(text.size());
  }
};

std::vector<ByteRange> list(const Array<ByteRange>& ranges) {
  return {ranges.begin(), ranges.end()};
}

void expect_as_oracle(const Corpus& corpus, std::size_t length, std::uint64_t min_count, unsigned threads = 2,
                      bool elsewhere = false) {
  SCOPED_TRACE(testing::Message() << "length " << length << ", min_count " << min_count << ", " << threads
                                  << " threads, " << corpus.text.size() << " bytes");
  const oracle::Repeated wanted = oracle::repeated_ranges(corpus.text, corpus.ends, length, min_count);
  const Context context{.memory_bytes = std::uint64_t{512} << 20U, .threads = threads};
  MemoryBudget budget(context);
  TempSpace temp(context);
  const TextInMemory in_memory(corpus.text);
  const TextElsewhere not_in_memory(corpus.text);
  const TextSource& text = elsewhere ? static_cast<const TextSource&>(not_in_memory) : in_memory;
  const Repeats found =
      find_repeats({.length = length, .min_count = min_count}, text, corpus.ends, context, budget, temp);
  ASSERT_EQ(list(found.repeated), wanted.repeated);
  ASSERT_EQ(list(found.first), wanted.first);

  // With places: every repeated byte outside the first ranges lies in a place, and every place is an exact copy of a
  // part of one first range.
  Repeats placed = find_repeats({.length = length, .min_count = min_count, .places = true}, text, corpus.ends, context,
                                budget, temp);
  ASSERT_EQ(list(placed.repeated), wanted.repeated);
  ASSERT_EQ(list(placed.first), wanted.first);
  std::vector<std::uint8_t> listed(corpus.text.size(), 0);
  for (const ByteRange& range : wanted.first)
    for (std::uint64_t at = range.begin; at < range.end; ++at) listed[at] = 1;
  const Context one_thread{.threads = 1};
  placed.places->for_each_run(one_thread, [&](unsigned, std::size_t, const store::Run<RepeatPlace>& run) {
    for (const RepeatPlace& place : run.records) {
      ASSERT_LT(place.target, place.begin);
      ASSERT_EQ(corpus.text.compare(place.begin, place.size, corpus.text, place.target, place.size), 0);
      const auto in = [&](const ByteRange& range) {
        return range.begin <= place.target && place.target + place.size <= range.end;
      };
      ASSERT_TRUE(std::any_of(wanted.first.begin(), wanted.first.end(), in));
      for (std::uint64_t at = place.begin; at < place.begin + place.size; ++at) listed[at] = 1;
    }
  });
  for (const ByteRange& range : wanted.repeated)
    for (std::uint64_t at = range.begin; at < range.end; ++at) ASSERT_EQ(listed[at], 1) << at;
}

// Repeats pieces of earlier text, occasionally with a changed byte.
Corpus copied_text(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Corpus corpus;
  while (corpus.text.size() < size) {
    std::string document;
    for (unsigned piece = 0; piece < 1 + random() % 6; ++piece) {
      const std::size_t bytes = random() % 400;
      if (random() % 2 == 0 && corpus.text.size() > 500) {
        document += corpus.text.substr(random() % (corpus.text.size() - 400), bytes);
        if (!document.empty() && random() % 2 == 0) document[random() % document.size()] = '#';
      } else {
        document += random_text(bytes, 26, static_cast<unsigned>(random()));
      }
    }
    corpus.add(document);
  }
  return corpus;
}

TEST(FindRepeats, EqualsTheSuffixArrayOnTextWithCopies) {
  for (unsigned seed = 0; seed < 12; ++seed)
    for (const std::size_t length : {8, 9, 15, 16, 17, 50, 100, 129, 200})
      expect_as_oracle(copied_text(40'000, seed), length, 2 + seed % 3, 1 + seed % 3, seed % 2 == 0);
}

TEST(FindRepeats, EqualsTheSuffixArrayForEveryMinCount) {
  const Corpus corpus = copied_text(60'000, 7);
  for (const std::uint64_t min_count : {2, 3, 4, 5, 10, 100, 100'000}) expect_as_oracle(corpus, 20, min_count);
}

TEST(FindRepeats, EqualsTheSuffixArrayOnRandomTextOfFewLetters) {
  for (const unsigned letters : {2, 3, 4})
    for (const std::size_t length : {8, 12, 20, 33}) {
      Corpus corpus;
      corpus.add(random_text(20'000, letters, letters));
      expect_as_oracle(corpus, length, 2);
      expect_as_oracle(corpus, length, 3);
    }
}

TEST(FindRepeats, EqualsTheSuffixArrayOnTextOfOneLetter) {
  for (const std::size_t size : {1, 7, 8, 99, 100, 101, 150, 5000, 70'000})
    for (const std::size_t length : {8, 100, 1000})
      for (const std::uint64_t min_count : {2, 5}) {
        Corpus corpus;
        corpus.add(std::string(size, 'a'));
        expect_as_oracle(corpus, length, min_count);
        corpus.add("b" + std::string(size, 'a') + "c" + std::string(length, 'a') + "d");
        expect_as_oracle(corpus, length, min_count);
      }
}

TEST(FindRepeats, EqualsTheSuffixArrayOnPeriodicText) {
  for (const std::size_t period : {2, 3, 7, 31, 63, 64, 65, 100, 257})
    for (const std::size_t length : {8, 50, 100, 300}) {
      const std::string unit = random_text(period, 20, static_cast<unsigned>(period));
      std::string text;
      while (text.size() < 8'000) text += unit;
      Corpus corpus;
      corpus.add(text);
      corpus.add("x" + text.substr(5, length + 3 * period) + "y");
      corpus.add(text.substr(1, length));
      for (const std::uint64_t min_count : {2, 3, 50}) expect_as_oracle(corpus, length, min_count);
    }
}

TEST(FindRepeats, EqualsTheSuffixArrayOnFibonacciAndThueMorseStrings) {
  std::string before = "b";
  std::string fibonacci = "a";
  while (fibonacci.size() < 20'000) std::swap(before += fibonacci, fibonacci);
  std::string thue = "a";
  while (thue.size() < 20'000) {
    std::string other = thue;
    for (char& c : other) c = c == 'a' ? 'b' : 'a';
    thue += other;
  }
  for (const std::string& text : {fibonacci, thue})
    for (const std::size_t length : {8, 30, 100, 1000}) {
      Corpus corpus;
      corpus.add(text);
      expect_as_oracle(corpus, length, 2);
      expect_as_oracle(corpus, length, 9);
    }
}

TEST(FindRepeats, EqualsTheSuffixArrayOnThousandsOfCopies) {
  Corpus corpus;
  const std::string page = random_text(300, 26, 1);
  for (unsigned copy = 0; copy < 3000; ++copy) corpus.add(page);
  expect_as_oracle(corpus, 100, 2);
  expect_as_oracle(corpus, 100, 3000);
  expect_as_oracle(corpus, 100, 3001);
}

TEST(FindRepeats, EqualsTheSuffixArrayWhereOneCoreHasThousandsOfContexts) {
  for (const std::uint64_t min_count : {2, 3}) {
    Corpus corpus;
    const std::string page = random_text(90, 26, 1);
    for (unsigned copy = 0; copy < 3000; ++copy)
      corpus.add(random_text(30, 2 + copy % 3, copy / 2) + page + random_text(30, 2 + copy % 5, copy / 3));
    expect_as_oracle(corpus, 100, min_count);
  }
}

TEST(FindRepeats, EqualsTheSuffixArrayAtTheEndsOfDocumentsAndOfPieces) {
  const std::string repeat = random_text(140, 26, 5);
  Corpus corpus;
  corpus.add(repeat);
  corpus.add(random_text(32768 - 140 - 70, 26, 6) + repeat + random_text(1000, 26, 7));  // across a boundary
  corpus.add(random_text(5000, 26, 8) + repeat);
  corpus.add(repeat.substr(0, 99));
  corpus.add("");
  corpus.add(repeat.substr(40));
  for (const std::size_t length : {50, 100, 101, 140, 141})
    for (const unsigned threads : {1, 2, 3, 8}) expect_as_oracle(corpus, length, 2, threads);
}

TEST(FindRepeats, EqualsTheSuffixArrayOnWindowsOfThousandsOfBytes) {
  const std::string page = random_text(12'000, 26, 9);
  Corpus corpus;
  corpus.add(page);
  corpus.add(page.substr(0, 5000) + "#" + page.substr(5000));
  corpus.add(page.substr(3000) + page.substr(0, 6000));
  corpus.add(std::string(9000, 'a'));
  for (const std::size_t length : {2047, 2048, 2110, 2111, 2112, 4000})
    for (const std::uint64_t min_count : {2, 3}) expect_as_oracle(corpus, length, min_count, 2, min_count == 3);
}

TEST(FindRepeats, EqualsTheSuffixArrayWhereThousandsOfEqualWindowsAreTooFew) {
  Corpus corpus;
  corpus.add(std::string(30'000, 'a'));
  corpus.add("b" + std::string(10'000, 'a'));
  for (const std::uint64_t min_count : {4096, 4097, 8193, 20'000, 39'986, 39'987})
    expect_as_oracle(corpus, 8, min_count);
  expect_as_oracle(corpus, 8, ~std::uint64_t{0});
}

TEST(FindRepeats, GivesOnePlaceForACopyHoweverTheWorkIsCut) {
  for (const std::size_t size : {20, 3000, 3'000'000}) {
    const std::string page = random_text(size, 26, 1);
    Corpus corpus;
    corpus.add(page);
    corpus.add(page);
    const TextInMemory text(corpus.text);
    for (const unsigned threads : {1, 4}) {
      const Context context{.memory_bytes = std::uint64_t{64} << 20U, .threads = threads};
      MemoryBudget budget(context);
      TempSpace temp(context);
      const Repeats found = find_repeats({.length = 16, .places = true}, text, corpus.ends, context, budget, temp);
      std::vector<RepeatPlace> places;
      found.places->for_each_run({.threads = 1},
                                 [&](unsigned, std::size_t, const refrain::store::Run<RepeatPlace>& run) {
                                   places.insert(places.end(), run.records.begin(), run.records.end());
                                 });
      EXPECT_EQ(places, (std::vector<RepeatPlace>{{.target = 0, .begin = size, .size = size}}));
    }
  }
}

TEST(FindRepeats, DoesNotJoinRangesOfNeighbouringDocuments) {
  Corpus corpus;
  const std::string page = random_text(200, 26, 1);
  corpus.add(page);
  corpus.add(page);
  expect_as_oracle(corpus, 100, 2);
}

TEST(FindRepeats, TakesAnyBytes) {
  std::mt19937 random(3);
  std::string bytes(5000, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  Corpus corpus;
  corpus.add(bytes);
  corpus.add(std::string(500, '\0') + bytes.substr(1000, 700) + std::string(500, '\xFF'));
  expect_as_oracle(corpus, 100, 2);
}

TEST(FindRepeats, FindsNothingInNothing) {
  expect_as_oracle({}, 100, 2);
  Corpus corpus;
  corpus.add("");
  corpus.add("short");
  expect_as_oracle(corpus, 100, 2);
}

}  // namespace
}  // namespace refrain::substring
