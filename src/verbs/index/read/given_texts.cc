#include "verbs/index/read/given_texts.h"

#include <fmt/format.h>

#include "base/files/file.h"
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

}  // namespace refrain::verbs::index
