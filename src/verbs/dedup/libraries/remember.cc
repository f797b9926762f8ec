#include "verbs/dedup/libraries/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/threads.h"
#include "engines/library/folder.h"
#include "refrain/error.h"
#include "verbs/dedup/libraries/sketch_block.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/places.h"
#include "verbs/dedup/state/ranks.h"
#include "verbs/dedup/state/second_reading.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/known/old_texts.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::dedup {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kRememberedBlock = 4096;  // read at a time
constexpr DocId kOutcomesAtOnce = 16384;          // decisions per task of a worker

std::optional<Bands> bands_of(const NearFinder* near) {
  if (near == nullptr) return std::nullopt;
  DedupReport report;
  near->fill(report);
  return Bands{.bands = report.bands, .rows = report.rows};
}

// A range of a column.
template <class T>
class BlockColumn {
 public:
  explicit BlockColumn(const fs::path& path) : file_(std::make_unique<const RandomFile>(path)) {}
  void read(DocId first, std::size_t count) {
    first_ = first;
    values_.resize(count);
    file_->read(first * sizeof(T), {reinterpret_cast<char*>(values_.data()), count * sizeof(T)});
  }
  const T& operator[](DocId document) const { return values_[document - first_]; }

 private:
  std::unique_ptr<const RandomFile> file_;
  DocId first_ = 0;
  std::vector<T> values_;
};

// One worker reads this about a range of documents.
struct RememberedBlock {
  explicit RememberedBlock(DedupRun& run)
      : sketches(run),
        ids(run.dir.work("ids"), run.dir.work("id_ends")),
        text_ends(run.dir.work("text_ends")),
        places(run.dir.work("places")) {
    if (run.options.keep.rank != Rank::first) keys.emplace(run.dir.work("keys"));
  }
  void read(DocId from, std::size_t count) {
    first = from;
    last = from + count;
    sketches.read(from, count);
    text_ends.read(from == 0 ? 0 : from - 1, count + (from == 0 ? 0 : 1));
    places.read(from, count);
    if (keys) keys->read(from, count);
  }

  DocId first = 0;
  DocId last = 0;
  SketchBlock sketches;
  run::SliceFile ids;
  BlockColumn<std::uint64_t> text_ends;
  BlockColumn<PlaceRow> places;
  std::optional<BlockColumn<std::uint64_t>> keys;
  std::string id;
  std::vector<std::uint32_t> bands;
};

// Writes the kept documents to a segment, best-ranked first.
class SegmentFiller {
 public:
  SegmentFiller(DedupRun& run, library::SegmentWriter& out)
      : run_(run),
        out_(out),
        kept_(run.budget, kWhat),
        sources_(run.budget, kWhat),
        reservation_(run.budget.reserve(0, kWhat)),
        workers_(run.threads) {
    const std::uint32_t origin =
        out.add(library::Origin{run.library == nullptr ? std::string() : absolute_path(run.dir.folder()).string(),
                                known::origin_input(run.options.input)});
    own_file_ = out.add(library::TextFile{.path = "", .origin = origin});
    read_files(origin);
    list_kept();
    number_sources();
  }

  // Returns the number of documents.
  std::uint64_t add_all() {
    out_.add_all(kept_.size(), [&](unsigned worker, std::uint64_t i, library::NewDocument& known) {
      if (!workers_[worker]) workers_[worker] = std::make_unique<RememberedBlock>(run_);
      fill(*workers_[worker], kept_[i], known);
      known.source = sources_[i];
    });
    return kept_.size();
  }

 private:
  static constexpr const char* kWhat = "what the library is told";

