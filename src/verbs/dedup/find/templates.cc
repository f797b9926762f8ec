// dedup: finds the text that many otherwise different documents of one source share, in a sample of its documents.
//
// The sample of a source consists of the documents with the least digests. It depends on the texts alone and
// contains copies once. It is drawn from all documents, with limits on the number of sources, the documents per
// source, and the bytes. Where templates are found, the sketches of the documents of those sources are recomputed
// from what is left.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "engines/sketch/templates.h"
#include "refrain/matches.h"
#include "text/windows.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/columns/template_file.h"

namespace refrain::verbs::dedup {

namespace {

static_assert(TemplateSample::kMostSources == run::kMostTemplateSources);
constexpr std::uint64_t kWorkBytes = std::uint64_t{24} << 20U;  // approximate memory to find the templates of a source
constexpr std::string_view kSampleOfSite = "a sample of the sources";

struct Sampled {
  Digest digest;
  DocId document = 0;
  std::uint64_t bytes = 0;
};

struct Site {
  std::uint64_t number = 0;
  std::uint64_t documents = 0;  // number of different texts
  std::vector<Sampled> sample = {};
};

// Calls each(document, digest, bytes) for every document that is compared: the first one of each text.
template <class Each>
void for_each_compared(DedupRun& run, const Array<std::uint64_t>& sites, Each each) {
  run::ColumnReader<DocId> heads(run.dir.work("heads"));
  run::ColumnReader<Digest> digests(run.dir.work("hashes"));
  run::ColumnReader<std::uint64_t> ends(run.dir.work("text_ends"));
  DocId head = 0;
  Digest text;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  for (DocId document = 0; heads.next(head) && digests.next(text) && ends.next(end); ++document) {
    if (head == document && sites[document] != 0) each(document, text, end - begin);
    begin = end;
  }
}

// The sources with the most documents, the largest first.
std::vector<Site> largest_sites(DedupRun& run, const Array<std::uint64_t>& sites) {
  Array<std::uint64_t> all(run.budget, "the sources of the documents");
  for_each_compared(run, sites, [&](DocId document, const Digest&, std::uint64_t) { all.push_back(sites[document]); });
  std::sort(all.begin(), all.end());
  std::vector<Site> largest;
  const auto before = [](const Site& a, const Site& b) {
    return a.documents != b.documents ? a.documents > b.documents : a.number < b.number;
  };
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    while (end < all.size() && all[end] == all[i]) ++end;
    if (end - i < TemplateSample::kLeastDocuments) continue;
    largest.push_back({all[i], end - i});
    std::push_heap(largest.begin(), largest.end(), before);
    if (largest.size() <= TemplateSample::kMostSources) continue;
    std::pop_heap(largest.begin(), largest.end(), before);
    largest.pop_back();
  }
  std::sort_heap(largest.begin(), largest.end(), before);
  return largest;
}

// Fills the samples, reserving their memory in `room`. Drops the sources that do not fit.
void draw(DedupRun& run, const Array<std::uint64_t>& sites, std::vector<Site>& drawn, Reservation& room) {
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    places.emplace(drawn[i].number, i);
    drawn[i].sample.reserve(std::min(static_cast<std::size_t>(drawn[i].documents), TemplateSample::kMostDocuments) + 1);
    room.resize(room.bytes() + drawn[i].sample.capacity() * sizeof(Sampled), kSampleOfSite);
  }
  const auto before = [](const Sampled& a, const Sampled& b) { return a.digest < b.digest; };
  for_each_compared(run, sites, [&](DocId document, const Digest& text, std::uint64_t bytes) {
    const auto found = places.find(sites[document]);
    if (found == places.end() || bytes > TemplateSample::kDocumentBytes) return;
    std::vector<Sampled>& sample = drawn[found->second].sample;
    if (sample.size() == TemplateSample::kMostDocuments && !(text < sample.back().digest)) return;
    const Sampled one{text, document, bytes};
    const auto place = std::lower_bound(sample.begin(), sample.end(), one, before);
    if (place != sample.end() && place->digest == text) return;  // a copy, when exact copies are not searched for
    sample.insert(place, one);
    if (sample.size() > TemplateSample::kMostDocuments) sample.pop_back();
  });
  std::uint64_t left = std::max(TemplateSample::kAllBytes, run.report.read.text_bytes / TemplateSample::kShareOfText);
  std::size_t fit = 0;
  for (Site& site : drawn) {
    std::uint64_t bytes = 0;
    std::size_t few = 0;
    while (few < site.sample.size() && bytes + site.sample[few].bytes <= TemplateSample::kSourceBytes)
      bytes += site.sample[few++].bytes;
    site.sample.resize(few);
    if (bytes > left) break;
    left -= bytes;
    ++fit;
  }
  drawn.resize(fit);
}

