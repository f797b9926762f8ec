#include "corpus/source/skipped.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "corpus/formats/batch_builder.h"

namespace refrain::corpus {

void SkippedFiles::add(SkipTotal total, SkippedFile file) {
  file.reason = shortened_reason(std::move(file.reason));
  const std::lock_guard lock(mutex_);
  if (take_) take_(file);
  if (total != nullptr) ++(totals_.*total);
  SkippedKind& kind = kinds_[file.kind];
  ++kind.files;
  BadRecord example{.path = std::move(file.path), .reason = std::move(file.reason)};
  const auto place = std::ranges::upper_bound(kind.examples, example, [](const BadRecord& a, const BadRecord& b) {
    return std::tie(a.path, a.reason) < std::tie(b.path, b.reason);
  });
  kind.examples.insert(place, std::move(example));
  if (kind.examples.size() > SkippedKind::kMaxExamples) kind.examples.pop_back();
}

void SkippedFiles::add_binary(const std::string& path, const Recognized& recognized) {
  SkippedFile file{path, "binary file", "has a NUL in its first 8 KiB; to read it anyway, give --binary"};
  if (!recognized.kind.empty()) {
    file.kind = recognized.kind;
    file.reason = recognized.advice.empty() ? "not text" : fmt::format("not text; {}", recognized.advice);
  }
  add(&ReadReport::binary_skipped, std::move(file));
}

void SkippedFiles::fill(ReadReport& report) const {
  report.hidden_skipped = totals_.hidden_skipped;
  report.binary_skipped = totals_.binary_skipped;
  report.special_skipped = totals_.special_skipped;
  for (const auto& [name, kind] : kinds_) {
    report.skipped.push_back(kind);
    report.skipped.back().kind = name;
  }
  std::ranges::stable_sort(report.skipped, std::ranges::greater(), &SkippedKind::files);
}

}  // namespace refrain::corpus
