#include "store/segments/numbers.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace refrain::store {

namespace {

constexpr std::size_t kMaxNumbersInMemory = 8192;

std::string_view bytes_of(std::span<const std::uint64_t> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

void NumbersWriter::add(std::uint64_t number) {
  if (numbers_.size() == kMaxNumbersInMemory) spill();
  numbers_.push_back(number);
  ++size_;
}

void NumbersWriter::spill() {
  if (!file_) file_.emplace(*temp_);
  file_->append(bytes_of(numbers_));
  numbers_.clear();
}

void NumbersWriter::write_to(PageWriter& out) {
  const std::uint64_t spilled = file_ ? file_->size() : 0;
  std::vector<char> buffer(std::min<std::uint64_t>(spilled, kMaxNumbersInMemory * sizeof(std::uint64_t)));
  for (std::uint64_t at = 0; at < spilled; at += buffer.size()) {
    file_->read(at, buffer);
    out.write({buffer.data(), buffer.size()});
  }
  out.write(bytes_of(numbers_));
}

NumbersReader::NumbersReader(const PageReader& file, std::uint64_t begin, std::uint64_t size)
    : file_(file), begin_(begin), size_(size) {
  if (begin > file.size() || size != (file.size() - begin) / sizeof(std::uint64_t) ||
      (file.size() - begin) % sizeof(std::uint64_t) != 0)
    file.corrupt("table out of place");
}

std::uint64_t NumbersReader::operator[](std::uint64_t i) {
  if (i >= size_) file_.corrupt("number past the end of a table");
  std::uint64_t number = 0;
  const std::uint64_t at = begin_ + i * sizeof number;
  const std::string_view rest = file_.rest_of_page(at);
  const std::size_t here = std::min(rest.size(), sizeof number);
  auto* const to = reinterpret_cast<char*>(&number);
  std::memcpy(to, rest.data(), here);
  if (here < sizeof number) std::memcpy(to + here, file_.rest_of_page(at + here).data(), sizeof number - here);
  return number;
}

NumbersReader::Range NumbersReader::range(std::uint64_t i) {
  const std::uint64_t begin = (*this)[i];
  const std::uint64_t end = (*this)[i + 1];
  if (begin > end || end > begin_) file_.corrupt("place out of bounds");
  return {begin, end - begin};
}

std::uint64_t tail_number(const PageReader& file, std::size_t i) {
  std::uint64_t number = 0;
  std::memcpy(&number, file.tail().data() + i * sizeof number, sizeof number);
  return number;
}

void check_file_id(const PageReader& file, const PageFileId& id) {
  if (file.id() != id) file.corrupt("not the file named in the manifest");
}

}  // namespace refrain::store
