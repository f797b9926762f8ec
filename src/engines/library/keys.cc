#include "engines/library/keys.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/relay.h"
#include "base/threads.h"

namespace refrain::library {

namespace {

constexpr std::size_t kHeadBytes = sizeof(std::uint64_t) + sizeof(std::uint16_t);
constexpr std::uint64_t kContentBytes = store::kPageContentBytes;
constexpr std::uint64_t kTableEntries = 64;  // first keys that are always in memory
constexpr std::uint64_t kMostIndex = 4;      // index and filter may each take this fraction of the memory
constexpr std::uint64_t kMaxBits = 32;       // bits of a document number
constexpr std::uint64_t kFirstPage = 1;      // the page before it has the magic and the version
constexpr std::size_t kPagesAtOnce = 8;      // pages that a worker encodes at a time

constexpr std::uint64_t bytes_of(std::uint64_t bits) {
  return (bits + 7) / 8;
}

std::uint64_t table_begin(std::uint64_t pages) {
  return (kFirstPage + pages) * kContentBytes;
}

// Returns the position after zero bit number `count` (from 1), or the end of the bits if there are fewer zeros.
std::uint64_t after_nth_zero(std::string_view bits, std::uint64_t count) {
  if (count == 0) return 0;
  for (std::size_t at = 0; at < bits.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t ones = 0;
    std::memcpy(&ones, bits.data() + at, std::min(sizeof ones, bits.size() - at));
    std::uint64_t zeros = ~ones;
    const auto here = static_cast<std::uint64_t>(std::popcount(zeros));
    if (here < count) {
      count -= here;
      continue;
    }
    for (; count > 1; --count) zeros &= zeros - 1;
    return at * 8 + static_cast<std::uint64_t>(std::countr_zero(zeros)) + 1;
  }
  return bits.size() * 8;
}

std::uint64_t bits_at(std::string_view bytes, std::uint64_t place, std::uint64_t count) {
  store::BitReader reader(bytes);
  reader.skip(place);
  return reader.wide(static_cast<unsigned>(count));
}

}  // namespace

KeysWriter::KeysWriter(const std::filesystem::path& folder, std::uint64_t documents, std::uint64_t keys,
                       const Context& context, TempSpace& temp)
    : context_(context),
      out_((folder / kKeysName).string(), kKeysMagic, kLibraryFormatVersion),
      filter_(folder, kKeyBits, keys),
      documents_(documents),
      document_bits_(static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(documents, 1) - 1))),
      low_bits_(kKeyBits - std::min(kKeyBits, static_cast<unsigned>(std::bit_width(keys)))),
      firsts_(temp) {
  out_.write(std::string(kContentBytes - out_.position(), '\0'));
}

bool KeysWriter::fits(const KeyEntry& first, std::uint64_t count, const KeyEntry& last) const {
  const std::uint64_t high = (last.key - first.key) >> low_bits_;
  return high <= kContentBytes * 8 &&
         kHeadBytes + bytes_of(count * low_bits_) + bytes_of(count * document_bits_) + bytes_of(count + high) <=
             kContentBytes;
}

void KeysWriter::add(std::span<const KeyEntry> entries) {
  throw_if_stopped(context_);
  keys_ += entries.size();
  std::size_t begin = 0;
  while (begin < entries.size() && (page_.empty() || fits(page_.front(), page_.size() + 1, entries[begin])))
    page_.push_back(entries[begin++]);
  if (begin == entries.size()) return;
  end_page();
  std::vector<std::size_t> begins = {begin};  // where each page begins
  for (std::size_t i = begin; i < entries.size(); ++i)
    if (!fits(entries[begins.back()], i - begins.back() + 1, entries[i])) begins.push_back(i);
  const std::size_t pages = begins.size() - 1;
  const std::size_t items = (pages + kPagesAtOnce - 1) / kPagesAtOnce;
  const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(items, 1, thread_count(context_)));
  Relay<Encoded> relay(threads);
  relay.run(
      items,
      [&](unsigned, std::size_t item, Encoded& made) {
        made = {};
        for (std::size_t p = item * kPagesAtOnce; p < std::min(pages, (item + 1) * kPagesAtOnce); ++p)
          encode(entries.subspan(begins[p], begins[p + 1] - begins[p]), made);
      },
      [&](std::size_t, const Encoded& made) { write(made); });
  page_.assign(entries.begin() + static_cast<std::ptrdiff_t>(begins.back()), entries.end());
}

