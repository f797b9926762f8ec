#include <mutex>
#include <utility>

#include "base/budget.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "verbs/index/blots.h"
#include "verbs/index/extract/extract.h"
#include "verbs/index/query/query.h"
#include "verbs/index/read/snapshot.h"
#include "verbs/index/write/write.h"

namespace refrain {

namespace fs = std::filesystem;

// Snapshots are opened once and reused, by one call at a time, until there is a newer commit.
struct Index::Impl {
  explicit Impl(fs::path of) : folder(std::move(of)) {}

  class Borrowed {
   public:
    Borrowed(Impl& impl, std::unique_ptr<verbs::index::Snapshot> snapshot)
        : impl_(impl), snapshot_(std::move(snapshot)) {}
    ~Borrowed() {
      const std::lock_guard lock(impl_.mutex);
      if (impl_.idle.size() < kMostIdle) impl_.idle.push_back(std::move(snapshot_));
    }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    verbs::index::Snapshot& operator*() const { return *snapshot_; }
    verbs::index::Snapshot* operator->() const { return snapshot_.get(); }

   private:
    Impl& impl_;
    std::unique_ptr<verbs::index::Snapshot> snapshot_;
  };

  Borrowed newest() {
    const std::string identity = blot::identity_of(blot::read_manifest(folder));
    std::shared_ptr<const verbs::index::Snapshot> first;
    {
      const std::lock_guard lock(mutex);
      std::erase_if(idle, [&](const auto& snapshot) { return snapshot->identity() != identity; });
      if (!idle.empty()) {
        std::unique_ptr<verbs::index::Snapshot> found = std::move(idle.back());
        idle.pop_back();
        return {*this, std::move(found)};
      }
      if (opened && opened->identity() == identity) first = opened;
    }
    if (!first) {
      first = std::make_shared<const verbs::index::Snapshot>(folder);
      const std::lock_guard lock(mutex);
      opened = first;
    }
    return {*this, first->clone()};
  }

  static constexpr std::size_t kMostIdle = 16;
  const fs::path folder;
  std::mutex mutex;
  std::shared_ptr<const verbs::index::Snapshot> opened;  // the other snapshots are its clones and share its files
  std::vector<std::unique_ptr<verbs::index::Snapshot>> idle;
  std::mutex writing;
};

Index::Index(fs::path folder) : impl_(std::make_unique<Impl>(std::move(folder))) {
  impl_->newest();
}

Index::~Index() = default;

std::uint64_t Index::generation() const {
  return blot::read_manifest(impl_->folder).generation;
}

std::string Index::identity() const {
  return blot::identity_of(blot::read_manifest(impl_->folder));
}

IndexStats Index::stats() const {
  const Impl::Borrowed snapshot = impl_->newest();
  const blot::Manifest& manifest = snapshot->manifest();
  IndexStats stats;
  stats.layout = manifest.layout;
  stats.generation = manifest.generation;
  stats.segments = manifest.segments.size();
  stats.other_bytes = blot::to_text(manifest).size();
  for (const blot::SegmentInfo& segment : manifest.segments) {
    stats.documents += segment.documents - segment.removed;
    stats.removed += segment.removed;
    stats.tokens += segment.tokens;
    stats.text_bytes += segment.text_bytes;
    stats.blots += segment.blots;
    stats.posts += segment.posts;
    for (const store::PageFileId& file : segment.posts_files) stats.posts_bytes += file.bytes;
    stats.documents_bytes += segment.documents_file.bytes;
    if (segment.texts_file) stats.texts_bytes += segment.texts_file->bytes;
    if (segment.removed > 0) stats.other_bytes += segment.removed_file.bytes;
  }
  return stats;
}

QueryReport Index::query(const QueryOptions& options, const Context& context, PassageSink& sink) const {
  const Impl::Borrowed snapshot = impl_->newest();
  return verbs::index::query_index(*snapshot, options, context, sink);
}

ExtractReport Index::extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const {
  const Impl::Borrowed snapshot = impl_->newest();
  return verbs::index::extract_passages(*snapshot, options, context, sink);
}

void Index::blots(const BlotsOptions& options, const Context& context,
                  const std::function<void(const BlotRow&)>& row) const {
  const Impl::Borrowed snapshot = impl_->newest();
  verbs::index::index_blots(*snapshot, options, context, row);
}

void Index::unblot(const BlotsOptions& options, const Context& context,
                   const std::function<void(const BlotText&)>& row) const {
  const Impl::Borrowed snapshot = impl_->newest();
  verbs::index::index_unblot(*snapshot, options, context, row);
}

std::optional<IndexDocument> Index::document(std::string_view id, const Context& context) const {
  const Impl::Borrowed snapshot = impl_->newest();
  const std::optional<DocId> found = snapshot->find(id);
  if (!found) return std::nullopt;
  MemoryBudget budget(context);
  const Reservation room = budget.reserve(snapshot->text_room(*found), "the text of a document");
  return IndexDocument{std::string(id), snapshot->text(*found), snapshot->tokens(*found)};
}

IndexWriteReport Index::add(const IndexAddOptions& options, const Context& context) {
  const std::lock_guard lock(impl_->writing);
  return verbs::index::add_input(impl_->folder, options, context);
}

IndexWriteReport Index::add(const std::vector<QueryDocument>& documents, bool replace, const Context& context) {
  const std::lock_guard lock(impl_->writing);
  return verbs::index::add_documents(impl_->folder, documents, replace, context);
}

IndexWriteReport Index::remove(const std::vector<std::string>& ids, const Context& context) {
  const std::lock_guard lock(impl_->writing);
  return verbs::index::remove_documents(impl_->folder, ids, context);
}

IndexWriteReport Index::merge(const Context& context) {
  const std::lock_guard lock(impl_->writing);
  return verbs::index::merge_all(impl_->folder, context);
}

}  // namespace refrain
