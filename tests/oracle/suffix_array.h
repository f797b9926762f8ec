// The oracle for repeated substrings: a suffix array, in which neighbors are compared.
#pragma once

#include <divsufsort.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "refrain/text.h"

namespace refrain::oracle {

struct Repeated {
  std::vector<ByteRange> repeated;  // bytes in a window that occurs min_count times
  std::vector<ByteRange> first;     // bytes in the earliest of equal windows
};

// Windows do not cross `ends`, the ends of the documents. Ranges that touch are merged, except at the end of a
// document.
inline Repeated repeated_ranges(std::string_view text, std::span<const std::uint64_t> ends, std::size_t length,
                                std::uint64_t min_count) {
  std::vector<std::int32_t> suffixes(text.size());
  if (!text.empty())
    divsufsort(reinterpret_cast<const std::uint8_t*>(text.data()), suffixes.data(),
               static_cast<std::int32_t>(text.size()));
  std::vector<std::uint8_t> whole(text.size(), 0);  // whether the window that begins here lies in one document
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    for (std::uint64_t at = begin; at + length <= end; ++at) whole[at] = 1;
    begin = end;
  }
  std::erase_if(suffixes, [&](std::int32_t at) { return whole[static_cast<std::size_t>(at)] == 0; });
  std::vector<std::uint8_t> repeated(text.size(), 0);
  std::vector<std::uint8_t> first(text.size(), 0);
  for (std::size_t i = 0; i < suffixes.size();) {
    std::size_t j = i + 1;
    const auto window = [&](std::size_t s) { return text.data() + suffixes[s]; };
    while (j < suffixes.size() && std::memcmp(window(i), window(j), length) == 0) ++j;
    if (j - i >= min_count) {
      for (std::size_t s = i; s < j; ++s) repeated[static_cast<std::size_t>(suffixes[s])] = 1;
      first[static_cast<std::size_t>(*std::min_element(suffixes.begin() + static_cast<std::ptrdiff_t>(i),
                                                       suffixes.begin() + static_cast<std::ptrdiff_t>(j)))] = 1;
    }
    i = j;
  }
  const auto ranges = [&](const std::vector<std::uint8_t>& starts) {
    std::vector<ByteRange> made;
    std::uint64_t from = 0;
    for (const std::uint64_t end : ends) {
      bool open = false;
      for (std::uint64_t at = from; at < end; ++at) {
        if (starts[at] == 0) continue;
        if (open && at <= made.back().end)
          made.back().end = at + length;
        else
          made.push_back({at, at + length});
        open = true;
      }
      from = end;
    }
    return made;
  };
  return {ranges(repeated), ranges(first)};
}

}  // namespace refrain::oracle
