#include "verbs/index/write/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "base/budget.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/files/walk.h"
#include "corpus/source/reader.h"
#include "engines/blot/blotter.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/segments/folder.h"
#include "store/segments/manifest_text.h"
#include "verbs/index/write/adding.h"
#include "verbs/index/write/segments.h"
#include "verbs/run/progress.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kManySegments = 8;
constexpr std::uint64_t kUnknownBytes = std::uint64_t{1} << 30;  // a guess for input that comes through a pipe

std::uint64_t folder_bytes(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (ignored) break;
    if (at->is_regular_file(ignored)) bytes += at->file_size(ignored);
  }
  return bytes;
}

// One operation that writes an index: its resources and its report.
class Writing {
 public:
  explicit Writing(const Context& context) : context_(context), budget_(context), temp_(context) {
    report_.threads = thread_count(context);
    report_.memory_bytes = budget_.ceiling();
  }

  IndexWriteReport create(const IndexCreateOptions& options);
  IndexWriteReport add(const fs::path& folder, const IndexAddOptions& options);
  IndexWriteReport add(const fs::path& folder, const std::vector<QueryDocument>& documents, bool replace);
  IndexWriteReport remove(const fs::path& folder, const std::vector<std::string>& ids);
  IndexWriteReport merge(const fs::path& folder);

 private:
  // A locked index and its manifest, which commit() commits.
  struct Locked {
    explicit Locked(const fs::path& of) : folder(existing(of), blot::kIndexKind) {
      manifest = blot::read_manifest(of);
      folder.begin(store::named_in(manifest));
    }
    void commit() {
      ++manifest.generation;
      if (manifest.id.empty()) manifest.id = store::random_manifest_id();
      folder.commit(blot::to_text(manifest), store::named_in(manifest));
    }
    // Throws before a lock is made if there is no index.
    static const fs::path& existing(const fs::path& of) {
      blot::read_manifest(of);
      return of;
    }
    store::LockedFolder folder;
    blot::Manifest manifest;
  };

  template <class Work>
  void stage(const char* name, Work work) {
    run::run_stage(report_.stages, name, std::move(work));
  }
  template <class Add>
  IndexWriteReport add_to(const fs::path& folder, bool replace, Add add);
  void count_added(const std::vector<blot::SegmentInfo>& added);
  void settle_ids(const fs::path& folder, std::vector<blot::SegmentInfo>& segments, std::size_t first_added,
                  bool replace, std::uint64_t generation);
  void merge_small(const fs::path& folder, blot::Manifest& manifest);
  IndexWriteReport finish(const fs::path& folder, const blot::Manifest& manifest);

  const Context& context_;
  MemoryBudget budget_;
  TempSpace temp_;
  Stopwatch watch_;
  IndexWriteReport report_;
};

IndexWriteReport Writing::finish(const fs::path& folder, const blot::Manifest& manifest) {
  report_.generation = manifest.generation;
  report_.segments = manifest.segments.size();
  report_.index_bytes = folder_bytes(folder);
  report_.temp_peak_bytes = temp_.peak_bytes();
  report_.seconds = watch_.seconds();
  report_.peak_rss_bytes = peak_rss_bytes();
  return std::move(report_);
}

IndexWriteReport Writing::create(const IndexCreateOptions& options) {
  blot::Manifest manifest;
  manifest.layout = blot::checked_layout(options.layout);
  fs::path target = options.index;
  if (!target.has_filename()) target = target.parent_path();  // "dir/" is "dir"
  if (target.empty()) throw Error(Errc::invalid_argument, "no index; name a folder for it");
  if (is_taken(target))
    throw Error(Errc::invalid_argument,
                fmt::format("{}: already exists; name another folder, or add to an index with 'refrain index add'",
                            target.string()));
  corpus::check_named(options.input);
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  make_folders(parent);
  TempDir staging(parent, "." + target.filename().string());

  const std::uint64_t bytes = corpus::total_bytes(options.input, context_, budget_);
  if (manifest.layout.blot_bits == 0) {
    IndexLayout windows = manifest.layout;
    windows.pairs = false;
    manifest.layout.blot_bits = bits_for(expected_posts(windows, bytes == 0 ? kUnknownBytes : bytes));
  }
  DocumentAdder adding(staging.path(), manifest, context_, budget_, temp_);
  stage("read", [&] {
    report_.read = adding.add(options.input, bytes);
    return report_.read.bytes;
  });
  stage("write", [&] {
    manifest.segments = adding.finish();
    std::uint64_t written = 0;
    for (const blot::SegmentInfo& segment : manifest.segments)
      for (const store::PageFileId& file : segment.posts_files) written += file.bytes;
    return written;
  });
  report_.stored_texts = adding.stored();
  count_added(manifest.segments);
  manifest.generation = 1;
  manifest.id = store::random_manifest_id();
  settle_ids(staging.path(), manifest.segments, 0, false, manifest.generation);
  OutputFile((staging.path() / store::kLockName).string()).close();
  store::write_manifest_text(staging.path(), blot::to_text(manifest));
  staging.publish(target);
  return finish(target, manifest);
}

