// A block tree: blocks in the order of their keys, and above them nodes by which a key is found, all in one stream.
//
// It is written as it comes, with memory for one node a level: a node is written behind the blocks (or nodes) that it
// points to as soon as it is full, so the root comes last. Read in the order of the stream the blocks come in key
// order; nodes in between are passed over.
//
//   item    kind (1 byte: 1 block, 2 node), rows (varint), content bytes (varint), key of the first row (8 bytes),
//           content
//   node    for each of its rows the key (8 bytes) and the place (8 bytes) of what it points to
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/page_file.h"

namespace refrain::store {

// Where a tree is to be found: kept by whoever wrote it.
struct BlockTreeRoot {
  std::uint64_t begin = 0;  // of the first item
  std::uint64_t end = 0;    // of the last
  std::uint64_t root = 0;   // the place of the root, where there is one
  std::uint64_t depth = 0;  // nodes from the root to a block; 0: there are no blocks
};

class BlockTreeWriter {
 public:
  static constexpr std::size_t kFanout = 128;

  explicit BlockTreeWriter(PageWriter& out) : out_(out), begin_(out.position()) {}

  // Keys never fall.
  void add(std::uint64_t key, std::uint64_t rows, std::string_view content);
  BlockTreeRoot finish();

 private:
  struct Row {
    std::uint64_t key;
    std::uint64_t place;
  };
  std::uint64_t write_item(char kind, std::uint64_t key, std::uint64_t rows, std::string_view content);
  void add_row(std::size_t level, Row row);
  void end_node(std::size_t level);

  PageWriter& out_;
  std::uint64_t begin_;
  std::vector<std::vector<Row>> levels_;  // the open node of each level, the lowest first
};

// Not thread-safe. What is wrong with the tree is Error(corrupt).
class BlockTreeReader {
 public:
  struct Block {
    std::uint64_t place = 0;
    std::uint64_t key = 0;
    std::uint64_t rows = 0;
    std::string_view content;  // valid until the next call
  };

  BlockTreeReader(PageReader& in, BlockTreeRoot root);

  // The next block is the last one whose key is below `key`, or the first of all. With keys that occur in several
  // blocks this is the one in which `key` may begin.
  void seek(std::uint64_t key);
  // The next block is the one at `place`, as some Block told.
  void seek_place(std::uint64_t place) { next_ = place; }
  void rewind() { next_ = root_.begin; }
  // The next block; false behind the last.
  bool next(Block& block);

 private:
  struct Item {
    char kind;
    Block block;
    std::uint64_t end;
  };
  Item read_item(std::uint64_t place);

  PageReader& in_;
  BlockTreeRoot root_;
  std::uint64_t next_;
  std::string head_;
  std::string content_;
};

}  // namespace refrain::store
