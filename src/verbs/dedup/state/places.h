// Where the texts of a run's documents lie in its input: for the library, by which later runs read them again.
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

// Where a text lies.
struct PlaceRow {
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  static constexpr std::uint64_t kOwnFile = kNowhere - 1;  // in the file that its id names
  std::uint64_t file = kNowhere;                           // a line of place_files
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;  // 0: the file must be read from its beginning to find it
};

// What the documents of a batch have in common.
struct RecordPlaces {
  std::string file;  // of records; empty: whole files, or none that could be read again
  Format format = Format::files;
  bool first = false;           // of the file
  std::uint64_t raw_bytes = 0;  // of it that the batch was read from
};

// Of a batch with its raw bytes. Places of records are counted from where the batch begins.
RecordPlaces find_places(const corpus::Batch& batch, std::vector<PlaceRow>& places);

class PlaceWriter {
 public:
  explicit PlaceWriter(DedupRun& run);
  // In input order: from here on the places are those in the file.
  void place(const RecordPlaces& records, std::vector<PlaceRow>& places);
  // After that, by many threads at a time.
  void write(DocId first, std::span<const PlaceRow> places) { rows_.write_values_at(first, places); }
  void close();

 private:
  DedupRun& run_;
  run::RunFile rows_;
  std::string names_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
  Reservation reservation_;
  std::uint64_t raw_begin_ = 0;  // of the next batch, in its file
};

}  // namespace refrain::verbs::dedup