void Writing::count_added(const std::vector<blot::SegmentInfo>& added) {
  for (const blot::SegmentInfo& segment : added) {
    report_.added += segment.documents;
    report_.tokens += segment.tokens;
    report_.posts += segment.posts;
  }
}

// Calls pair(document of a, document of b) for documents with equal ids, and maybe for others whose ids agree in 32
// bits of their hashes. If both segments are the same, it is called once per pair, the earlier document first.
template <class Pair>
void for_each_same_hash(blot::DocumentReader& a, blot::DocumentReader& b, Pair pair) {
  if (&a == &b) {
    std::vector<blot::DocumentReader::IdRow> alike;  // so far, with the same hash
    for (std::uint64_t i = 0; i < a.documents(); ++i) {
      const blot::DocumentReader::IdRow row = a.id_row(i);
      if (!alike.empty() && alike.front().hash != row.hash) alike.clear();
      for (const blot::DocumentReader::IdRow& other : alike)
        pair(std::min(other.document, row.document), std::max(other.document, row.document));
      alike.push_back(row);
    }
    return;
  }
  constexpr std::uint64_t kLookUp = 64;  // rows that can be scanned in the time that looking up an id takes
  if (a.documents() / kLookUp > b.documents()) {
    for (std::uint64_t i = 0; i < b.documents(); ++i)
      a.find(b.info(i).id, [&](std::uint64_t document) {
        pair(document, i);
        return false;
      });
    return;
  }
  std::uint64_t i = 0;
  std::uint64_t j = 0;
  while (i < a.documents() && j < b.documents()) {
    const blot::DocumentReader::IdRow row = a.id_row(i);
    const std::uint32_t other = b.id_row(j).hash;
    if (row.hash > other) {
      ++j;
      continue;
    }
    if (row.hash == other)
      for (std::uint64_t k = j; k < b.documents(); ++k) {
        const blot::DocumentReader::IdRow match = b.id_row(k);
        if (match.hash != row.hash) break;
        pair(row.document, match.document);
      }
    ++i;
  }
}

// No two documents may have the same id: with `replace` the last one stays, otherwise an error is thrown. Segments
// from `first_added` on are new.
void Writing::settle_ids(const fs::path& folder, std::vector<blot::SegmentInfo>& segments, std::size_t first_added,
                         bool replace, std::uint64_t generation) {
  std::vector<std::unique_ptr<blot::DocumentReader>> readers;
  std::map<std::size_t, std::vector<bool>> removed;  // by segment
  for (const blot::SegmentInfo& segment : segments)
    readers.push_back(
        std::make_unique<blot::DocumentReader>(store::segment_path(folder, segment.number), segment.documents_file));
  const auto gone = [&](std::size_t segment) -> std::vector<bool>& {
    const auto [found, is_new] = removed.try_emplace(segment);
    if (is_new) {
      found->second = store::read_removed(folder, blot::kIndexKind, segments[segment]);
      found->second.resize(segments[segment].documents);
    }
    return found->second;
  };
  std::map<std::size_t, std::uint64_t> more;
  for (std::size_t added = first_added; added < segments.size(); ++added)
    for (std::size_t other = 0; other <= added; ++other)
      for_each_same_hash(*readers[other], *readers[added], [&](std::uint64_t earlier, std::uint64_t later) {
        const std::string id = readers[other]->info(earlier).id;
        if (id != readers[added]->info(later).id) return;
        if (other < first_added && segments[other].removed > 0 && gone(other)[earlier]) return;
        if (!replace)
          throw Error(Errc::bad_input,
                      other < first_added
                          ? fmt::format("{}: already in the index; use `replace` to replace it", id)
                          : fmt::format("{}: two documents in the input have this id; ids must be unique", id));
        if (gone(other)[earlier]) return;
        gone(other)[earlier] = true;
        ++more[other];
        ++(other < first_added ? report_.replaced : report_.removed);
      });
  for (const auto& [segment, count] : more)
    store::write_removed(folder, blot::kIndexKind, gone(segment), generation, segments[segment]);
  std::erase_if(segments, [](const blot::SegmentInfo& segment) { return segment.removed == segment.documents; });
}

// Many small segments make searches slow, so the last ones are merged, together with those before them that are at
// most twice as large as all behind them. A document is merged about log(number of additions) times, not for each
// addition.
void Writing::merge_small(const fs::path& folder, blot::Manifest& manifest) {
  std::vector<blot::SegmentInfo>& segments = manifest.segments;
  if (segments.size() <= kManySegments) return;
  std::size_t first = segments.size() - 1;
  std::uint64_t posts = segments[first].posts;
  while (first > 0 && segments[first - 1].posts <= 2 * posts) posts += segments[--first].posts;
  const std::size_t count = segments.size() - first;
  if (count < 2) return;
  const std::span<const blot::SegmentInfo> last = std::span<const blot::SegmentInfo>(segments).subspan(first);
  blot::SegmentInfo merged = merge_segments(
      folder, manifest.layout, last, store::take_segment_number(folder, manifest.next_segment), context_, budget_);
  report_.merged_segments += count;
  segments.resize(first);
  segments.push_back(std::move(merged));
}

