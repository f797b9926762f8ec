#include "engines/library/folder.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/files/path.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "engines/library/segment.h"
#include "refrain/error.h"
#include "store/segments/folder.h"
#include "store/segments/manifest_text.h"

namespace refrain::library {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kManySegments = 8;
constexpr std::uint64_t kRemovedAtOnce = 1 << 12U;  // documents between two checks of the stop token

fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();  // "dir/" is "dir"
}

}  // namespace

bool has_library(const fs::path& folder) {
  if (!is_taken(folder)) return false;
  try {
    read_manifest(folder);
    return true;
  } catch (const Error& error) {
    if (error.code() != Errc::not_found) throw;
    throw Error(Errc::invalid_argument,
                fmt::format("{}: already exists, and is not a library; name another folder", folder.string()));
  }
}

struct LibraryWriter::State {
  // Opens an existing library.
  explicit State(fs::path of) : folder(std::move(of)) {
    read_manifest(folder);  // throws before a lock file is made if there is no library
    locked.emplace(folder, kLibraryKind);
    manifest = read_manifest(folder);
    locked->begin(named_in(manifest));
  }
  // Prepares a new library.
  State(fs::path of, const Layout& layout, const std::string& id) : target(std::move(of)) {
    const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
    make_folders(parent);
    staging.emplace(parent, "." + target.filename().string());
    folder = staging->path();
    locked.emplace(folder, kLibraryKind);
    manifest.layout = layout;
    manifest.id = id.empty() ? store::random_manifest_id() : id;
  }

  // Makes the added segments part of the manifest.
  void take_added() {
    for (Added& segment : std::exchange(added, {})) {
      SegmentInfo info = segment.writer->finish();
      info.number = segment.number;
      info.run = std::move(segment.run);
      manifest.segments.push_back(std::move(info));
    }
    drop_empty();
  }
  void drop_empty() {
    std::erase_if(manifest.segments, [&](SegmentInfo& segment) {
      if (segment.removed < segment.documents) return false;
      remember(segment.run);
      return true;
    });
  }
  // Records in the manifest that this run was added, once no segment records it.
  void remember(std::string& run) {
    if (!run.empty()) manifest.runs.push_back(std::move(run));
  }

  struct Added {
    std::unique_ptr<SegmentWriter> writer;
    std::uint64_t number;
    std::string run;
  };

  fs::path target;                 // folder of a new library
  std::optional<TempDir> staging;  // temporary folder where it is made, until its first commit
  fs::path folder;
  Manifest manifest;
  std::optional<store::LockedFolder> locked;
  std::vector<Added> added;
};

LibraryWriter::LibraryWriter(const fs::path& folder) : state_(std::make_unique<State>(without_slash(folder))) {}

LibraryWriter::LibraryWriter(const fs::path& folder, const Layout& layout, const std::string& id)
    : state_(has_library(without_slash(folder)) ? std::make_unique<State>(without_slash(folder))
                                                : std::make_unique<State>(without_slash(folder), layout, id)) {}

LibraryWriter::~LibraryWriter() = default;

void LibraryWriter::restart() {
  state_->added.clear();
  state_->manifest = read_manifest(state_->folder);
  state_->locked->begin(named_in(state_->manifest));
}

const Manifest& LibraryWriter::manifest() const {
  return state_->manifest;
}

SegmentWriter& LibraryWriter::add(std::string run, std::uint64_t expected_documents, const Context& context,
                                  MemoryBudget& budget, TempSpace& temp) {
  const std::uint64_t number = store::take_segment_number(state_->folder, state_->manifest.next_segment);
  const fs::path folder = store::segment_path(state_->folder, number);
  make_folder(folder);
  state_->added.push_back(
      {std::make_unique<SegmentWriter>(folder, state_->manifest.layout, expected_documents, context, budget, temp),
       number, std::move(run)});
  return *state_->added.back().writer;
}

std::uint64_t LibraryWriter::remove(const std::function<bool(std::string_view id, std::string_view source)>& gone,
                                    const Context& context, MemoryBudget& budget) {
  state_->take_added();
  std::uint64_t all = 0;
  for (SegmentInfo& info : state_->manifest.segments) {
    Segment segment(state_->folder, info, state_->manifest.layout.lanes, budget);
    const Reservation memory = budget.reserve(info.documents / 8, "the removed documents of the library");
    std::vector<bool> removed = segment.removed->bits();
    removed.resize(info.documents);
    std::uint64_t more = 0;
    KnownDocument known;
    std::string source;
    std::optional<std::uint32_t> last_source;  // the source whose name is in `source`
    for (std::uint64_t i = 0; i < info.documents; ++i) {
      if (i % kRemovedAtOnce == 0) throw_if_stopped(context);
      if (removed[i]) continue;
      segment.documents.get(i, known);
      if (known.source != last_source) segment.names.get_name(known.source, source);
      last_source = known.source;
      if (!gone(segment.ids.id(i), source)) continue;
      removed[i] = true;
      ++more;
    }
    if (more == 0) continue;
    all += more;
    store::write_removed(state_->folder, kLibraryKind, removed, state_->manifest.generation + 1, info);
  }
  state_->drop_empty();
  return all;
}

void LibraryWriter::merge(std::size_t first, std::size_t last, const Context& context, MemoryBudget& budget,
                          TempSpace& temp) {
  state_->take_added();
  std::vector<SegmentInfo>& segments = state_->manifest.segments;
  last = std::min(last, segments.size());
  if (first >= last || (last - first == 1 && segments[first].removed == 0)) return;
  const auto begin = segments.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = segments.begin() + static_cast<std::ptrdiff_t>(last);
  SegmentInfo merged =
      merge_segments(state_->folder, state_->manifest.layout, std::span(begin, end),
                     store::take_segment_number(state_->folder, state_->manifest.next_segment), context, budget, temp);
  for (auto segment = begin; segment != end; ++segment) state_->remember(segment->run);
  *begin = std::move(merged);
  segments.erase(begin + 1, end);
}

// As in an index, the last segments are merged as long as the segment before them is not much larger than all of
// them together. So a document is merged logarithmically often, not with every addition.
void LibraryWriter::merge_small(const Context& context, MemoryBudget& budget, TempSpace& temp) {
  state_->take_added();
  const std::vector<SegmentInfo>& segments = state_->manifest.segments;
  if (segments.size() <= kManySegments) return;
  std::size_t first = segments.size() - 1;
  std::uint64_t documents = segments[first].documents;
  while (first > 0 && segments[first - 1].documents <= 2 * documents) documents += segments[--first].documents;
  merge(first, segments.size(), context, budget, temp);
}

void LibraryWriter::commit() {
  State& state = *state_;
  state.take_added();
  ++state.manifest.generation;
  state.locked->commit(to_text(state.manifest), named_in(state.manifest));
  if (!state.staging) return;
  state.staging->publish(state.target);
  state.staging.reset();
  state.folder = state.target;
  state.locked->set_folder(state.target);
}

void check(const fs::path& folder, const Context& context, MemoryBudget& budget) {
  const Manifest manifest = read_manifest(folder);
  std::uint64_t bytes = 0;
  for (const SegmentInfo& segment : manifest.segments)
    for (const store::PageFileId& file : segment.files) bytes += file.bytes;
  Progress progress(context, "check", "bytes", bytes);
  for (const SegmentInfo& segment : manifest.segments)
    check_segment(folder, segment, manifest.layout, budget, [&](std::uint64_t done) { progress.add(done); });
  progress.finish();
}

}  // namespace refrain::library
