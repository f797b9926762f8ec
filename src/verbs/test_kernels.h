// For the tests of the kernels: columns in every layout, and generated texts.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "random_text.h"
#include "refrain/documents.h"
#include "world.h"

namespace refrain {

using Texts = std::vector<std::optional<std::string>>;

enum class Layout { wide, narrow, slice };
inline constexpr Layout kLayouts[] = {Layout::wide, Layout::narrow, Layout::slice};
inline constexpr unsigned kThreads[] = {1, 2, 3, 8};

// Owns a column. Its buffer ends with the last text, so that a sanitizer detects reads beyond it.
class Column {
 public:
  explicit Column(const Texts& texts, Layout layout = Layout::wide) : layout_(layout), size_(texts.size()) {
    Texts all = texts;
    if (layout == Layout::slice) {
      all.insert(all.begin(), kBefore, std::optional<std::string>("what comes before the slice"));
      all.emplace_back();
    }
    validity_.assign(all.size() / 8 + 1, 0);
    wide_.push_back(0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i]) validity_[i / 8] = static_cast<std::uint8_t>(validity_[i / 8] | 1U << i % 8);
      // A null text may have bytes, too.
      const std::string text = all[i].value_or("nothing that anybody should look at, though there is enough of it");
      bytes_.insert(bytes_.end(), text.begin(), text.end());
      wide_.push_back(static_cast<std::int64_t>(bytes_.size()));
    }
    bytes_.shrink_to_fit();
    narrow_.assign(wide_.begin(), wide_.end());
  }

  TextColumn view() const {
    if (layout_ == Layout::narrow) return {bytes_.data(), narrow_.data(), size_, validity_.data()};
    if (layout_ == Layout::wide) return {bytes_.data(), wide_.data(), size_, validity_.data()};
    return TextColumn(bytes_.data(), wide_.data(), wide_.size() - 1, validity_.data()).slice(kBefore, size_);
  }

 private:
  static constexpr std::size_t kBefore = 13;
  Layout layout_;
  std::size_t size_;
  std::vector<char> bytes_;
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
  std::vector<std::uint8_t> validity_;
};

inline Context on(unsigned threads) {
  return {.memory_bytes = std::uint64_t{256} << 20, .threads = threads};
}

// Makes families of near-duplicates, and hard cases: null, empty and invalid texts, and scripts without spaces.
inline Texts hard_texts(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Words> originals;
  for (int i = 0; i < 12; ++i) originals.push_back(random_words(random, 60 + random() % 200));
  Texts texts = {"",
                 std::nullopt,
                 "too short",
                 "\xFF\xFE broken \xC3 bytes \x80 in between \xF0\x28 some words of text",
                 "敏捷的棕色狐狸跳过了懒狗然后又跳了回来",
                 "敏捷的棕色狐狸跳过了懒狗然后又跳了回去"};
  while (texts.size() < count) {
    Words words = originals[random() % originals.size()];
    for (std::size_t edits = random() % 6; edits > 0; --edits) words[random() % words.size()] = "changed";
    texts.emplace_back(join(words));
    if (random() % 10 == 0) texts.emplace_back(std::nullopt);
  }
  return texts;
}

// json_texts() returns the hard texts that JSON can represent, json_records() their lines.
inline Texts json_texts(unsigned seed, std::size_t count) {
  Texts texts = hard_texts(seed, count);
  std::erase_if(texts, [](const auto& text) { return !text || text->find('\xFF') != std::string::npos; });
  return texts;
}
inline std::vector<std::string> json_records(const Texts& texts) {
  std::vector<std::string> records;
  for (const auto& text : texts) records.push_back(json_record({{"text", *text}}));
  return records;
}

}  // namespace refrain
