// Compares the normal form of a text, computed piecewise, with that of the whole.
#include "engines/sketch/written.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "refrain/utf8.h"

namespace refrain::sketch {
namespace {

std::string whole_form(const std::string& text) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t bytes = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &made,
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                     UTF8PROC_IGNORE));
  std::string form =
      bytes < 0 ? text : std::string(reinterpret_cast<const char*>(made), static_cast<std::size_t>(bytes));
  std::free(made);
  return form;
}

std::string folded(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return lower(c); });
  return text;
}

void append_character(std::uint32_t c, std::string& text) {
  std::array<char, 4> bytes{};
  text.append(bytes.data(), encode_utf8(c, bytes.data()));
}

bool is_character(std::uint32_t c) {
  return c < 0xD800 || c > 0xDFFF;
}

TEST(NormalForm, EveryCharacterAmongOthers) {
  for (std::uint32_t c = 1; c <= 0x1FFFF; ++c) {
    if (!is_character(c)) continue;
    for (const std::uint32_t neighbour : {0x61U, 0xE9U, 0x4E2DU, 0xAC00U, 0x304BU, 0x301U}) {
      std::string text = "x ";
      append_character(neighbour, text);
      append_character(c, text);
      append_character(neighbour, text);
      text += "B";
      ASSERT_EQ(folded(normal_form(text)), folded(whole_form(text)))
          << "U+" << std::hex << c << " beside U+" << neighbour;
    }
  }
}

TEST(NormalForm, RandomTextsHaveTheFormOfTheWhole) {
  std::mt19937 random(7);
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges = {
      {0x20, 0x7E},     {0x20, 0x7E},     {0xA0, 0x24F},     {0x300, 0x36F},   {0x400, 0x4FF},
      {0x900, 0x9FF},   {0x1100, 0x11FF}, {0x2000, 0x206F},  {0x3040, 0x30FF}, {0x4E00, 0x4E80},
      {0xAC00, 0xAC40}, {0xFF00, 0xFFEF}, {0x1D400, 0x1D4FF}};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (unsigned i = 0; i < 1 + random() % 40; ++i) {
      const auto& [first, last] = ranges[random() % ranges.size()];
      append_character(first + static_cast<std::uint32_t>(random() % (last - first + 1)), text);
    }
    ASSERT_EQ(folded(normal_form(text)), folded(whole_form(text))) << text;
  }
}

TEST(NormalForm, WhatIsNotUtf8StaysAndTheRestIsBroughtIntoForm) {
  EXPECT_EQ(normal_form("\xFF x\xC3\xA9 \xEF\xBC\x9D a\xC2\xAD"
                        "b e\xCC\x81"),
            "\xFF x\xC3\xA9 = ab \xC3\xA9");
  EXPECT_EQ(normal_form("A\xC3"), "A\xC3");
  EXPECT_EQ(normal_form(""), "");
}

}  // namespace
}  // namespace refrain::sketch