  // Lists the kept documents in order of rank.
  void list_kept() {
    const Ranks ranks = run_.ranks();
    Array<std::uint8_t> kept(run_.budget, kWhat, ranks.size());
    struct Worker {
      explicit Worker(DedupRun& run) : outcome(run), states(run.dir.work("states")) {}
      DedupOutcome outcome;
      run::ColumnReader<DocState> states;
      std::vector<ByteRange> spans;
    };
    std::vector<std::unique_ptr<Worker>> workers(run_.threads);
    const std::size_t items = (kept.size() + kOutcomesAtOnce - 1) / kOutcomesAtOnce;
    parallel_for(run_.threads, items, [&](unsigned number, std::size_t item) {
      if (!workers[number]) workers[number] = std::make_unique<Worker>(run_);
      Worker& worker = *workers[number];
      DocId document = item * kOutcomesAtOnce;
      const DocId end = std::min<DocId>(document + kOutcomesAtOnce, kept.size());
      worker.outcome.seek(document);
      worker.states.seek(document);
      Decision decision;
      DocState state{};
      for (; document < end && worker.outcome.next(decision, worker.spans) && worker.states.next(state); ++document)
        kept[document] = decision.kept() && state != DocState::bad ? 1 : 0;
    });
    for (std::uint64_t rank = 0; rank < ranks.size(); ++rank)
      if (kept[ranks.document(rank)] != 0) kept_.push_back(ranks.document(rank));
  }

  void read_files(std::uint32_t origin) {
    const std::string path = run_.dir.work("place_files").string();
    std::ifstream lines(path);
    if (!lines) throw_read_error(path, "open", errno);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t blank = line.find(' ');
      const std::optional<std::uint64_t> format = run::parse_decimal(line.substr(0, blank));
      if (!format) throw Error(Errc::corrupt, fmt::format("{}: damaged; start again with `force`", path));
      files_.push_back(
          out_.add(library::TextFile{.path = absolute_path(run::unescaped(line.substr(blank + 1))).string(),
                                     .origin = origin,
                                     .format = static_cast<std::uint8_t>(*format)}));
    }
  }

  // Adds each source when its first document comes, with the windows left out of its documents.
  void number_sources() {
    const Array<std::uint64_t> sites = site_of_each(run_);
    const std::shared_ptr<const run::TemplateFile> templates = run_.templates();
    std::vector<std::string> names;
    for_each_source_name(run_.dir, [&](std::size_t, std::string&& name) {
      reservation_.resize(reservation_.bytes() + source_bytes(name), kWhat);
      names.push_back(std::move(name));
    });
    run::SliceFile ids(run_.dir.work("ids"), run_.dir.work("id_ends"));
    const RandomFile source_of(run_.dir.work("sources"));
    std::string id;
    const auto name_of = [&](DocId document) {
      std::string name = run_.options.source_field.empty() ? host_of(ids.get(document, id)) : std::string();
      if (!name.empty()) return name;
      std::uint32_t source = 0;
      source_of.read(document * sizeof source, {reinterpret_cast<char*>(&source), sizeof source});
      return names.at(source);
    };
    const auto add_source = [&](DocId document, std::span<const std::uint64_t> left_out) {
      std::string name = name_of(document);
      reservation_.resize(reservation_.bytes() + source_bytes(name), kWhat);
      return out_.add(library::Source{std::move(name), {left_out.begin(), left_out.end()}});
    };
    std::unordered_map<std::uint64_t, std::uint32_t> sources_by_site;  // by site
    std::unordered_map<std::string, std::uint32_t> of_short;           // by name, without templates: not compared
    for (const DocId document : kept_) {
      if (const std::uint64_t site = sites[document]; site != 0) {
        const auto [found, is_new] = sources_by_site.try_emplace(site, 0);
        if (is_new)
          found->second =
              add_source(document, templates ? templates->windows_of(document) : std::span<const std::uint64_t>());
        sources_.push_back(found->second);
      } else {
        const auto [found, is_new] = of_short.try_emplace(name_of(document), 0);
        if (is_new) found->second = add_source(document, {});
        sources_.push_back(found->second);
      }
    }
  }

  void fill(RememberedBlock& block, DocId document, library::NewDocument& known) {
    if (document < block.first || document >= block.last) {
      // In order of rank, they are scattered over the file.
      const std::uint64_t at_once = block.keys ? 1 : kRememberedBlock;
      block.read(document, static_cast<std::size_t>(std::min(at_once, run_.documents() - document)));
    }
    const std::size_t i = document - block.first;
    known.id = block.ids.get(document, block.id);
    known.digest = block.sketches.digests[i];
    if (block.sketches.judged(i)) {
      known.signature = block.sketches.signature(i);
      block.sketches.bands(i, block.bands);
      known.bands = block.bands;
    }
    const PlaceRow& place = block.places[document];
    if (place.file == PlaceRow::kOwnFile)
      known.place.file = own_file_;
    else if (place.file != PlaceRow::kNowhere)
      known.place = {files_.at(static_cast<std::size_t>(place.file)), place.begin, place.bytes};
    known.text_bytes = block.text_ends[document] - (document == 0 ? 0 : block.text_ends[document - 1]);
    if (block.keys) known.rank = (*block.keys)[document];
  }

  DedupRun& run_;
  library::SegmentWriter& out_;
  Array<DocId> kept_;             // in order of rank
  Array<std::uint32_t> sources_;  // the source of each
  Reservation reservation_;
  std::uint32_t own_file_ = 0;
  std::vector<std::uint32_t> files_;  // numbers in the segment
  std::vector<std::unique_ptr<RememberedBlock>> workers_;
};

