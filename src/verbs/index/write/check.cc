#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/format.h"
#include "engines/blot/manifest.h"
#include "engines/blot/posts_reader.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "store/segments/folder.h"
#include "store/segments/manifest_text.h"
#include "verbs/index/read/document_text.h"
#include "verbs/index/write/adding.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostChanged = 10;

// Excludes files that merely cannot be opened or read at the moment: no document is given up because of that.
bool is_damage(const Error& error) {
  return error.code() == Errc::corrupt || error.code() == Errc::unsupported;
}

class Check {
 public:
  Check(fs::path folder, const Context& context) : folder_(std::move(folder)), context_(context), budget_(context) {}

  IndexCheckReport run(bool repair) {
    std::optional<store::LockedFolder> locked;
    blot::read_manifest(folder_);
    if (repair) locked.emplace(folder_, blot::kIndexKind);
    blot::Manifest manifest = blot::read_manifest(folder_);
    if (locked) locked->begin(store::named_in(manifest));
    std::uint64_t bytes = 0;
    for (const blot::SegmentInfo& segment : manifest.segments) {
      bytes += segment.documents_file.bytes + (segment.texts_file ? segment.texts_file->bytes : 0) + segment.text_bytes;
      for (const store::PageFileId& file : segment.posts_files) bytes += file.bytes;
    }
    Progress progress(context_, "check", "bytes", bytes);
    std::vector<bool> damaged;
    for (const blot::SegmentInfo& segment : manifest.segments)
      damaged.push_back(!is_whole(segment, manifest, progress));
    progress.finish();
    report_.segments = manifest.segments.size();
    if (repair && !report_.damages.empty()) {
      rebuild_damaged(manifest, damaged, *locked);
      report_.repaired = true;
    }
    report_.seconds = watch_.seconds();
    return std::move(report_);
  }

 private:
  // Runs `work` and notes damage that it finds. Returns whether there is none.
  template <class Work>
  bool attempt(Work work) {
    try {
      work();
      return true;
    } catch (const Error& error) {
      if (!is_damage(error)) throw;
      report_.damages.emplace_back(error.what());
      return false;
    }
  }

  bool is_whole(const blot::SegmentInfo& segment, const blot::Manifest& manifest, Progress& progress) {
    const fs::path folder = store::segment_path(folder_, segment.number);
    const auto done = [&](std::uint64_t bytes) { progress.add(bytes); };
    report_.bytes += segment.documents_file.bytes + (segment.texts_file ? segment.texts_file->bytes : 0) +
                     (segment.removed > 0 ? segment.removed_file.bytes : 0);
    for (const store::PageFileId& file : segment.posts_files) report_.bytes += file.bytes;
    std::optional<blot::DocumentReader> documents;
    std::vector<bool> removed;
    bool whole = attempt([&] {
      documents.emplace(folder, segment.documents_file);
      documents->check(done);
    });
    const bool documents_whole = whole;
    whole &= attempt([&] {
      blot::PostsReader posts(folder, segment.posts_files, blot::key_bits(manifest.layout), segment.blocks);
      posts.check(done);
      if (posts.posts() != segment.posts || posts.blots() != segment.blots)
        throw Error(Errc::corrupt, fmt::format("{}: post count differs from the manifest; run 'index check --repair'",
                                               folder.string()));
    });
    whole &= attempt([&] { removed = store::read_removed(folder_, blot::kIndexKind, segment); });
    if (segment.texts_file) whole &= attempt([&] { blot::TextReader(folder, *segment.texts_file).check(done); });
    if (documents_whole) whole &= attempt([&] { check_texts(segment, *documents, removed, progress); });
    report_.documents += segment.documents - segment.removed;
    report_.blots += segment.blots;
    report_.posts += segment.posts;
    return whole;
  }

  void check_texts(const blot::SegmentInfo& segment, blot::DocumentReader& documents, const std::vector<bool>& removed,
                   Progress& progress) {
    verbs::index::DocumentText texts(folder_, segment, documents);
    for (std::uint64_t i = 0; i < documents.documents(); ++i) {
      const std::uint64_t bytes = documents.info(i).text_bytes;
      if (removed.empty() || !removed[i]) {
        try {
          texts.read(i, 0, ~std::uint64_t{0});
        } catch (const Error& error) {
          if (error.code() != Errc::bad_input) throw;
          ++report_.changed_documents;
          if (report_.changed.size() < kMostChanged) report_.changed.push_back({documents.info(i).id, error.what()});
        }
      }
      progress.add(bytes);
    }
  }

