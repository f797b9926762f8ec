#include "verbs/evidence/cut_guard.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "corpus/formats/recognize.h"
#include "refrain/utf8.h"

namespace refrain::verbs::evidence {

bool CutGuard::is_enough() const {
  return kept_ >= corpus::kBinaryBytes;
}

std::uint64_t CutGuard::first_to_cut() const {
  std::vector<char> scratch;
  std::string left;
  const auto take = [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t missing = corpus::kBinaryBytes - left.size();
    const auto size = static_cast<std::size_t>(std::min(end - begin, missing));
    if (size != 0) left.append(text_.read(begin, size, scratch), size);
  };
  std::uint64_t at = document_->begin;
  for (const ByteRange& range : held_) {
    take(at, range.begin);
    at = range.end;
  }
  take(at, document_->end);
  const corpus::Recognized after = corpus::recognize(left, {});
  if (after.content != corpus::Recognized::Content::other) return document_->begin;
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>(document_->end - document_->begin, corpus::kBinaryBytes + 3));
  const std::string_view whole(text_.read(document_->begin, size, scratch), size);
  const corpus::Recognized before = corpus::recognize(whole.substr(0, corpus::kBinaryBytes), {});
  if (before.content == after.content && before.kind == after.kind) return document_->begin;
  return document_->begin + boundary_after(whole, std::min(corpus::kBinaryBytes, whole.size()));
}

}  // namespace refrain::verbs::evidence