template <class Add>
IndexWriteReport Writing::add_to(const fs::path& folder, bool replace, Add add) {
  Locked index(folder);
  blot::Manifest& manifest = index.manifest;
  DocumentAdder adding(folder, manifest, context_, budget_, temp_);
  stage("read", [&] { return add(adding); });
  std::vector<blot::SegmentInfo> added;
  stage("write", [&] {
    added = adding.finish();
    count_added(added);
    return report_.posts;
  });
  report_.stored_texts = adding.stored();
  const std::size_t first_added = manifest.segments.size();
  manifest.segments.insert(manifest.segments.end(), added.begin(), added.end());
  stage("merge", [&] {
    settle_ids(folder, manifest.segments, first_added, replace, manifest.generation + 1);
    merge_small(folder, manifest);
    return std::uint64_t{0};
  });
  index.commit();
  return finish(folder, manifest);
}

IndexWriteReport Writing::add(const fs::path& folder, const IndexAddOptions& options) {
  corpus::check_named(options.input);
  for (const std::string& path : options.input.paths) {
    if (path == "-") continue;
    if (is_within(path, folder))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: inside the index {}; move it elsewhere before adding it", path, folder.string()));
    if (is_within(folder, path))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: contains the index {}; name the files to add instead, or move the index", path,
                              folder.string()));
  }
  return add_to(folder, options.replace, [&](DocumentAdder& adding) {
    report_.read = adding.add(options.input, corpus::total_bytes(options.input, context_, budget_));
    return report_.read.bytes;
  });
}

IndexWriteReport Writing::add(const fs::path& folder, const std::vector<QueryDocument>& documents, bool replace) {
  return add_to(folder, replace, [&](DocumentAdder& adding) {
    adding.add(documents);
    report_.read.documents = documents.size();
    for (const QueryDocument& document : documents) report_.read.text_bytes += document.text.size();
    return report_.read.text_bytes;
  });
}

IndexWriteReport Writing::remove(const fs::path& folder, const std::vector<std::string>& ids) {
  Locked index(folder);
  std::vector<blot::SegmentInfo>& segments = index.manifest.segments;
  std::vector<std::unique_ptr<blot::DocumentReader>> readers;
  std::vector<std::vector<bool>> removed;
  std::vector<bool> changed(segments.size());
  for (const blot::SegmentInfo& segment : segments) {
    readers.push_back(
        std::make_unique<blot::DocumentReader>(store::segment_path(folder, segment.number), segment.documents_file));
    removed.push_back(store::read_removed(folder, blot::kIndexKind, segment));
    removed.back().resize(segment.documents);
  }
  for (const std::string& id : ids) {
    bool found = false;
    for (std::size_t i = 0; i < segments.size() && !found; ++i)
      readers[i]->find(id, [&](std::uint64_t document) {
        if (removed[i][document]) return false;
        removed[i][document] = true;
        changed[i] = true;
        found = true;
        return true;
      });
    if (found)
      ++report_.removed;
    else
      report_.unknown.push_back(id);
  }
  readers.clear();
  if (report_.removed == 0) return finish(folder, index.manifest);
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (changed[i])
      store::write_removed(folder, blot::kIndexKind, removed[i], index.manifest.generation + 1, segments[i]);
  std::erase_if(segments, [](const blot::SegmentInfo& segment) { return segment.removed == segment.documents; });
  index.commit();
  return finish(folder, index.manifest);
}

IndexWriteReport Writing::merge(const fs::path& folder) {
  Locked index(folder);
  std::vector<blot::SegmentInfo>& segments = index.manifest.segments;
  if (segments.empty() || (segments.size() == 1 && segments.front().removed == 0))
    return finish(folder, index.manifest);
  report_.merged_segments = segments.size();
  for (const blot::SegmentInfo& segment : segments) report_.removed += segment.removed;
  stage("merge", [&] {
    const blot::SegmentInfo merged =
        merge_segments(folder, index.manifest.layout, segments,
                       store::take_segment_number(folder, index.manifest.next_segment), context_, budget_);
    segments.assign(1, merged);
    return segments.front().posts;
  });
  index.commit();
  return finish(folder, index.manifest);
}

}  // namespace

}  // namespace refrain::verbs::index

namespace refrain {

IndexWriteReport create_index(const IndexCreateOptions& options, const Context& context) {
  return verbs::index::Writing(context).create(options);
}

}  // namespace refrain

namespace refrain::verbs::index {

IndexWriteReport add_input(const fs::path& folder, const IndexAddOptions& options, const Context& context) {
  return Writing(context).add(folder, options);
}

IndexWriteReport add_documents(const fs::path& folder, const std::vector<QueryDocument>& documents, bool replace,
                               const Context& context) {
  return Writing(context).add(folder, documents, replace);
}

IndexWriteReport remove_documents(const fs::path& folder, const std::vector<std::string>& ids, const Context& context) {
  return Writing(context).remove(folder, ids);
}

IndexWriteReport merge_all(const fs::path& folder, const Context& context) {
  return Writing(context).merge(folder);
}

}  // namespace refrain::verbs::index