// Reads the windows of a sample's documents, in order, and finds the templates among them.
class SiteReader {
 public:
  SiteReader(DedupRun& run, const text::FeaturePlan& plan)
      : run_(run),
        texts_(run.texts(), run.dir.work("text_ends")),
        stream_(plan),
        reservation_(run.budget.reserve(0, kSampleOfSite)) {}

  std::vector<std::uint64_t> templates(const Site& site) {
    constexpr std::uint64_t kCopies = 4;  // in order, as sets, all together, and those not shared
    std::vector<std::vector<std::uint64_t>> documents;
    std::uint64_t bytes = 0;
    for (const Sampled& one : site.sample) {
      std::vector<std::uint64_t>& windows = documents.emplace_back();
      stream_.start(texts_.get(one.document, scratch_));
      for (std::span<const std::uint64_t> features; stream_.next(features);)
        windows.insert(windows.end(), features.begin(), features.end());
      windows.shrink_to_fit();
      bytes += kCopies * windows.size() * sizeof(std::uint64_t);
      if (bytes > reservation_.bytes()) reservation_.resize(bytes, kSampleOfSite);
    }
    return sketch::template_windows(
        documents,
        {.window = run_.options.windows.window, .rule = run_.rule(), .least = TemplateSample::kLeastDocuments});
  }

 private:
  DedupRun& run_;
  run::SliceFile texts_;
  text::FeatureStream stream_;
  Reservation reservation_;
  std::string scratch_;
};

std::vector<std::vector<std::uint64_t>> find_templates(DedupRun& run, const std::vector<Site>& sites) {
  std::vector<std::vector<std::uint64_t>> found(sites.size());
  const text::FeaturePlan plan(run.options.windows);
  const auto at_once =
      static_cast<unsigned>(std::clamp<std::uint64_t>(run.budget.available() / 2 / kWorkBytes, 1, run.threads));
  std::vector<std::unique_ptr<SiteReader>> readers(at_once);
  Progress progress(run.context, "templates", "sources", sites.size());
  parallel_for(at_once, sites.size(), [&](unsigned worker, std::size_t i) {
    throw_if_stopped(run.context);
    if (!readers[worker]) readers[worker] = std::make_unique<SiteReader>(run, plan);
    found[i] = readers[worker]->templates(sites[i]);
    progress.add(1);
  });
  progress.finish();
  return found;
}

}  // namespace

void dedup_templates(DedupRun& run) {
  TemplateReport report;
  const Array<std::uint64_t> sites = site_of_each(run);
  // Sources that a library knows keep the templates they have there, because the library's sketches were computed
  // with them.
  KnownTemplates known = known_templates(run, sites);
  std::vector<Site> largest = largest_sites(run, sites);
  std::erase_if(largest, [&](const Site& site) { return known.contains(site.number); });
  Reservation room = run.budget.reserve(0, kSampleOfSite);
  draw(run, sites, largest, room);
  std::vector<std::vector<std::uint64_t>> templates = find_templates(run, largest);
  // Numbers the sources from 1, the largest first, as long as there is room.
  std::unordered_map<std::uint64_t, std::uint16_t> numbers;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    if (templates[i].empty() || report.windows + templates[i].size() > TemplateSample::kMostWindows) continue;
    report.windows += templates[i].size();
    std::swap(templates[numbers.size()], templates[i]);
    numbers.emplace(largest[i].number, static_cast<std::uint16_t>(numbers.size() + 1));
  }
  templates.resize(numbers.size());
  for (auto& [site, windows] : known) {
    if (windows.empty() || numbers.size() == TemplateSample::kMostSources) continue;
    report.windows += windows.size();
    templates.push_back(std::move(windows));
    numbers.emplace(site, static_cast<std::uint16_t>(numbers.size() + 1));
  }
  report.sources = numbers.size();
  if (!templates.empty()) {
    Array<std::uint16_t> of_each(run.budget, "the sources of the documents", sites.size());
    for (DocId document = 0; document < sites.size(); ++document)
      if (const auto found = numbers.find(sites[document]); found != numbers.end()) of_each[document] = found->second;
    run::RunFile file = run.dir.create_work("templates");
    run::write_templates(file, templates, {of_each.data(), of_each.size()});
    run.dir.close(file);
    recompute_sketches(run, report);
  }
  run.report.templates = report;
}

}  // namespace refrain::verbs::dedup