std::uint64_t kept_documents(DedupRun& run) {
  DedupOutcome outcome(run);
  Decision decision;
  std::vector<ByteRange> spans;
  std::uint64_t kept = 0;
  while (outcome.next(decision, spans)) kept += decision.kept() ? 1 : 0;
  return kept - run.report.read.bad_records;
}

// Returns how many documents joined the library.
std::uint64_t add_segment(DedupRun& run, library::LibraryWriter& library, const std::string& name) {
  const std::uint64_t kept = run.documents();
  const std::uint64_t added = SegmentFiller(run, library.add(name, kept, run.context, run.budget, run.temp)).add_all();
  library.merge_small(run.context, run.budget, run.temp);
  library.commit();
  return added;
}

std::uint64_t grow_library(DedupRun& run) {
  const library::Manifest& manifest = run.library->manifest();
  // A killed run may already have committed its documents.
  const auto is_own = [&](const library::SegmentInfo& segment) { return segment.run == run.library_run; };
  if (std::ranges::any_of(manifest.segments, is_own) ||
      std::ranges::find(manifest.runs, run.library_run) != manifest.runs.end())
    return kept_documents(run);
  if (library_state(run) != run.looked_up)
    throw Error(Errc::bad_input,
                fmt::format("{}: the library changed since this run looked into it; start again with `force`",
                            run.options.library.string()));
  // After the commit, no earlier stage could be run again, because its documents would all be known.
  run.dir.sync();
  return add_segment(run, *run.library, run.library_run);
}

std::uint64_t leave_library(DedupRun& run) {
  std::uint64_t added = 0;
  SecondReading(run).make("library", [&](const fs::path& folder) {
    std::error_code ignored;
    fs::remove(folder, ignored);  // an existing folder is not extended
    library::LibraryWriter library(folder, layout_of(run.options, bands_of(run.near)), run.name);
    added = add_segment(run, library, run.name);
    return run.report.read.documents;
  });
  return added;
}

}  // namespace

void dedup_library(DedupRun& run) {
  run.report.known.added = run.library != nullptr ? grow_library(run) : leave_library(run);
}

std::unique_ptr<library::LibraryWriter> open_library(const DedupOptions& options, const NearFinder* near) {
  return std::make_unique<library::LibraryWriter>(options.library, layout_of(options, bands_of(near)));
}

std::string library_state(const DedupRun& run) {
  if (run.library == nullptr || run.library->manifest().generation == 0) return {};
  return library::identity_of(run.library->manifest());
}

std::string new_run_name() {
  std::random_device random;
  std::string name;
  while (name.size() < 32) name += fmt::format("{:08x}", random());
  return name;
}

void check_order(DedupRun& run) {
  if (run.options.keep.rank == Rank::first) return;
  std::uint64_t best = kLastKey;
  run::ColumnReader<std::uint64_t> keys(run.dir.work("keys"));
  for (std::uint64_t key = 0; keys.next(key);) best = std::min(best, key);
  const Libraries libraries(run.options, run.budget);
  for (std::size_t i = 0; i < libraries.size(); ++i)
    for (const library::SegmentInfo& segment : libraries.manifest(i).segments)
      if (segment.documents != segment.removed && best < segment.greatest_rank)
        throw Error(
            Errc::invalid_argument,
            fmt::format("`keep` {}: some documents of the input rank before documents of the library, which would "
                        "have to give way, and what was kept stays; use `keep` first",
                        to_string(run.options.keep)));
}

}  // namespace refrain::verbs::dedup
