#include "engines/ngram/index/gram_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace refrain::ngram {

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t size = 0;
  for (; size + sizeof(std::uint64_t) <= most; size += sizeof(std::uint64_t)) {
    std::uint64_t of_a = 0;
    std::uint64_t of_b = 0;
    std::memcpy(&of_a, a.data() + size, sizeof of_a);
    std::memcpy(&of_b, b.data() + size, sizeof of_b);
    if (of_a != of_b) return size + static_cast<std::size_t>(std::countr_zero(of_a ^ of_b)) / 8;
  }
  while (size < most && a[size] == b[size]) ++size;
  return size;
}

void GramRows::clear() {
  rows_.clear();
  texts_.clear();
  bytes_.clear();
  places_used_ = 0;
}

char* GramRows::begin_gram(std::uint64_t key, std::string_view text, std::size_t places) {
  const std::size_t shared = rows_.empty() ? 0 : shared_prefix(this->text(rows_.size() - 1), text);
  const std::size_t begin = bytes_.size();
  char numbers[2 * store::kMaxVarintBytes];
  bytes_.append(numbers, store::put_varint(store::put_varint(numbers, shared), text.size() - shared));
  bytes_.append(text.substr(shared));
  rows_.push_back({.key = key,
                   .text = texts_.size(),
                   .begin = begin,
                   .numbers = bytes_.size(),
                   .places = places_used_,
                   .count = 0,
                   .last_document = 0});
  texts_.append(text);
  const std::size_t room = places_used_ + places * PlaceList::kMaxBytes;
  if (places_.size() < room) places_.resize(room + room / 4);
  return places_.data() + places_used_;
}

void GramRows::end_gram(std::uint64_t count, std::uint64_t documents, DocId last_document, const char* end) {
  Row& row = rows_.back();
  row.count = count;
  row.last_document = last_document;
  places_used_ = static_cast<std::size_t>(end - places_.data());
  char numbers[3 * store::kMaxVarintBytes];
  bytes_.append(numbers, put_numbers(numbers, count, documents, places_used_ - row.places));
}

}  // namespace refrain::ngram
