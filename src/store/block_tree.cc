#include "store/block_tree.h"

#include <algorithm>
#include <cstring>

namespace refrain::store {

namespace {

constexpr char kBlock = 1;
constexpr char kNode = 2;
constexpr std::size_t kRowBytes = 16;
constexpr std::uint64_t kMaxDepth = 16;
constexpr std::uint64_t kMaxHeadBytes = 1 + 2 * kMaxVarintBytes + 8;

void append_number(std::string& out, std::uint64_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::uint64_t load_number(const char* at) {
  std::uint64_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

std::uint64_t BlockTreeWriter::write_item(char kind, std::uint64_t key, std::uint64_t rows, std::string_view content) {
  const std::uint64_t place = out_.position();
  std::string head(1, kind);
  append_varint(head, rows);
  append_varint(head, content.size());
  append_number(head, key);
  out_.write(head);
  out_.write(content);
  return place;
}

void BlockTreeWriter::add(std::uint64_t key, std::uint64_t rows, std::string_view content) {
  add_row(0, {key, write_item(kBlock, key, rows, content)});
}

void BlockTreeWriter::add_row(std::size_t level, Row row) {
  if (level == levels_.size()) levels_.emplace_back();
  levels_[level].push_back(row);
  if (levels_[level].size() == kFanout) end_node(level);
}

void BlockTreeWriter::end_node(std::size_t level) {
  const std::vector<Row> rows = std::move(levels_[level]);
  levels_[level].clear();
  std::string content;
  for (const Row& row : rows) {
    append_number(content, row.key);
    append_number(content, row.place);
  }
  const std::uint64_t key = rows.front().key;
  add_row(level + 1, {key, write_item(kNode, key, rows.size(), content)});
}

BlockTreeRoot BlockTreeWriter::finish() {
  BlockTreeRoot root{.begin = begin_, .end = begin_, .root = 0, .depth = 0};
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const bool top = level + 1 == levels_.size();
    if (top && level > 0 && levels_[level].size() == 1) {
      root.root = levels_[level].front().place;
      root.depth = level;
    } else if (!levels_[level].empty()) {
      end_node(level);
    }
  }
  root.end = out_.position();
  return root;
}

BlockTreeReader::BlockTreeReader(PageReader& in, BlockTreeRoot root) : in_(in), root_(root), next_(root.begin) {
  const bool empty = root_.depth == 0;
  if (root_.begin < PageReader::kBegin || root_.begin > root_.end || root_.end > in_.size() ||
      root_.depth > kMaxDepth || empty != (root_.begin == root_.end))
    in_.corrupt("block offsets differ from the footer");
}

BlockTreeReader::Item BlockTreeReader::read_item(std::uint64_t place) {
  if (place < root_.begin || place >= root_.end) in_.corrupt("block out of range");
  const std::string_view head = in_.read(place, std::min(kMaxHeadBytes, root_.end - place), head_);
  const char* at = head.data();
  const char* const end = at + head.size();
  Item item{.kind = *at++, .block = {}, .end = 0};
  std::uint64_t bytes = 0;
  if ((item.kind != kBlock && item.kind != kNode) || !get_varint(at, end, item.block.rows) ||
      !get_varint(at, end, bytes) || end - at < 8 || item.block.rows == 0)
    in_.corrupt("block without a header");
  item.block.place = place;
  item.block.key = load_number(at);
  const std::uint64_t begin = place + static_cast<std::uint64_t>(at + 8 - head.data());
  if (begin > root_.end || bytes > root_.end - begin) in_.corrupt("block runs past its end");
  if (item.kind == kNode && (item.block.rows > BlockTreeWriter::kFanout || bytes != item.block.rows * kRowBytes))
    in_.corrupt("node has the wrong size");
  item.block.content = in_.read(begin, bytes, content_);
  item.end = begin + bytes;
  return item;
}

void BlockTreeReader::seek(std::uint64_t key) {
  next_ = root_.begin;
  std::uint64_t place = root_.root;
  for (std::uint64_t level = 0; level < root_.depth; ++level) {
    const Item item = read_item(place);
    if (item.kind != kNode) in_.corrupt("node missing");
    const char* rows = item.block.content.data();
    // A binary search for the last row below the key, or the first row if there is none.
    std::uint64_t low = 0;
    std::uint64_t high = item.block.rows;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (load_number(rows + middle * kRowBytes) < key ? low : high) = middle;
    }
    const std::uint64_t child = load_number(rows + low * kRowBytes + 8);
    // A node points only to items that were written before it, so no path can be a cycle.
    if (child >= place) in_.corrupt("node points forward");
    place = child;
  }
  if (root_.depth > 0) next_ = place;
}

bool BlockTreeReader::next(Block& block) {
  while (next_ < root_.end) {
    const Item item = read_item(next_);
    next_ = item.end;
    if (item.kind == kNode) continue;
    block = item.block;
    return true;
  }
  return false;
}

}  // namespace refrain::store
