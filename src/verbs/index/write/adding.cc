#include "verbs/index/write/adding.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/threads.h"
#include "corpus/files/raw.h"
#include "corpus/formats/raw_json.h"
#include "refrain/error.h"
#include "verbs/run/skipped.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kUsualBits = 30;  // the minimum, since a small index may grow

// Finds the positions of the marks in the raw text. Returns false if one lies inside an escape sequence.
bool find_raw(std::string_view raw, std::vector<blot::TextMark>& marks) {
  corpus::RawJsonPosition position(raw);
  for (blot::TextMark& mark : marks) {
    const std::optional<std::uint64_t> found = position.advance_to(mark.begin);
    if (!found) return false;
    mark.raw = *found;
  }
  return true;
}

// The ordinal after `id`, if that is an ordinal, else 0. Documents without ids of their own are numbered from there on.
std::uint64_t ordinal_behind(const std::string& id) {
  constexpr std::size_t kMostDigits = 15;
  if (id.empty() || id.size() > kMostDigits || (id.size() > 1 && id.front() == '0')) return 0;
  if (!std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; })) return 0;
  return std::stoull(id) + 1;
}

}  // namespace

std::uint64_t expected_posts(const IndexLayout& layout, std::uint64_t text_bytes) {
  const std::uint64_t tokens = text_bytes / (text::tokens_are_characters(layout.tokenizer) ? 1 : 6);
  const std::uint64_t windows = layout.sampling == BlotSampling::all ? tokens : tokens * 2 / (layout.window / 2 + 1);
  return windows + (layout.pairs ? tokens / 4 : 0);
}

unsigned bits_for(std::uint64_t posts) {
  return std::clamp(static_cast<unsigned>(std::bit_width(posts)) + 8, kUsualBits, kMaxBlotBits);
}

struct DocumentAdder::Done {
  explicit Done(MemoryBudget& budget) : posts(budget, "the posts of a batch"), packed(budget.reserve(0, "texts")) {}

  struct Where {
    bool refer = false;
    bool json = false;        // the positions of its marks in the raw text are known
    std::uint64_t begin = 0;  // from the beginning of the batch
    std::uint64_t bytes = 0;
  };
  Array<PostWord> posts;
  Reservation packed;
  std::vector<DocumentDigest> documents;
  std::vector<std::uint8_t> bad;
  std::vector<Where> where;
  corpus::BatchIds ids;
  bool whole_files = false;
  std::string path;  // of a file of records
  Format format = {};
  bool first = false;
  std::uint64_t raw_bytes = 0;
};

DocumentAdder::DocumentAdder(fs::path folder, blot::Manifest& manifest, const Context& context, MemoryBudget& budget,
                             TempSpace& temp)
    : folder_(std::move(folder)),
      manifest_(manifest),
      context_(context),
      budget_(budget),
      temp_(temp),
      root_(current_folder().string()),
      tokenizer_(text::make_tokenizer(manifest.layout.tokenizer)) {}

ReadReport DocumentAdder::add(const InputOptions& input, std::uint64_t bytes) {
  expected_posts_ = expected_posts(manifest_.layout, bytes);
  first_ordinal_ = manifest_.next_ordinal;
  std::vector<std::unique_ptr<DocumentDigester>> digesters(thread_count(context_));
  ReadReport report = run::read_listed(
      input, context_, budget_,
      [&](unsigned worker, corpus::Batch& batch) -> corpus::InOrder {
        if (const std::shared_ptr<SegmentBuilder> builder = current_builder()) builder->shuffle(worker);
        if (!digesters[worker]) digesters[worker] = std::make_unique<DocumentDigester>(manifest_.layout, *tokenizer_);
        auto done = std::make_shared<Done>(budget_);
        const corpus::RawBatch& raw = *batch.raw;
        done->whole_files = !raw.files.empty();
        std::uint64_t packed = 0;
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          Done::Where& where = done->where.emplace_back();
          DocumentDigest& digest = done->documents.emplace_back();
          digest.posts_end = done->posts.size();
          if (batch.bad[i] != 0) continue;
          // In web archives, Parquet files and pages, the text does not occur verbatim.
          const bool there = done->whole_files ? !raw.files[i].converted : raw.texts[i].data() != nullptr;
          where.refer =
              there && corpus::has_places(done->whole_files ? raw.files[i] : raw.file) && !manifest_.layout.store_text;
          if (!done->whole_files && there) {
            where.begin = static_cast<std::uint64_t>(raw.texts[i].data() - raw.bytes.data());
            where.bytes = raw.texts[i].size();
          }
          digest = digesters[worker]->digest(batch.texts[i], !where.refer, done->posts);
          if (where.refer && !done->whole_files && raw.file.input->format->storage == corpus::Storage::json)
            where.json = find_raw(raw.texts[i], digest.marks);
          if (digest.packed) packed += digest.packed->bytes.size();
        }
        done->packed.resize(packed, "texts to be stored");
        done->posts.resize(done->posts.size());
        done->bad = batch.bad;
        done->ids = std::move(batch.ids);
        if (!done->whole_files && raw.file.input != nullptr) {
          done->path = raw.file.input->path;
          done->format = raw.file.input->format->id;
        }
        done->first = raw.first;
        done->raw_bytes = raw.bytes.size();
        return [this, done](DocId first) { take(*done, first); };
      },
      {.stage = "read", .raw = true, .bytes = bytes});
  manifest_.next_ordinal = std::max(manifest_.next_ordinal, first_ordinal_ + report.documents + report.bad_records);
  return report;
}

