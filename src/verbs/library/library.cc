#include "refrain/library.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/library/folder.h"
#include "engines/library/format.h"
#include "engines/library/reader.h"
#include "engines/library/segment.h"
#include "refrain/error.h"
#include "verbs/known/take_up.h"
#include "verbs/known/text_records.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

// Whether the error means damage. A file that merely cannot be opened or read at the moment is not damaged.
bool is_library_damage(const Error& error) {
  return error.code() == Errc::corrupt || error.code() == Errc::unsupported;
}

std::uint64_t live_documents(const library::Manifest& manifest) {
  std::uint64_t documents = 0;
  for (const library::SegmentInfo& segment : manifest.segments) documents += segment.documents - segment.removed;
  return documents;
}

std::uint64_t segment_bytes(const library::SegmentInfo& segment) {
  std::uint64_t bytes = segment.removed > 0 ? segment.removed_file.bytes : 0;
  for (const store::PageFileId& file : segment.files) bytes += file.bytes;
  return bytes;
}

// Describes the damage in a file of texts.
std::vector<std::string> damages_of_texts(const fs::path& file, const Context& context, MemoryBudget& budget) {
  std::vector<std::string> damages;
  verbs::known::TextRecords records(file, budget);
  verbs::known::TextRecords::Record record;
  while (records.next_line(record) != verbs::known::TextRecords::Line::end) throw_if_stopped(context);
  for (const verbs::known::TextRecords::Damage& damage : records.damages())
    damages.push_back(verbs::known::damage_text(file, damage));
  return damages;
}

// A set of requested names, which records which of them were found.
class RequestedNames {
 public:
  explicit RequestedNames(const std::vector<std::string>& names) {
    for (const std::string& name : names) found_.emplace(name, false);
  }
  bool take(std::string_view name) {
    const auto at = found_.find(name);
    if (at == found_.end()) return false;
    at->second = true;
    return true;
  }
  // Returns the names that were not found, each once, in the order of the request.
  std::vector<std::string> missing(const std::vector<std::string>& names) {
    std::vector<std::string> missing;
    for (const std::string& name : names)
      if (!std::exchange(found_.at(name), true)) missing.push_back(name);
    return missing;
  }

 private:
  std::map<std::string_view, bool> found_;  // ordered: documents supply the names and could make hashes collide
};

// Makes one change of a library and its report.
class LibraryChange {
 public:
  LibraryChange(const fs::path& folder, const Context& context)
      : folder_(folder), context_(context), budget_(context), temp_(context), writing_(folder) {
    report_.memory_bytes = budget_.ceiling();
    verbs::known::commit_waiting_texts(writing_, folder_, context_, budget_, temp_);
  }

  LibraryWriteReport merge() {
    const std::vector<library::SegmentInfo>& segments = writing_.manifest().segments;
    for (const library::SegmentInfo& segment : segments) report_.removed += segment.removed;
    if (segments.size() > 1 || report_.removed > 0) {
      report_.merged_segments = segments.size();
      writing_.merge(0, segments.size(), context_, budget_, temp_);
      writing_.commit();
    }
    return finish();
  }

  LibraryWriteReport remove(const LibraryRemoveOptions& options) {
    RequestedNames ids(options.ids);
    RequestedNames sources(options.sources);
    const auto gone = [&](std::string_view id, std::string_view source) {
      // Call both, so that both names are noted as found.
      const bool by_id = ids.take(id);
      return sources.take(source) || by_id;
    };
    forget_texts(gone);
    report_.removed = writing_.remove(gone, context_, budget_);
    report_.unknown_ids = ids.missing(options.ids);
    report_.unknown_sources = sources.missing(options.sources);
    if (report_.removed > 0) writing_.commit();
    return finish();
  }

 private:
  // Erases the texts that the library itself stores before their documents are removed. After an interruption, the
  // documents are still there, and a second attempt removes them.
  template <class Gone>
  void forget_texts(Gone gone) {
    std::map<std::string, std::vector<std::uint64_t>> kept;  // where texts that stay begin, by file
    for (const std::string& name : verbs::known::text_file_names(folder_)) kept[name];
    if (kept.empty()) return;
    library::Reader reader(folder_, budget_);
    Reservation memory = budget_.reserve(0, kTexts);
    std::pair<std::size_t, std::uint32_t> last{0, library::kNoFile};
    auto file = kept.end();
    reader.for_each([&](library::KnownId, const library::KnownDocument& known, std::string_view id) {
      if (known.place.file == library::kNoFile || gone(id, reader.source_name(known.segment, known.source))) return;
      if (const std::pair of{known.segment, known.place.file}; of != std::exchange(last, of))
        file = kept.find(reader.file(known.segment, known.place.file).path);
      if (file == kept.end()) return;
      if (file->second.size() % kTextsAtOnce == 0)
        memory.resize(memory.bytes() + 2 * kTextsAtOnce * sizeof(std::uint64_t), kTexts);
      file->second.push_back(known.place.begin);
    });
    for (auto& [name, begins] : kept) {
      std::sort(begins.begin(), begins.end());
      verbs::known::blank_other_texts(folder_ / name, begins, budget_);
    }
  }

  LibraryWriteReport finish() {
    const library::Manifest& manifest = writing_.manifest();
    report_.generation = manifest.generation;
    report_.documents = live_documents(manifest);
    report_.segments = manifest.segments.size();
    report_.library_bytes = to_text(manifest).size();
    for (const library::SegmentInfo& segment : manifest.segments) report_.library_bytes += segment_bytes(segment);
    report_.seconds = watch_.seconds();
    report_.peak_rss_bytes = peak_rss_bytes();
    return std::move(report_);
  }

