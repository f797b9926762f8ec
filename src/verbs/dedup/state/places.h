// Records where the texts of a run's documents are in its input, for the library, by which later runs read them
// again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "corpus/formats/batch.h"
#include "refrain/input.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::dedup {

// Where the text of a document is.
struct PlaceRow {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  static constexpr std::uint64_t kOwnFile = kNowhere - 1;  // in the file that the id names
  std::uint64_t file = kNowhere;                           // index of a line of place_files
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  // 0: the file must be read from its beginning to find it
};

// The places of one batch have this in common.
struct RecordPlaces {
  std::string file;  // the file of records or the archive; empty: whole files, or input that cannot be read again
  Format format = Format::files;
  bool first = false;           // the batch is the first of its file
  std::uint64_t raw_bytes = 0;  // size of the raw bytes that the batch was read from
};

// Finds the places of a batch that has its raw bytes. The offsets of records count from the beginning of the batch.
RecordPlaces find_places(const corpus::Batch& batch, std::vector<PlaceRow>& places);

class PlaceWriter {
 public:
  explicit PlaceWriter(DedupRun& run);
  // Called in input order. Turns the offsets of a batch into offsets in its file.
  void place(const RecordPlaces& records, std::vector<PlaceRow>& places);
  // Called after place(), by many threads at once.
  void write(DocId first, std::span<const PlaceRow> places) { rows_.write_values_at(first, places); }
  void close();

 private:
  DedupRun& run_;
  run::RunFile rows_;
  std::string names_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
  Reservation reservation_;
  std::uint64_t raw_begin_ = 0;  // offset of the next batch in its file
};

}  // namespace refrain::verbs::dedup