void DocumentAdder::take(Done& done, DocId first) {
  if (done.first) raw_begin_ = 0;
  std::vector<PlacedPosts::Part> parts;
  std::size_t begin = 0;  // the range of posts for the current segment
  std::size_t end = 0;
  const auto hand_over = [&] {
    const bool all = begin == 0 && end == done.posts.size();
    Array<PostWord> posts(budget_, "the posts of a batch");
    if (!all) posts.append(std::span(done.posts.data() + begin, end - begin));
    builder_->add({all ? std::move(done.posts) : std::move(posts), std::exchange(parts, {})});
    begin = end;
  };
  for (std::size_t i = 0; i < done.documents.size(); ++i) {
    DocumentDigest& digest = done.documents[i];
    if (done.bad[i] != 0) continue;
    blot::TextPlace place;
    if (done.where[i].refer && !done.whole_files) {
      place.home = done.where[i].json ? blot::TextLocation::json : blot::TextLocation::part;
      place.path = done.path;
      place.format = done.format;
      place.begin = raw_begin_ + done.where[i].begin;
      place.bytes = done.where[i].bytes;
    }
    std::string id = done.ids.ordinals ? std::to_string(first_ordinal_ + first + i) : std::string(done.ids[i]);
    if (builder_ && !builder_->has_room(digest.tokens)) {
      hand_over();
      end_segment();
    }
    const std::uint64_t base = take_document(std::move(id), std::move(place), digest);
    end = digest.posts_end;
    parts.push_back({end - begin, base});
  }
  if (!parts.empty()) hand_over();
  raw_begin_ += done.raw_bytes;
}

std::uint64_t DocumentAdder::take_document(std::string id, blot::TextPlace place, DocumentDigest& digest) {
  if (!builder_) {
    number_ = store::take_segment_number(folder_, manifest_.next_segment);
    blot::SegmentInfo info;
    info.number = number_;
    const fs::path folder = store::segment_path(folder_, info.number);
    make_folder(folder);
    set_builder(
        std::make_shared<SegmentBuilder>(folder, manifest_.layout, root_, expected_posts_, context_, budget_, temp_));
    if (!builder_->has_room(digest.tokens))
      throw Error(Errc::unsupported,
                  id + ": too many tokens for blots of this size; create the index with more `blot_bits`");
  }
  if (digest.packed) ++stored_;
  manifest_.next_ordinal = std::max(manifest_.next_ordinal, ordinal_behind(id));
  return builder_->add(std::move(id), std::move(place), digest);
}

void DocumentAdder::add_one(std::string id, blot::TextPlace place, std::string_view text, bool store) {
  Array<PostWord> posts(budget_, "the posts of a document");
  DocumentDigest digest = DocumentDigester(manifest_.layout, *tokenizer_).digest(text, store, posts);
  if (builder_ && !builder_->has_room(digest.tokens)) end_segment();
  const std::uint64_t base = take_document(std::move(id), std::move(place), digest);
  builder_->add({std::move(posts), {{digest.posts_end, base}}});
  builder_->shuffle(0);
}

void DocumentAdder::add(const std::vector<QueryDocument>& documents) {
  for (const QueryDocument& document : documents) {
    throw_if_stopped(context_);
    add_one(document.id, {}, document.text, true);
  }
}

void DocumentAdder::add(const std::string& id, const blot::TextPlace& place, std::string_view text) {
  add_one(id, place, text, place.home == blot::TextLocation::stored);
}

std::shared_ptr<SegmentBuilder> DocumentAdder::current_builder() {
  const std::lock_guard lock(builder_mutex_);
  return builder_;
}

void DocumentAdder::set_builder(std::shared_ptr<SegmentBuilder> builder) {
  const std::lock_guard lock(builder_mutex_);
  builder_ = std::move(builder);
}

void DocumentAdder::end_segment() {
  if (!builder_) return;
  segments_.push_back(builder_->finish(number_));
  set_builder(nullptr);
}

std::vector<blot::SegmentInfo> DocumentAdder::finish() {
  end_segment();
  return std::move(segments_);
}

}  // namespace refrain::verbs::index
