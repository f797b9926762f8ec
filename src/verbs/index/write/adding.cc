#include "verbs/index/write/adding.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/threads.h"
#include "corpus/files/raw.h"
#include "corpus/formats/raw_json.h"
#include "corpus/source/join_hyphens.h"
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

// A batch may have hundreds of thousands of short documents, so their marks and packed texts are not allocated one by
// one.
struct DocumentAdder::Done {
  explicit Done(MemoryBudget& budget) : posts(budget, "the posts of a batch"), held(budget.reserve(0, "a batch")) {}

  struct Document {
    std::uint64_t tokens = 0;
    std::uint64_t text_bytes = 0;
    std::uint64_t posts_end = 0;
    std::uint64_t begin = 0;  // of its text, from the beginning of the batch
    std::uint64_t bytes = 0;
    std::uint32_t marks = 0;
    std::uint32_t frames = 0;
    bool bad = false;
    bool refer = false;
    bool json = false;    // the positions of its marks in the raw text are known
    bool packed = false;  // its text is stored
  };
  static constexpr std::size_t kLongText = std::size_t{64} << 10;  // when packed
  static constexpr std::uint64_t kIdBytes = 24;
  static constexpr std::uint64_t kRecordBytes =
      sizeof(Document) + sizeof(blot::TextMark) + sizeof(PlacedPosts::Part) + kIdBytes;

  void add(Document document, DocumentDigest digest);
  // The digest of each document once, in order.
  DocumentDigest next_digest(const Document& document);
  std::uint64_t held_bytes() const {
    std::uint64_t bytes = documents.capacity() * sizeof(Document) + marks.capacity() * sizeof(blot::TextMark) +
                          frames.capacity() * sizeof(std::uint64_t) + packed.capacity();
    for (const std::string& text : long_packed) bytes += text.capacity();
    return bytes;
  }

  Array<PostWord> posts;
  Reservation held;
  std::vector<Document> documents;
  std::vector<blot::TextMark> marks;
  std::vector<std::uint64_t> frames;
  std::string packed;                    // texts up to kLongText,
  std::vector<std::string> long_packed;  // and the others, which are not copied
  std::size_t next_mark = 0;
  std::size_t next_frame = 0;
  std::size_t next_packed = 0;
  std::size_t next_long = 0;
  corpus::BatchIds ids;
  bool whole_files = false;
  std::string path;  // of a file of records
  Format format = {};
  bool first = false;
  std::uint64_t raw_bytes = 0;
};

void DocumentAdder::Done::add(Document document, DocumentDigest digest) {
  document.tokens = digest.tokens;
  document.text_bytes = digest.text_bytes;
  document.marks = static_cast<std::uint32_t>(digest.marks.size());
  marks.insert(marks.end(), digest.marks.begin(), digest.marks.end());
  if (digest.packed) {
    document.packed = true;
    document.frames = static_cast<std::uint32_t>(digest.packed->frames.size());
    frames.insert(frames.end(), digest.packed->frames.begin(), digest.packed->frames.end());
    if (digest.packed->bytes.size() > kLongText)
      long_packed.push_back(std::move(digest.packed->bytes));
    else
      packed += digest.packed->bytes;
  }
  documents.push_back(document);
}

DocumentDigest DocumentAdder::Done::next_digest(const Document& document) {
  DocumentDigest digest;
  digest.tokens = document.tokens;
  digest.text_bytes = document.text_bytes;
  digest.posts_end = document.posts_end;
  const auto mark = marks.begin() + static_cast<std::ptrdiff_t>(next_mark);
  digest.marks.assign(mark, mark + document.marks);
  next_mark += document.marks;
  if (!document.packed) return digest;
  blot::PackedText& text = digest.packed.emplace();
  const auto frame = frames.begin() + static_cast<std::ptrdiff_t>(next_frame);
  text.frames.assign(frame, frame + document.frames);
  text.text_bytes = document.text_bytes;
  const std::size_t bytes = std::accumulate(text.frames.begin(), text.frames.end(), std::size_t{0});
  next_frame += document.frames;
  if (bytes > kLongText) {
    text.bytes = std::move(long_packed[next_long++]);
  } else {
    text.bytes = packed.substr(next_packed, bytes);
    next_packed += bytes;
  }
  return digest;
}

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
  corpus::refuse_joined(input);
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
        done->documents.reserve(batch.texts.size());
        done->marks.reserve(batch.texts.size());
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          Done::Document document{.posts_end = done->posts.size(), .bad = batch.bad[i] != 0};
          if (document.bad) {
            done->documents.push_back(document);
            continue;
          }
          // In web archives, Parquet files and pages, the text does not occur verbatim.
          const bool there = done->whole_files ? !raw.files[i].converted : raw.texts[i].data() != nullptr;
          document.refer =
              there && corpus::has_places(done->whole_files ? raw.files[i] : raw.file) && !manifest_.layout.store_text;
          if (!done->whole_files && there) {
            document.begin = static_cast<std::uint64_t>(raw.texts[i].data() - raw.bytes.data());
            document.bytes = raw.texts[i].size();
          }
          DocumentDigest digest = digesters[worker]->digest(batch.texts[i], !document.refer, done->posts);
          document.posts_end = digest.posts_end;
          if (document.refer && !done->whole_files && raw.file.input->format->storage == corpus::Storage::json)
            document.json = find_raw(raw.texts[i], digest.marks);
          done->add(document, std::move(digest));
        }
        done->held.resize(done->held_bytes(), "the documents of a batch");
        done->posts.resize(done->posts.size());
        done->ids = std::move(batch.ids);
        if (!done->whole_files && raw.file.input != nullptr) {
          done->path = raw.file.input->path;
          done->format = raw.file.input->format->id;
        }
        done->first = raw.first;
        done->raw_bytes = raw.bytes.size();
        return [this, done](DocId first) { take(*done, first); };
      },
      {.stage = "read", .raw = true, .bytes = bytes, .record_bytes = Done::kRecordBytes});
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
    const Done::Document& document = done.documents[i];
    if (document.bad) continue;
    DocumentDigest digest = done.next_digest(document);
    blot::TextPlace place;
    if (document.refer && !done.whole_files) {
      place.home = document.json ? blot::TextLocation::json : blot::TextLocation::part;
      place.path = done.path;
      place.format = done.format;
      place.begin = raw_begin_ + document.begin;
      place.bytes = document.bytes;
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
