#include "verbs/known/text_sketch.h"

#include <utility>

#include "base/attachment.h"
#include "engines/sketch/feature_set.h"

namespace refrain::verbs::known {

SketchPlan::SketchPlan(Rules of, library::Layout made) : rules(std::move(of)), layout(std::move(made)) {
  if (layout.lanes == 0) return;
  features.emplace(rules.windows);
  minhash.emplace(rules.lanes, rules.windows.seed);
}

TextSketcher::TextSketcher(const SketchPlan& plan) : plan_(plan), signature_(plan.layout.lanes) {
  if (plan.features) stream_.emplace(*plan.features);
}

void TextSketcher::sketch(std::string_view text, const text::LeftOut* left_out, TextSketch& out) {
  out.digest = digest(text);
  out.signature.clear();
  out.bands.clear();
  out.keys.clear();
  out.windows.clear();
  out.sorted = false;
  if (stream_) {
    text::compared_windows(
        text, left_out, *stream_,
        [&] {
          out.windows.clear();
          plan_.minhash->start(signature_.data());
        },
        [&](std::span<const std::uint64_t> windows) {
          out.windows.insert(out.windows.end(), windows.begin(), windows.end());
          plan_.minhash->add(windows, signature_.data());
        });
    if (!out.windows.empty()) {
      for (const std::uint32_t lane : signature_) out.signature.push_back(static_cast<std::uint8_t>(lane));
      out.bands.resize(plan_.layout.bands);
      band_keys({plan_.layout.bands, plan_.layout.rows}, signature_, out.bands.data());
    }
  }
  library::append_keys(plan_.layout, out.digest, out.signature, out.bands, out.keys);
}

double TextSketcher::similarity(TextSketch& of, std::string_view other, const text::LeftOut* left_out) {
  if (!of.sorted) sketch::make_set(of.windows);
  of.sorted = true;
  text::compared_windows(
      other, left_out, *stream_, [&] { other_.clear(); },
      [&](std::span<const std::uint64_t> windows) { other_.insert(other_.end(), windows.begin(), windows.end()); });
  sketch::make_set(other_);
  return sketch::jaccard_from(plan_.rules.threshold, of.windows, other_);
}

sketch::Loss TextSketcher::loss(std::string_view text, const TextSketch& of, std::string_view other) {
  sketch::own_features(of.windows, other_, own_);
  sketch::Loss loss = sketch::loss_of(text, own_, plan_.features->window, *stream_);
  if (sketch::MatchRule::of(plan_.rules).compares_symbols())
    loss.written = static_cast<float>(sketch::written_similarity(text, other, plan_.features->window, written_));
  loss.attachments = attachments_lost(text, other);
  return loss;
}

}  // namespace refrain::verbs::known