void KeysWriter::encode(std::span<const KeyEntry> page, Encoded& made) const {
  const std::uint64_t first = page.front().key;
  const auto count = static_cast<std::uint16_t>(page.size());
  const std::size_t end = made.pages.size() + kContentBytes;
  made.firsts.push_back(first);
  made.pages.append(reinterpret_cast<const char*>(&first), sizeof first);
  made.pages.append(reinterpret_cast<const char*>(&count), sizeof count);
  store::BitWriter bits(made.pages);
  const std::uint64_t low_mask = (std::uint64_t{1} << low_bits_) - 1;
  for (const KeyEntry& entry : page) bits.wide((entry.key - first) & low_mask, low_bits_);
  bits.finish();
  for (const KeyEntry& entry : page) bits.wide(entry.document, document_bits_);
  bits.finish();
  std::uint64_t before = 0;
  for (const KeyEntry& entry : page) {
    const std::uint64_t high = (entry.key - first) >> low_bits_;
    bits.unary(high - before);
    before = high;
    filter_.add_to(made.filter, entry.key);
  }
  bits.finish();
  made.pages.resize(end);
}

void KeysWriter::write(const Encoded& made) {
  out_.write(made.pages);
  for (const std::uint64_t first : made.firsts) firsts_.add(first);
  filter_.add(made.filter);
}

void KeysWriter::end_page() {
  if (page_.empty()) return;
  Encoded made;
  encode(page_, made);
  write(made);
  page_.clear();
}

KeysWriter::Files KeysWriter::finish() {
  end_page();
  firsts_.write_to(out_);
  const std::uint64_t tail[] = {kKeyBits, low_bits_, document_bits_, documents_, keys_, firsts_.size()};
  const store::PageFileId keys = out_.finish({reinterpret_cast<const char*>(tail), sizeof tail});
  return {keys, filter_.finish()};
}

KeysShape::KeysShape(const store::PageReader& file)
    : low_bits(store::tail_number(file, 1)),
      document_bits(store::tail_number(file, 2)),
      documents(store::tail_number(file, 3)),
      keys(store::tail_number(file, 4)),
      pages(store::tail_number(file, 5)) {
  if (store::tail_number(file, 0) != kKeyBits || low_bits > kKeyBits || document_bits > kMaxBits ||
      documents > kMaxDocuments || pages > file.size() / kContentBytes || keys < pages || (keys > 0 && pages == 0))
    file.corrupt("keys of an unknown form");
}

KeyPage::KeyPage(std::string_view content, const KeysShape& shape, const store::PageReader& file)
    : shape_(&shape), file_(&file) {
  std::uint16_t count = 0;
  if (content.size() != kContentBytes) file.corrupt("page of keys too short");
  std::memcpy(&first_, content.data(), sizeof first_);
  std::memcpy(&count, content.data() + sizeof first_, sizeof count);
  count_ = count;
  const std::uint64_t low_bytes = bytes_of(count_ * shape.low_bits);
  const std::uint64_t document_bytes = bytes_of(count_ * shape.document_bits);
  if (count_ == 0 || kHeadBytes + low_bytes + document_bytes + bytes_of(count_) > kContentBytes)
    file.corrupt("invalid page of keys");
  lows_ = content.substr(kHeadBytes, low_bytes);
  documents_ = content.substr(kHeadBytes + low_bytes, document_bytes);
  highs_ = content.substr(kHeadBytes + low_bytes + document_bytes);
}

KeyPage::Position::Position(const KeyPage& page, std::uint64_t zeros, std::uint64_t bit)
    : page_(&page), entry_(bit - zeros), high_(zeros), highs_(page.highs_) {
  if (entry_ > page.count_) page.file_->corrupt("invalid page of keys");
  highs_.skip(bit);
  take_high();
}

void KeyPage::Position::take_high() {
  if (at_end()) return;
  high_ += highs_.zeros();
  if (!highs_.ok()) page_->file_->corrupt("invalid page of keys");
}

KeyEntry KeyPage::Position::operator*() const {
  const KeysShape& shape = *page_->shape_;
  const std::uint64_t low = bits_at(page_->lows_, entry_ * shape.low_bits, shape.low_bits);
  const std::uint64_t document = bits_at(page_->documents_, entry_ * shape.document_bits, shape.document_bits);
  if (document >= shape.documents) page_->file_->corrupt("names a document that does not exist");
  return {page_->first_ + (high_ << shape.low_bits | low), static_cast<std::uint32_t>(document)};
}

