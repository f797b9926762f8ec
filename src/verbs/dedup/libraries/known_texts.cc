#include "verbs/dedup/libraries/known_texts.h"

#include <optional>
#include <span>
#include <string>

namespace refrain::verbs::dedup {

namespace {

constexpr const char* kSoughtTexts = "the known documents";

}  // namespace

KnownTexts::KnownTexts(DedupRun& run, Libraries& libraries)
    : run_(run),
      libraries_(libraries),
      rows_(run.dir.create_work("known_documents")),
      ids_(run.dir.create_work("known_ids")),
      texts_(run.dir.create_work("known_text")),
      left_out_(run.dir.create_work("known_left_out")),
      reservation_(run.budget.reserve(0, kSoughtTexts)) {}

void KnownTexts::add(std::uint64_t known) {
  const std::size_t library = libraries_.library_of(known);
  library::Reader& reader = libraries_[library];
  const library::KnownId document = known - libraries_.begin(library);
  library::KnownDocument about;
  reader.get(document, about);
  const std::string id = reader.id(document);
  const std::uint64_t number = size_++;
  KnownRow row{.library = static_cast<std::uint32_t>(library), .left_out = left_out_of(library, about)};
  row.id = {id_bytes_, id_bytes_ + id.size()};
  ids_.write(id);
  id_bytes_ += id.size();
  row.digest = about.digest;
  if (const std::optional<std::string> text = known::text_at_place(reader, about, run_.budget, bytes_read_)) {
    put(row, *text);
  } else if (about.place.bytes == 0 && about.place.file != library::kNoFile) {
    const library::TextFile& file = reader.file(about.segment, about.place.file);
    Sought& sought = sought_[{library, {about.segment, file.origin}}];
    sought.texts.push_back({.path = file.path.empty() ? id : file.path, .digest = about.digest});
    sought.numbers.push_back(number);
    sought.rows.push_back(row);
    reservation_.resize(reservation_.bytes() + sizeof(KnownRow) + 64 + 2 * sought.texts.back().path.size(),
                        kSoughtTexts);
    return;
  } else {
    ++gone_;
  }
  rows_.write_values_at(number, std::span<const KnownRow>(&row, 1));
}

// The number of the windows left out of the document; 0 if there are none.
std::uint32_t KnownTexts::left_out_of(std::size_t library, const library::KnownDocument& known) {
  if (segment_.library != library || segment_.segment != known.segment) read_left_out(library, known.segment);
  const auto windows = segment_.left_out.find(known.source);
  if (windows == segment_.left_out.end()) return 0;
  const auto [number, is_new] = segment_.numbers.try_emplace(known.source, left_out_count_ + 1);
  if (is_new) {
    ++left_out_count_;
    const std::uint64_t count = windows->second.size();
    left_out_.write_values(std::span<const std::uint64_t>(&count, 1));
    left_out_.write_values(std::span<const std::uint64_t>(windows->second));
  }
  return number->second;
}

void KnownTexts::read_left_out(std::size_t library, std::size_t segment) {
  segment_ = {.library = library, .segment = segment, .left_out = {}, .numbers = {}};
  if (run_.near == nullptr) return;
  libraries_[library].for_each_source(segment, [&](std::uint32_t number, const library::Source& source) {
    if (!source.left_out.empty()) segment_.left_out.emplace(number, source.left_out);
  });
}

void KnownTexts::put(KnownRow& row, std::string_view text) {
  row.there = 1;
  row.text = {text_bytes_, text_bytes_ + text.size()};
  texts_.write(text);
  text_bytes_ += text.size();
}

void KnownTexts::finish(KnownReport& report) {
  for (auto& [key, sought] : sought_) {
    const auto& [library, place] = key;
    const auto& [segment, origin] = place;
    bytes_read_ += known::find_in_files(
        sought.texts, known::parse_origin_input(libraries_[library].origin(segment, origin).input), run_.context,
        run_.budget, [&, &rows = sought.rows](std::size_t i, std::string_view text) { put(rows[i], text); });
    for (std::size_t i = 0; i < sought.rows.size(); ++i) {
      gone_ += sought.rows[i].there == 0 ? 1 : 0;
      rows_.write_values_at(sought.numbers[i], std::span<const KnownRow>(&sought.rows[i], 1));
    }
  }
  for (run::RunFile* file : {&rows_, &ids_, &texts_, &left_out_}) run_.dir.close(*file);
  report.candidates = size_ - gone_;
  report.bytes_read = bytes_read_;
  report.gone = gone_;
}

}  // namespace refrain::verbs::dedup
