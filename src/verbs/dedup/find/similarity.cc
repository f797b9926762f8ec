#include "verbs/dedup/find/similarity.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/attachment.h"
#include "engines/sketch/feature_set.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kHeldText = std::size_t{1} << 20;
constexpr std::size_t kHeldWindows = std::size_t{64} << 10;  // size of a text whose windows are held
constexpr std::size_t kHeldWritten = std::size_t{128} << 10;

}  // namespace

Similarity::Similarity(DedupRun& run, const text::FeaturePlan& plan, std::uint64_t memory_bytes)
    : window_(plan.window),
      symbols_(run.compares_symbols()),
      texts_(run),
      sets_(plan, run.budget, memory_bytes),
      room_(run.budget.reserve(0, "")) {}

double Similarity::of(DocId a, DocId b, double threshold) {
  const sketch::WindowSets::Set& first = set_of(a);
  return sketch::jaccard_from(threshold, first, set_of(b));
}

sketch::Loss Similarity::loss(DocId removed, DocId kept) {
  sketch::Loss loss = lost_words(removed, kept);
  loss.attachments = lost_attachments(removed, kept);
  if (symbols_ && std::max(texts_.bytes(removed), texts_.bytes(kept)) <= sketch::WrittenReader::kMostBytes) {
    if (written_bytes_ > kHeldWritten) {
      written_.clear();
      written_bytes_ = 0;
    }
    loss.written = static_cast<float>(sketch::written_similarity(written(removed), written(kept), window_));
  }
  return loss;
}

const sketch::WrittenTokens& Similarity::written(DocId document) {
  const auto [found, is_new] = written_.try_emplace(document);
  if (is_new) {
    reader_.read(texts_.get(document, scratch_), found->second);
    found->second.hashes.shrink_to_fit();
    written_bytes_ += 2 * sizeof *found + found->second.hashes.size() * sizeof(std::uint64_t);
  }
  return found->second;
}

sketch::Loss Similarity::lost_words(DocId removed, DocId kept) {
  const sketch::WindowSets::Set& first = set_of(removed);
  const sketch::WindowSets::Set& second = set_of(kept);
  const std::uint64_t bytes = texts_.bytes(removed);
  if (bytes <= kHeldText) {
    sketch::own_features(first, second, own_);
    if (own_.empty()) return {};
    return bytes <= kHeldWindows ? sketch::loss_of(windows_of(removed), own_, window_)
                                 : sketch::loss_of(texts_.get(removed, scratch_), own_, window_, sets_.stream());
  }
  // For a long text, this takes no more memory than making its set did.
  room_.resize(bytes, "a long document");
  const sketch::Loss loss = sketch::loss_against(texts_.get(removed, scratch_), first, second, window_, sets_.stream());
  std::string().swap(scratch_);
  room_.resize(0, "");
  return loss;
}

std::uint32_t Similarity::lost_attachments(DocId removed, DocId kept) {
  if (bare_ == removed) return 0;
  const auto room = [&](std::uint64_t bytes) { room_.resize(bytes > kHeldText ? bytes : 0, "a long document"); };
  room(texts_.bytes(removed));
  const std::string_view text = texts_.get(removed, scratch_);
  std::uint32_t lost = 0;
  if (has_attachments(text)) {
    room(texts_.bytes(removed) + texts_.bytes(kept));
    std::string other;
    lost = attachments_lost(text, texts_.get(kept, other));
  } else {
    bare_ = removed;
  }
  if (scratch_.capacity() > kHeldText) std::string().swap(scratch_);
  room(0);
  return lost;
}

// Holds the windows of one document, because the pairs of a document come one after another.
const std::vector<std::uint64_t>& Similarity::windows_of(DocId document) {
  if (windows_document_ == document) return windows_;
  windows_document_ = document;
  windows_.clear();
  sets_.stream().start(texts_.get(document, scratch_));
  for (std::span<const std::uint64_t> features; sets_.stream().next(features);)
    windows_.insert(windows_.end(), features.begin(), features.end());
  return windows_;
}

const sketch::WindowSets::Set& Similarity::set_of(DocId document) {
  if (const sketch::WindowSets::Set* known = sets_.find(document)) return *known;
  const std::uint64_t bytes = texts_.bytes(document);
  const sketch::WindowSets::Set& set = sets_.add(
      document, bytes, bytes, [&] { return texts_.get(document, scratch_); }, texts_.left_out(document));
  // A long text is not kept, because its memory is no longer reserved.
  if (scratch_.capacity() > kHeldText) std::string().swap(scratch_);
  return set;
}

}  // namespace refrain::verbs::dedup
