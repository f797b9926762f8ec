#include "verbs/dedup/state/ranks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "refrain/error.h"

namespace refrain::verbs::dedup {

namespace {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Reads from `least` to `most` digits of a date from the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  int value = 0;
  while (count < most && count < text.size() && text[count] >= '0' && text[count] <= '9')
    value = value * 10 + (text[count++] - '0');
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Seconds since 1970 of "2024", "2024-05", "2024-05-01", "2024-05-01T10:00:00.5Z", "2024-05-01 10:00+02:00".
std::optional<double> date(std::string_view text) {
  const auto year = take_digits(text, 4, 4);
  if (!year) return std::nullopt;
  std::optional<int> month = 1;
  std::optional<int> day = 1;
  if (take(text, "-/")) {
    month = take_digits(text, 1, 2);
    if (month && take(text, "-/")) day = take_digits(text, 1, 2);
  }
  if (!month || !day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return std::nullopt;
  // A day that the month does not have counts into the next month.
  const std::chrono::sys_days days = std::chrono::year(*year) / *month / *day;
  double seconds = std::chrono::duration<double>(days.time_since_epoch()).count();
  if (take(text, "Tt ")) {
    const auto hour = take_digits(text, 2, 2);
    const auto minute = hour && take(text, ":") ? take_digits(text, 2, 2) : std::nullopt;
    if (!minute) return std::nullopt;
    seconds += 3600.0 * *hour + 60.0 * *minute;
    if (take(text, ":")) {
      const auto second = take_digits(text, 2, 2);
      if (!second) return std::nullopt;
      seconds += *second;
      if (take(text, ".,")) {
        double unit = 0.1;
        for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), unit /= 10)
          seconds += unit * (text.front() - '0');
      }
    }
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
      const double sign = text.front() == '+' ? -1 : 1;
      text.remove_prefix(1);
      const auto hours = take_digits(text, 2, 2);
      take(text, ":");
      const auto minutes = text.empty() ? std::optional<int>(0) : take_digits(text, 2, 2);
      if (!hours || !minutes) return std::nullopt;
      seconds += sign * (3600.0 * *hours + 60.0 * *minutes);
    } else {
      take(text, "Zz");
    }
  }
  return text.empty() ? std::optional(seconds) : std::nullopt;
}

// Maps a number to an integer that increases with it.
std::uint64_t ordered(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
  return bits >> 63U != 0 ? ~bits : bits | std::uint64_t{1} << 63U;
}

}  // namespace

KeepRanker::KeepRanker(const KeepPolicy& policy) : rank_(policy.rank) {
  for (const std::string& source : policy.sources) sources_.try_emplace(source, sources_.size());
}

std::uint64_t KeepRanker::key(std::uint64_t text_bytes, const std::string& source, std::string_view field,
                              bool number) const {
  switch (rank_) {
    case Rank::first:
      return 0;
    case Rank::longest:
      return kLastKey - 1 - text_bytes;
    case Rank::shortest:
      return text_bytes;
    case Rank::source: {
      const auto found = sources_.find(source);
      return found == sources_.end() ? kLastKey : found->second;
    }
    case Rank::newest:
    case Rank::greatest:
    case Rank::least: {
      std::optional<double> value = parse_number(field);
      if (rank_ == Rank::newest && !number)
        if (const std::optional<double> moment = date(field)) value = moment;
      if (!value) return kLastKey;
      return rank_ == Rank::least ? ordered(*value) : ~ordered(*value);
    }
  }
  return kLastKey;
}

}  // namespace refrain::verbs::dedup

namespace refrain {

namespace {

struct Named {
  std::string_view name;
  Rank rank;
};
constexpr Named kPlain[] = {{"first", Rank::first}, {"longest", Rank::longest}, {"shortest", Rank::shortest}};
constexpr Named kWithField[] = {{"newest", Rank::newest}, {"max", Rank::greatest}, {"min", Rank::least}};

}  // namespace

KeepPolicy parse_keep_policy(std::string_view text) {
  for (const Named& plain : kPlain)
    if (text == plain.name) return {.rank = plain.rank};
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  for (const Named& one : kWithField)
    if (name == one.name && !rest.empty()) return {.rank = one.rank, .field = std::string(rest)};
  if (name == "source" && !rest.empty()) {
    KeepPolicy policy{.rank = Rank::source};
    for (std::size_t begin = 0; begin <= rest.size();) {
      const std::size_t end = std::min(rest.find(',', begin), rest.size());
      policy.sources.emplace_back(rest.substr(begin, end - begin));
      begin = end + 1;
    }
    return policy;
  }
  throw Error(Errc::invalid_argument, fmt::format("`keep` {}: unknown policy; use first, longest, shortest, "
                                                  "newest:FIELD, max:FIELD, min:FIELD or source:A,B,...",
                                                  text));
}

std::string to_string(const KeepPolicy& policy) {
  for (const Named& plain : kPlain)
    if (policy.rank == plain.rank) return std::string(plain.name);
  for (const Named& one : kWithField)
    if (policy.rank == one.rank) return fmt::format("{}:{}", one.name, policy.field);
  return fmt::format("source:{}", fmt::join(policy.sources, ","));
}

}  // namespace refrain

namespace refrain::verbs::dedup {

Ranks::Ranks(MemoryBudget& budget, std::uint64_t documents, std::span<const DocId> first)
    : size_(documents), documents_(budget, "the ranks"), ranks_(budget, "the ranks") {
  if (first.empty()) return;
  documents_.resize(documents);
  std::iota(documents_.begin(), documents_.end(), DocId{0});
  rank_all(first);
}

Ranks::Ranks(MemoryBudget& budget, const Array<std::uint64_t>& keys, std::span<const DocId> first)
    : size_(keys.size()), documents_(budget, "the ranks", keys.size()), ranks_(budget, "the ranks") {
  std::iota(documents_.begin(), documents_.end(), DocId{0});
  std::sort(documents_.begin(), documents_.end(),
            [&](DocId a, DocId b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  rank_all(first);
}

// Moves the documents in `first` to the front, and sets the rank of each document.
void Ranks::rank_all(std::span<const DocId> first) {
  ranks_.resize(size_);
  if (!first.empty()) {
    // From the last document to the first, the others move back to make room.
    std::uint64_t to = size_;
    std::uint64_t moved = first.size();
    std::vector<DocId> front(first.size());
    for (std::uint64_t from = size_; from-- > 0;) {
      if (std::ranges::binary_search(first, documents_[from]))
        front[--moved] = documents_[from];
      else
        documents_[--to] = documents_[from];
    }
    std::ranges::copy(front, documents_.begin());
  }
  for (std::uint64_t rank = 0; rank < size_; ++rank) ranks_[documents_[rank]] = rank;
}

}  // namespace refrain::verbs::dedup
