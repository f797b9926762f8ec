#include "verbs/dedup/near/sketches.h"

#include "verbs/run/columns/column.h"

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