void KeyPage::Position::operator++() {
  ++entry_;
  take_high();
}

KeyPage::Position KeyPage::lower_bound(std::uint64_t key) const {
  if (key <= first_) return begin();
  const std::uint64_t zeros = (key - first_) >> shape_->low_bits;
  const std::uint64_t bit = after_nth_zero(highs_, zeros);
  // If there are fewer zeros than that, all entries are below the key.
  if (bit - std::min(bit, zeros) >= count_ || bit == highs_.size() * 8) return Position(*this, zeros, zeros + count_);
  Position at(*this, zeros, bit);
  while (!at.at_end() && (*at).key < key) ++at;
  return at;
}

KeysCursor::KeysCursor(const std::filesystem::path& folder, const store::PageFileId& id)
    : file_((folder / kKeysName).string(), kKeysMagic, kLibraryFormatVersion), shape_(file_) {
  store::check_file_id(file_, id);
}

bool KeysCursor::next(KeyEntry& entry) {
  if (at_) ++*at_;
  if (!at_ || at_->at_end()) {
    if (page_ == shape_.pages) return false;
    content_.emplace(file_.rest_of_page((kFirstPage + page_) * kContentBytes), shape_, file_);
    at_.emplace(content_->begin());
    ++page_;
  }
  entry = **at_;
  return true;
}

KeysReader::Index::Index(MemoryBudget& budget, const std::filesystem::path& folder, const store::PageFileId& filter_id,
                         const KeysShape& shape, store::NumbersReader& table) {
  const std::uint64_t room = std::max(budget.available() / kMostIndex / sizeof(std::uint64_t), kTableEntries);
  step = shape.pages / room + 1;
  const std::uint64_t count = (shape.pages + step - 1) / step;
  memory = budget.reserve(count * sizeof(std::uint64_t), "the index of the library's keys");
  firsts.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) firsts.push_back(table[i * step]);
  if (filter_id.bytes <= budget.available() / kMostIndex) filter.emplace(folder, filter_id, kKeyBits, budget);
}

KeysReader::KeysReader(const std::filesystem::path& folder, const store::PageFileId& keys,
                       const store::PageFileId& filter, MemoryBudget& budget)
    : file_((folder / kKeysName).string(), kKeysMagic, kLibraryFormatVersion),
      shape_(file_),
      firsts_(file_, table_begin(shape_.pages), shape_.pages) {
  store::check_file_id(file_, keys);
  index_ = std::make_shared<const Index>(budget, folder, filter, shape_, firsts_);
}

KeysReader::KeysReader(const KeysReader& other)
    : file_(other.file_), shape_(other.shape_), firsts_(other.firsts_), index_(other.index_) {}

std::uint64_t KeysReader::first_key(std::uint64_t page) {
  return page % index_->step == 0 ? index_->firsts[page / index_->step] : firsts_[page];
}

std::uint64_t KeysReader::page_of(std::uint64_t key) {
  const std::vector<std::uint64_t>& firsts = index_->firsts;
  // Usually the key is a short way after the previous one, so the search starts there.
  std::uint64_t low = firsts[last_] < key ? last_ : 0;
  std::uint64_t high = low + 1;
  for (std::uint64_t stride = 1; high < firsts.size() && firsts[high] < key; stride *= 2) {
    low = high;
    high += stride;
  }
  const std::uint64_t* const begin = firsts.data();
  const std::uint64_t* const end = begin + std::min<std::uint64_t>(high, firsts.size());
  last_ = static_cast<std::uint64_t>(std::lower_bound(begin + low + 1, end, key) - begin) - 1;
  // The table on disk narrows the search down between two keys in memory.
  std::uint64_t page = last_ * index_->step;
  std::uint64_t behind = std::min(page + index_->step, shape_.pages);
  while (behind - page > 1) {
    const std::uint64_t middle = page + (behind - page) / 2;
    (first_key(middle) < key ? page : behind) = middle;
  }
  return page;
}

const KeyPage& KeysReader::load(std::uint64_t page) {
  if (!content_ || loaded_ != page) {
    content_.reset();
    content_.emplace(file_.rest_of_page((kFirstPage + page) * kContentBytes), shape_, file_);
    loaded_ = page;
  }
  return *content_;
}

}  // namespace refrain::library
