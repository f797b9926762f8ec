// A block tree: blocks in the order of their keys, and above them nodes to find a key, all in one stream.
//
// It is written in one pass, with memory for one node per level: a node is written after the blocks (or nodes) that
// it points to as soon as it is full, so the root comes last. In stream order, the blocks are in key order; the nodes
// between them are skipped.
//
//   item    kind (1 byte: 1 block, 2 node), rows (varint), content bytes (varint), key of the first row (8 bytes),
//           content
//   node    for each of its rows, the key (8 bytes) and the place (8 bytes) of the item it points to
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/page_file.h"

namespace refrain::store {

// The location of a tree in its file, which its writer must keep.
struct BlockTreeRoot {
  std::uint64_t begin = 0;  // of the first item
  std::uint64_t end = 0;    // of the last
  std::uint64_t root = 0;   // the place of the root, if there is one
  std::uint64_t depth = 0;  // number of nodes from the root to a block; 0: there are no blocks
};

class BlockTreeWriter {
 public:
  static constexpr std::size_t kFanout = 128;

  explicit BlockTreeWriter(PageWriter& out) : out_(out), begin_(out.position()) {}

  // Adds a block. Keys must not decrease.
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
  std::vector<std::vector<Row>> levels_;  // the open node of each level, lowest level first
};

// Not thread-safe. Throws Error(corrupt) if the tree is damaged.
class BlockTreeReader {
 public:
  struct Block {
    std::uint64_t place = 0;
    std::uint64_t key = 0;
    std::uint64_t rows = 0;
    std::string_view content;  // valid until the next call
  };

  BlockTreeReader(PageReader& in, BlockTreeRoot root);

  // Makes the last block whose key is below `key` the next one, or the first block if there is none. If several
  // blocks have the same key, this is the block in which `key` may begin.
  void seek(std::uint64_t key);
  // Makes the block at `place`, taken from some Block, the next one.
  void seek_place(std::uint64_t place) { next_ = place; }
  void rewind() { next_ = root_.begin; }
  // Reads the next block; returns false after the last.
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
