// Consecutive documents of a run, with what a library needs to find them: digests, signatures and bands.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/files/file.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/run.h"

namespace refrain::verbs::dedup {

// A range of documents with the values by which they are looked up.
class SketchBlock {
 public:
  explicit SketchBlock(DedupRun& run)
      : heads_(run.dir.work("heads")), states_(run.dir.work("states")), digests_(run.dir.work("hashes")) {
    if (run.near == nullptr) return;
    for (const SketchColumn& column : run.near->columns()) {
      sketches_.push_back(std::make_unique<const RandomFile>(run.sketches(column.name)));
      widths_.push_back(column.width);
    }
  }

  void read(DocId first, std::size_t count) {
    first_ = first;
    heads.resize(count);
    states.resize(count);
    digests.resize(count);
    read_values(heads_, first, std::span(heads));
    read_values(states_, first, std::span(states));
    read_values(digests_, first, std::span(digests));
    columns_.resize(sketches_.size());
    for (std::size_t c = 0; c < sketches_.size(); ++c) {
      columns_[c].resize(count * widths_[c]);
      read_values(*sketches_[c], first * widths_[c], std::span(columns_[c]));
    }
  }
  std::size_t size() const { return heads.size(); }
  // Whether the document is looked up: it is the first with its text.
  bool asks(std::size_t i) const { return heads[i] == first_ + i && states[i] != DocState::bad; }
  bool judged(std::size_t i) const { return !columns_.empty() && states[i] == DocState::judged; }
  std::span<const std::uint8_t> signature(std::size_t i) const {
    return std::span<const std::uint8_t>(columns_[0]).subspan(i * widths_[0], widths_[0]);
  }
  void bands(std::size_t i, std::vector<std::uint32_t>& keys) const {
    keys.resize(columns_.size() - 1);
    for (std::size_t c = 1; c < columns_.size(); ++c)
      std::memcpy(&keys[c - 1], columns_[c].data() + i * sizeof(std::uint32_t), sizeof(std::uint32_t));
  }

  std::vector<DocId> heads;
  std::vector<DocState> states;
  std::vector<Digest> digests;

 private:
  template <class T>
  static void read_values(const RandomFile& file, DocId first, std::span<T> values) {
    file.read(first * sizeof(T), {reinterpret_cast<char*>(values.data()), values.size_bytes()});
  }

  const RandomFile heads_;
  const RandomFile states_;
  const RandomFile digests_;
  std::vector<std::unique_ptr<const RandomFile>> sketches_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::uint8_t>> columns_;
  DocId first_ = 0;
};

}  // namespace refrain::verbs::dedup
