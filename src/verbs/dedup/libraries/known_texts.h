// Reads the texts of known documents where they are and checks their digests. The files it writes are described in
// state/known_documents.h.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/library/reader.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/dedup/state/run.h"
#include "verbs/known/old_texts.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::dedup {

class KnownTexts {
 public:
  KnownTexts(DedupRun& run, Libraries& libraries);

  // Adds a document, given by its number across all libraries. Called in ascending order.
  void add(std::uint64_t known);
  std::uint64_t size() const { return size_; }
  // Reads the texts that can only be found by reading whole files, and closes the output files.
  void finish(KnownReport& report);

 private:
  // Texts of one origin whose places within their files are unknown.
  struct Sought {
    std::vector<known::WantedText> texts;
    std::vector<std::uint64_t> numbers;
    std::vector<KnownRow> rows;
  };
  using OriginKey = std::pair<std::size_t, std::pair<std::size_t, std::uint32_t>>;  // library, segment, origin

  std::uint32_t left_out_of(std::size_t library, const library::KnownDocument& known);
  void read_left_out(std::size_t library, std::size_t segment);
  void put(KnownRow& row, std::string_view text);

  DedupRun& run_;
  Libraries& libraries_;
  run::RunFile rows_;
  run::RunFile ids_;
  run::RunFile texts_;
  run::RunFile left_out_;
  std::uint64_t size_ = 0;
  std::uint64_t id_bytes_ = 0;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t gone_ = 0;
  std::map<OriginKey, Sought> sought_;
  Reservation reservation_;

  // For the segment used last: what is left out of each of its sources, and its number in left_out_.
  struct Segment {
    std::size_t library = ~std::size_t{0};
    std::size_t segment = 0;
    std::map<std::uint32_t, std::vector<std::uint64_t>> left_out;
    std::map<std::uint32_t, std::uint32_t> numbers;
  };
  Segment segment_;
  std::uint32_t left_out_count_ = 0;
};

}  // namespace refrain::verbs::dedup
