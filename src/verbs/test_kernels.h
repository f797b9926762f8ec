// For the tests of the kernels: columns in every layout, and made-up texts.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "refrain/documents.h"

namespace refrain {

using Texts = std::vector<std::optional<std::string>>;

enum class Layout { wide, narrow, slice };
inline constexpr Layout kLayouts[] = {Layout::wide, Layout::narrow, Layout::slice};
inline constexpr unsigned kThreads[] = {1, 2, 3, 8};

// Owns a column. Its memory ends with the last text, so that a sanitizer sees who reads on.
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
      // What is null may have bytes too.
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

inline std::vector<std::string> random_words(std::mt19937_64& random, std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) words.push_back("w" + std::to_string(random() % 100000));
  return words;
}

inline std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Families of near duplicates, and what is hard: nulls, nothing, invalid UTF-8, scripts without spaces.
inline Texts hard_texts(unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::string>> originals;
  for (int i = 0; i < 12; ++i) originals.push_back(random_words(random, 60 + random() % 200));
  Texts texts = {"",
                 std::nullopt,
                 "too short",
                 "\xFF\xFE broken \xC3 bytes \x80 in between \xF0\x28 some words of text",
                 "敏捷的棕色狐狸跳过了懒狗然后又跳了回来",
                 "敏捷的棕色狐狸跳过了懒狗然后又跳了回去"};
  while (texts.size() < count) {
    std::vector<std::string> words = originals[random() % originals.size()];
    for (std::size_t edits = random() % 6; edits > 0; --edits) words[random() % words.size()] = "changed";
    texts.emplace_back(join(words));
    if (random() % 10 == 0) texts.emplace_back(std::nullopt);
  }
  return texts;
}

}  // namespace refrain
