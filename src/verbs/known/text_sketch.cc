#include "verbs/known/text_sketch.h"

#include <span>
#include <utility>

namespace refrain::verbs::known {

SketchPlan::SketchPlan(Rules of, library::Layout made) : rules(std::move(of)), layout(std::move(made)) {
  if (layout.lanes == 0) return;
  features.emplace(rules.windows);
  minhash.emplace(rules.lanes, rules.windows.seed);
}

void sketch_text(const SketchPlan& plan, std::string_view text, const text::LeftOut* left_out,
                 text::FeatureStream* stream, TextSketch& out) {
  out.digest = digest(text);
  out.signature.clear();
  out.bands.clear();
  out.keys.clear();
  out.windows.clear();
  if (stream != nullptr) {
    std::vector<std::uint32_t> signature(plan.layout.lanes);
    text::compared_windows(
        text, left_out, *stream,
        [&] {
          out.windows.clear();
          plan.minhash->start(signature.data());
        },
        [&](std::span<const std::uint64_t> windows) {
          out.windows.insert(out.windows.end(), windows.begin(), windows.end());
          plan.minhash->add(windows, signature.data());
        });
    if (!out.windows.empty()) {
      for (const std::uint32_t lane : signature) out.signature.push_back(static_cast<std::uint8_t>(lane));
      out.bands.resize(plan.layout.bands);
      band_keys({plan.layout.bands, plan.layout.rows}, signature, out.bands.data());
    }
  }
  library::append_keys(plan.layout, out.digest, out.signature, out.bands, out.keys);
}

}  // namespace refrain::verbs::known
