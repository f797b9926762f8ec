#include "verbs/dedup/state/places.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files/path.h"
#include "corpus/files/raw.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace {

// The archive that contains the path.
std::string archive_of(const std::filesystem::path& path) {
  for (std::filesystem::path above = path.parent_path(); !above.empty() && above != above.parent_path();
       above = above.parent_path())
    if (path_kind(above) == PathKind::file) return above.string();
  return {};
}

}  // namespace

RecordPlaces find_places(const corpus::Batch& batch, std::vector<PlaceRow>& places) {
  RecordPlaces records;
  places.resize(batch.texts.size());
  const corpus::RawBatch& raw = *batch.raw;
  if (!raw.files.empty()) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const corpus::Input* input = raw.files[i].input;
      if (batch.bad[i] == 0 && input != nullptr && input->path != "-" && input->source.empty())
        places[i].file = PlaceRow::kOwnFile;
      else if (batch.bad[i] == 0 && input != nullptr && !input->source.empty())
        records.file = archive_of(input->path);
    }
    for (PlaceRow& place : places)
      if (place.file == PlaceRow::kNowhere && !records.file.empty()) place.file = 0;
    return records;
  }
  records.first = raw.first;
  records.raw_bytes = raw.bytes.size();
  if (raw.file.input == nullptr || raw.file.input->path == "-") return records;
  const corpus::Input& input = *raw.file.input;
  records.file = input.source.empty() ? input.path : archive_of(input.path);
  records.format = input.format->id;
  const bool has_places = corpus::has_places(raw.file);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (batch.bad[i] != 0) continue;
    places[i].file = records.file.empty() ? PlaceRow::kNowhere : 0;
    if (!has_places || raw.texts[i].empty()) continue;
    places[i].begin = static_cast<std::uint64_t>(raw.texts[i].data() - raw.bytes.data());
    places[i].bytes = raw.texts[i].size();
  }
  return records;
}

PlaceWriter::PlaceWriter(DedupRun& run)
    : run_(run), rows_(run.dir.create_work("places")), reservation_(run.budget.reserve(0, "the names of the files")) {}

void PlaceWriter::place(const RecordPlaces& records, std::vector<PlaceRow>& places) {
  if (records.first) raw_begin_ = 0;
  std::uint64_t file = PlaceRow::kNowhere;
  if (!records.file.empty() && !places.empty()) {
    const auto [found, is_new] = numbers_.try_emplace(records.file, numbers_.size());
    file = found->second;
    if (is_new) {
      names_ += fmt::format("{} ", static_cast<int>(records.format));
      run::append_escaped(names_, records.file);
      names_ += '\n';
      const std::uint64_t bytes = names_.size() + 2 * names_.size() + numbers_.size() * 64;
      if (bytes > reservation_.bytes()) reservation_.resize(bytes + bytes / 2, "the names of the files");
    }
  }
  for (PlaceRow& place : places) {
    if (place.file != 0) continue;
    place.file = file;
    if (place.bytes != 0) place.begin += raw_begin_;
  }
  raw_begin_ += records.raw_bytes;
}

void PlaceWriter::close() {
  run_.dir.close(rows_);
  run::RunFile names = run_.dir.create_work("place_files");
  names.write(names_);
  run_.dir.close(names);
}

}  // namespace refrain::verbs::dedup