  static constexpr const char* kTexts = "the texts of the library";
  static constexpr std::size_t kTextsAtOnce = 4096;  // texts that memory is reserved for at a time

  const fs::path folder_;
  const Context& context_;
  MemoryBudget budget_;
  TempSpace temp_;
  library::LibraryWriter writing_;
  Stopwatch watch_;
  LibraryWriteReport report_;
};

}  // namespace

LibraryStats library_stats(const fs::path& folder) {
  const library::Manifest manifest = library::read_manifest(folder);
  LibraryStats stats;
  stats.generation = manifest.generation;
  for (const library::Rule& rule : manifest.layout.rules) stats.rules.push_back({rule.name, rule.value});
  stats.lanes = manifest.layout.lanes;
  stats.bands = manifest.layout.bands;
  stats.rows = manifest.layout.rows;
  stats.documents = live_documents(manifest);
  stats.segments = manifest.segments.size();
  stats.other_bytes = to_text(manifest).size();
  for (const library::SegmentInfo& segment : manifest.segments) {
    stats.removed += segment.removed;
    stats.text_bytes += segment.text_bytes;
    stats.keys += segment.keys;
    stats.documents_bytes += segment.files.at(library::kDocumentsFile).bytes;
    stats.ids_bytes += segment.files.at(library::kIdsFile).bytes;
    stats.names_bytes += segment.files.at(library::kNamesFile).bytes;
    stats.keys_bytes += segment.files.at(library::kKeysFile).bytes;
    stats.filter_bytes += segment.files.at(library::kFilterFile).bytes;
    if (segment.removed > 0) stats.other_bytes += segment.removed_file.bytes;
  }
  MemoryBudget budget{Context{.memory_bytes = kMinMemoryBytes}};
  for (const std::string& name : verbs::known::text_file_names(folder))
    stats.texts_bytes += RandomFile(folder / name).size();
  for (const std::string& name : verbs::known::waiting_texts(folder, manifest)) {
    verbs::known::TextRecords records(folder / name, budget);
    for (verbs::known::TextRecords::Record record; records.next(record);) ++stats.waiting_documents;
  }
  return stats;
}

LibraryCheckReport library_check(const fs::path& folder, const Context& context, bool repair) {
  const Stopwatch watch;
  MemoryBudget budget(context);
  std::optional<library::LibraryWriter> writing;
  if (repair) writing.emplace(folder);
  const library::Manifest manifest = library::read_manifest(folder);
  LibraryCheckReport report;
  report.segments = manifest.segments.size();
  report.documents = live_documents(manifest);
  for (const library::SegmentInfo& segment : manifest.segments) {
    report.keys += segment.keys;
    report.bytes += segment_bytes(segment);
  }
  Progress progress(context, "check", "bytes", report.bytes);
  for (const library::SegmentInfo& segment : manifest.segments) {
    try {
      library::check_segment(folder, segment, manifest.layout, budget,
                             [&](std::uint64_t bytes) { progress.add(bytes); });
    } catch (const Error& error) {
      if (!is_library_damage(error)) throw;
      report.damages.emplace_back(error.what());
    }
  }
  const std::size_t damaged_segments = report.damages.size();
  for (const std::string& name : verbs::known::text_file_names(folder)) {
    const std::vector<std::string> damages = damages_of_texts(folder / name, context, budget);
    report.damages.insert(report.damages.end(), damages.begin(), damages.end());
    if (repair && !damages.empty()) verbs::known::blank_damaged_lines(folder / name, budget);
    report.bytes += RandomFile(folder / name).size();
  }
  if (repair) report.dropped = report.damages.size() - damaged_segments;
  report.repaired = report.dropped > 0 && damaged_segments == 0;
  progress.finish();
  report.seconds = watch.seconds();
  return report;
}

LibraryWriteReport library_merge(const fs::path& folder, const Context& context) {
  return LibraryChange(folder, context).merge();
}

LibraryWriteReport library_remove(const fs::path& folder, const LibraryRemoveOptions& options, const Context& context) {
  return LibraryChange(folder, context).remove(options);
}

LibraryExportReport library_export(const fs::path& folder, const Context& context,
                                   const std::function<void(const LibraryDocument&)>& document) {
  const Stopwatch watch;
  MemoryBudget budget(context);
  LibraryExportReport report;
  library::Reader reader(folder, budget);
  report.generation = reader.manifest().generation;
  Progress progress(context, "export", "documents", live_documents(reader.manifest()));
  LibraryDocument row;
  reader.for_each([&](library::KnownId /*number*/, const library::KnownDocument& known, std::string_view id) {
    row.id = id;
    row.digest = known.digest;
    row.source = reader.source_name(known.segment, known.source);
    row.file.clear();
    row.origin.clear();
    if (known.place.file != library::kNoFile) {
      const library::TextFile& file = reader.file(known.segment, known.place.file);
      row.file = file.path;
      row.origin = reader.origin(known.segment, file.origin).name;
    }
    row.begin = known.place.begin;
    row.bytes = known.place.bytes;
    row.text_bytes = known.text_bytes;
    document(row);
    ++report.documents;
    progress.add(1);
  });
  progress.finish();
  report.seconds = watch.seconds();
  return report;
}

}  // namespace refrain
