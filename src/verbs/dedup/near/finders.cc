// The table of methods.
#include "verbs/dedup/near/finder.h"

#include <iterator>

#include "refrain/error.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

namespace {

struct Row {
  NearMethod method;
  NearMethodInfo info;
  std::unique_ptr<NearFinder> (*make)(const DedupOptions& options, const std::optional<Bands>& bands);
};

constexpr Row kMethods[] = {
    {NearMethod::minhash, {.name = "minhash", .threshold = kDefaultThreshold}, make_minhash},
    {NearMethod::simhash, {.name = "simhash", .threshold = 0.5, .uses_distance = true}, make_simhash},
    {NearMethod::off,
     {.name = "off", .threshold = kDefaultThreshold},
     [](const DedupOptions&, const std::optional<Bands>&) { return std::unique_ptr<NearFinder>(); }}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kMethods); ++i)
    if (static_cast<std::size_t>(kMethods[i].method) != i) return false;
  return true;
}
static_assert(in_order(), "the rows stand in the order of NearMethod");

const Row& row_of(NearMethod method) {
  return kMethods[static_cast<std::size_t>(method)];
}

}  // namespace

std::unique_ptr<NearFinder> make_finder(const DedupOptions& options, const std::optional<Bands>& bands) {
  return row_of(options.near).make(options, bands);
}

NearDevice near_device(const DedupOptions& options, const NearFinder* finder) {
  if (options.device.kind != DeviceKind::cuda || finder == nullptr) return {};
  std::string why;
  std::optional<cuda::SketchRule> rule = finder->device_rule(options.windows, why);
  if (!rule) throw Error(Errc::unsupported, why + "; use `device` cpu");
  rule->digests = true;
  return {cuda::open_device(options.device, true), *std::move(rule)};
}

std::size_t NearFinder::width() const {
  std::size_t width = 0;
  for (const SketchColumn& column : columns()) width += column.width;
  return width;
}

}  // namespace refrain::verbs::dedup

namespace refrain {

const NearMethodInfo& near_method_info(NearMethod method) {
  return verbs::dedup::row_of(method).info;
}

std::vector<std::string_view> near_method_names() {
  std::vector<std::string_view> names;
  for (const verbs::dedup::Row& row : verbs::dedup::kMethods) names.push_back(row.info.name);
  return names;
}

}  // namespace refrain

namespace refrain::verbs::dedup {

Sketches::Sketches(DedupRun& run, const SketchColumn& column)
    : width_(column.width), held_(run.budget, "the signatures") {
  if (run.documents() * width_ <= run.budget.available() / 2)
    held_ = run::load_column<std::uint8_t>(run.sketches(column.name), run.budget, "the signatures", run.threads);
  else
    file_.emplace(run.sketches(column.name));
  filter_ = run.near->filter(run);
}

const std::uint8_t* Sketches::get(DocId document, std::vector<std::uint8_t>& scratch) const {
  if (!file_) return held_.data() + document * width_;
  scratch.resize(width_);
  file_->read(document * width_, {reinterpret_cast<char*>(scratch.data()), scratch.size()});
  return scratch.data();
}

}  // namespace refrain::verbs::dedup
