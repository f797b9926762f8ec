#include "verbs/index/read/given_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/files/file.h"
#include "base/hash.h"
#include "engines/blot/blotter.h"
#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

void throw_if_packed(std::string_view text, const std::string& path) {
  if (text.starts_with("\x1f\x8b") || text.starts_with("\x28\xb5\x2f\xfd"))
    throw Error(Errc::unsupported,
                fmt::format("{}: compressed; decompress it, e.g.: zcat {} | refrain index query INDEX -", path, path));
}

}  // namespace

GivenTexts::GivenTexts(MemoryBudget& budget, const std::string& what)
    : what_(what), at_hand_(budget.reserve(0, what)), read_(budget, what) {}

void GivenTexts::add(std::string_view id, std::string_view text) {
  at_hand_.resize(at_hand_.bytes() + text.size(), what_);
  entries_.push_back({id, text});
}

void GivenTexts::read(const std::string& path, const std::stop_token& stop) {
  const auto check_size = [&](std::uint64_t bytes) {
    if (bytes > kMostBytes)
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: larger than 64 MiB; split it", path == "-" ? "standard input" : path));
  };
  InputFile file(path, stop);
  const std::size_t begin = read_.size();
  // A file whose size is known to be too large is refused before it is read.
  check_size(file.size());
  read_.reserve_more(file.size());
  std::string block(kBlockBytes, '\0');
  while (const std::size_t got = file.read(block.data(), block.size())) {
    read_.append({block.data(), got});
    check_size(read_.size() - begin);
  }
  throw_if_packed({read_.data() + begin, read_.size() - begin}, path);
  entries_.push_back({path, {}, begin, read_.size() - begin});
}

GivenTexts::Text GivenTexts::operator[](std::size_t i) const {
  const Entry& entry = entries_[i];
  if (entry.bytes == 0) return {entry.id, entry.text};
  return {entry.id, {read_.data() + entry.begin, entry.bytes}};
}

namespace {

constexpr const char* kWhat = "the excluded texts";

}  // namespace

ExcludedTexts::ExcludedTexts(const PassageLimits& limits, const IndexLayout& layout, MemoryBudget& budget,
                             const std::stop_token& stop)
    : window_(std::min(blot::blot_shape(layout).tokens, layout.window / 2 + 1)), windows_(budget, kWhat) {
  text::TokenHasher hasher(layout.tokenizer);
  // Reads one text at a time, because only its windows are kept.
  for (const std::string& text : limits.exclude) {
    GivenTexts given(budget, kWhat);
    given.add({}, text);
    add(given[0].text, hasher, budget);
  }
  for (const std::string& path : limits.exclude_files) {
    GivenTexts given(budget, kWhat);
    given.read(path, stop);
    add(given[0].text, hasher, budget);
  }
  std::sort(windows_.begin(), windows_.end());
}

void ExcludedTexts::add(std::string_view text, text::TokenHasher& hasher, MemoryBudget& budget) {
  const std::array<std::uint64_t, 2> chained{hash_, checksum(text)};
  hash_ = checksum({reinterpret_cast<const char*>(chained.data()), sizeof(chained)});
  Array<std::uint32_t> tokens(budget, kWhat);
  hasher.read(text, [&](const text::TokenStretch& stretch) {
    tokens.reserve_more(stretch.size());
    for (const std::uint64_t hash : stretch.hashes()) tokens.push_back(static_cast<std::uint32_t>(hash));
  });
  for_each_window({tokens.data(), tokens.size()}, [&](std::uint64_t window) { windows_.push_back(window); });
}

template <class Visit>
void ExcludedTexts::for_each_window(std::span<const std::uint32_t> tokens, Visit visit) const {
  constexpr std::size_t kWindowsAtATime = 4096;
  const blot::BlotShape shape{.tokens = window_, .stride = 1};
  const std::unique_ptr<const blot::BlotFunction> function = blot::make_ordered_blots();
  std::vector<std::uint64_t> wide;
  std::vector<std::uint64_t> windows;
  for (std::size_t at = 0; at + shape.span() <= tokens.size(); at += kWindowsAtATime) {
    const auto some = tokens.subspan(at, std::min(tokens.size() - at, kWindowsAtATime + shape.span() - 1));
    wide.assign(some.begin(), some.end());
    windows.resize(some.size() - shape.span() + 1);
    function->blots(wide, shape, windows.data());
    std::for_each(windows.begin(), windows.end(), visit);
  }
}

bool ExcludedTexts::hold(std::span<const std::uint32_t> tokens) const {
  std::uint64_t all = 0;
  std::uint64_t known = 0;
  for_each_window(tokens, [&](std::uint64_t window) {
    ++all;
    if (std::binary_search(windows_.begin(), windows_.end(), window)) ++known;
  });
  return all > 0 && 10 * known >= 9 * all;
}

}  // namespace refrain::verbs::index
