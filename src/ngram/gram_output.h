// From groups of positions to the index: what all ways of building one end with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/temp_space.h"
#include "ngram/document_table.h"
#include "ngram/index_writer.h"

namespace refrain {

// Rising positions: in memory while they are few, then in a temporary file, a byte or two each. A few megabytes at most.
class PositionList {
 public:
  explicit PositionList(TempSpace& temp) : temp_(&temp) {}

  void add(std::uint64_t position) {
    if (recent_.size() == kRecent) put_aside();
    recent_.push_back(position);
    ++size_;
  }
  std::uint64_t size() const { return size_; }

  // Calls fn(position) for each, in order.
  template <class Fn>
  void for_each(Fn fn) const {
    for_each_aside([&](std::span<const std::uint64_t> positions) {
      for (const std::uint64_t position : positions) fn(position);
    });
    for (const std::uint64_t position : recent_) fn(position);
  }

 private:
  static constexpr std::size_t kRecent = std::size_t{1} << 17U;
  // Bytes of the file that hold kRecent positions.
  struct Frame {
    std::uint64_t offset;
    std::uint32_t bytes;
  };

  void put_aside();
  template <class Fn>
  void for_each_aside(Fn fn) const {
    std::vector<std::uint64_t> positions;
    for (const Frame& frame : frames_) {
      fetch(frame, positions);
      fn(positions);
    }
  }
  void fetch(const Frame& frame, std::vector<std::uint64_t>& positions) const;

  TempSpace* temp_;
  std::vector<std::uint64_t> recent_;
  std::optional<TempFile> file_;
  std::vector<Frame> frames_;
  std::uint64_t size_ = 0;
};

// Writes n-grams, in index order, with their positions as places. Not thread-safe.
class GramOutput {
 public:
  GramOutput(IndexWriter& writer, const DocumentTable& documents, unsigned m)
      : writer_(writer), documents_(documents), m_(m) {}

  unsigned m() const { return m_; }
  const DocumentTable& documents() const { return documents_; }
  IndexWriter& writer() { return writer_; }

  // for_each(fn) calls fn(position) for each position, rising. There are at least m.
  template <class ForEach>
  void write(std::uint64_t key, std::string_view text, ForEach for_each) {
    writer_.begin_gram(key, text);
    for_each([&](std::uint64_t position) {
      const DocumentTable::Place place = documents_.locate(position);
      writer_.add_place(place.document, place.token);
    });
    writer_.end_gram();
  }

 private:
  IndexWriter& writer_;
  const DocumentTable& documents_;
  const unsigned m_;
};

// N-grams that lie next to each other in key order, gathered until all of their positions are known. Nearly always it
// is one; but equal keys do not mean equal n-grams.
class KeyGroup {
 public:
  explicit KeyGroup(TempSpace& temp) : temp_(temp) {}

  // Where the positions of the n-gram go; valid until flush().
  PositionList& positions(std::uint64_t key, std::string_view text);
  bool empty() const { return grams_.empty(); }
  // Writes those with m positions or more, in index order, and forgets all.
  void flush(GramOutput& output);

 private:
  TempSpace& temp_;
  std::map<std::pair<std::uint64_t, std::string>, PositionList> grams_;
};

}  // namespace refrain