  // Rebuilds the damaged segments from what is left of them.
  void rebuild_damaged(blot::Manifest& manifest, const std::vector<bool>& damaged, store::LockedFolder& locked) {
    TempSpace temp(context_);
    std::vector<blot::SegmentInfo> segments;
    for (std::size_t i = 0; i < damaged.size(); ++i) {
      const blot::SegmentInfo& segment = manifest.segments[i];
      if (!damaged[i]) {
        segments.push_back(segment);
        continue;
      }
      verbs::index::DocumentAdder adding(folder_, manifest, context_, budget_, temp);
      save(manifest.segments, i, adding);
      for (blot::SegmentInfo& made : adding.finish()) segments.push_back(std::move(made));
    }
    manifest.segments = std::move(segments);
    ++manifest.generation;
    if (manifest.id.empty()) manifest.id = store::random_manifest_id();
    locked.commit(blot::to_text(manifest), store::named_in(manifest));
  }

  // Returns the result of open(), or nullopt if it finds damage.
  template <class Open>
  static auto if_whole(Open open) -> std::optional<decltype(open())> {
    try {
      return open();
    } catch (const Error& error) {
      if (!is_damage(error)) throw;
      return std::nullopt;
    }
  }
  std::unique_ptr<blot::DocumentReader> documents_of(const blot::SegmentInfo& segment) const {
    return if_whole([&] {
             return std::make_unique<blot::DocumentReader>(store::segment_path(folder_, segment.number),
                                                           segment.documents_file);
           })
        .value_or(nullptr);
  }
  std::unique_ptr<verbs::index::DocumentText> texts_of(blot::SegmentInfo segment,
                                                       blot::DocumentReader& documents) const {
    auto texts = if_whole([&] { return std::make_unique<verbs::index::DocumentText>(folder_, segment, documents); });
    if (texts) return std::move(*texts);
    segment.texts_file.reset();  // texts in files of their own can still be read
    return std::make_unique<verbs::index::DocumentText>(folder_, segment, documents);
  }

  // If the record of which documents of a segment were removed is lost, a document stays unless a later one has its
  // id: it is better to find too much than to lose something, but no two documents may have one id.
  class Superseded {
   public:
    Superseded(const Check& check, const std::vector<blot::SegmentInfo>& segments, std::size_t number) {
      for (; number < segments.size(); ++number) readers_.push_back(check.documents_of(segments[number]));
    }
    bool operator()(std::uint64_t document, const std::string& id) {
      bool later = false;
      for (std::size_t i = 0; i < readers_.size() && !later; ++i)
        if (readers_[i])
          if_whole([&] {
            readers_[i]->find(id, [&](std::uint64_t other) { return later = i > 0 || other > document; });
            return true;
          });
      return later;
    }

   private:
    std::vector<std::unique_ptr<blot::DocumentReader>> readers_;
  };

  // Adds every document of a segment that can still be read. The others are lost.
  void save(const std::vector<blot::SegmentInfo>& segments, std::size_t number, verbs::index::DocumentAdder& adding) {
    const blot::SegmentInfo& segment = segments[number];
    const std::unique_ptr<blot::DocumentReader> documents = documents_of(segment);
    if (!documents) {
      report_.lost_documents += segment.documents - segment.removed;
      return;
    }
    const std::unique_ptr<verbs::index::DocumentText> texts = texts_of(segment, *documents);
    const std::optional<std::vector<bool>> removed =
        if_whole([&] { return store::read_removed(folder_, blot::kIndexKind, segment); });
    std::optional<Superseded> superseded;
    if (!removed) superseded.emplace(*this, segments, number);
    for (std::uint64_t i = 0; i < documents->documents(); ++i) {
      throw_if_stopped(context_);
      if (removed && !removed->empty() && (*removed)[i]) continue;
      blot::DocumentInfo info;
      std::string text;
      try {
        info = documents->info(i);
        if (superseded && (*superseded)(i, info.id)) continue;
        text = texts->read(i, 0, ~std::uint64_t{0});
      } catch (const Error& error) {
        // A missing file may come back, but a document that is left out of the new segment is lost for good.
        if (error.code() == Errc::bad_input)
          throw Error(
              Errc::bad_input,
              fmt::format(
                  "{}; a repair would lose the document; restore the file, or remove the document from the index first",
                  error.what()));
        if (!is_damage(error)) throw;
        ++report_.lost_documents;
        continue;
      }
      blot::TextPlace place = info.place;
      if (place.home == blot::TextLocation::file) {
        place = {.home = blot::TextLocation::part,
                 .path = (fs::path(documents->root()) / info.id).string(),
                 .begin = 0,
                 .bytes = info.text_bytes};
      } else if (blot::is_part(place.home)) {
        place.path = (fs::path(documents->root()) / place.path).string();
        place.home = blot::TextLocation::part;  // the positions of its new marks in the raw text are not known
      }
      adding.add(info.id, place, text);
      ++report_.rebuilt_documents;
    }
  }

  const fs::path folder_;
  const Context& context_;
  MemoryBudget budget_;
  Stopwatch watch_;
  IndexCheckReport report_;
};

}  // namespace

IndexCheckReport check_index(const fs::path& folder, bool repair, const Context& context) {
  return Check(folder, context).run(repair);
}

}  // namespace refrain
