#include "engines/blot/document_writer.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/hash.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::blot {

namespace {

constexpr int kTextLevel = 3;

template <class T>
void append_bytes(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

std::uint64_t id_hash(std::string_view id) {
  return checksum(id);
}

DocumentWriter::DocumentWriter(const std::filesystem::path& folder, std::string_view root, MemoryBudget& budget)
    : out_((folder / kBlotDocumentsName).string(), kBlotDocumentsMagic, kBlotFormatVersion),
      root_(root),
      paths_(budget, "the paths of the documents"),
      groups_(budget, "the table of documents"),
      ids_(budget, "the ids of the documents") {}

std::uint64_t DocumentWriter::path_number(const std::string& path) {
  if (paths_count_ == 1 || last_path_ != path) {
    std::string bytes;
    store::append_varint(bytes, path.size());
    paths_.append(bytes);
    paths_.append(path);
    last_path_ = path;
    ++paths_count_;
  }
  return paths_count_ - 1;
}

void DocumentWriter::add(const DocumentInfo& document) {
  if (totals_.documents >= kMaxDocuments)
    throw Error(Errc::unsupported, "a segment of an index holds at most 4,294,967,296 documents");
  if (totals_.documents % kGroupDocuments == 0) {
    groups_.push_back({out_.position(), totals_.blocks});
    last_id_.clear();
  }
  row_.clear();
  const auto shared = static_cast<std::size_t>(
      std::mismatch(last_id_.begin(), last_id_.end(), document.id.begin(), document.id.end()).first - last_id_.begin());
  store::append_varint(row_, shared);
  store::append_varint(row_, document.id.size() - shared);
  row_.append(document.id, shared);
  store::append_varint(row_, document.tokens);
  store::append_varint(row_, document.text_bytes);
  const TextPlace& place = document.place;
  if (place.home != TextLocation::stored &&
      std::filesystem::path(place.home == TextLocation::file ? document.id : place.path).is_relative())
    relative_ = true;
  store::append_varint(row_, static_cast<std::uint64_t>(place.home));
  if (is_part(place.home)) {
    store::append_varint(row_, path_number(place.path));
    store::append_varint(row_, static_cast<std::uint64_t>(place.format));
    store::append_varint(row_, place.begin);
    store::append_varint(row_, place.bytes);
  } else if (place.home == TextLocation::stored) {
    store::append_varint(row_, place.stored);
    for (const std::uint64_t bytes : place.frames) store::append_varint(row_, bytes);
  }
  marks_.clear();
  for (std::size_t i = 0; i < document.marks.size(); ++i) {
    append_bytes(marks_, document.marks[i].checksum);
    if (i + 1 == document.marks.size()) break;
    store::append_varint(marks_, document.marks[i + 1].begin - document.marks[i].begin);
    if (place.home == TextLocation::json)
      store::append_varint(marks_, document.marks[i + 1].raw - document.marks[i].raw);
  }
  store::append_varint(row_, marks_.size());
  row_ += marks_;
  out_.write(row_);
  last_id_ = document.id;
  ids_.push_back(id_hash(document.id) >> 32U << 32U | totals_.documents);
  ++totals_.documents;
  totals_.tokens += document.tokens;
  totals_.blocks += blocks_of(document.tokens);
  totals_.text_bytes += document.text_bytes;
}

DocumentTotals DocumentWriter::finish() {
  const std::uint64_t paths_place = out_.position();
  row_.clear();
  const std::string_view root = relative_ ? std::string_view(root_) : std::string_view();
  store::append_varint(row_, root.size());
  row_ += root;
  out_.write(row_);
  out_.write({paths_.data(), paths_.size()});
  const std::uint64_t groups_place = out_.position();
  out_.write({reinterpret_cast<const char*>(groups_.data()), groups_.size() * sizeof(Group)});
  const std::uint64_t ids_place = out_.position();
  std::sort(ids_.begin(), ids_.end());
  for (std::uint64_t& id : ids_) id = id >> 32U | id << 32U;  // on disk, the hash comes first
  out_.write({reinterpret_cast<const char*>(ids_.data()), ids_.size() * sizeof(std::uint64_t)});
  std::string tail;
  for (const std::uint64_t value : {totals_.documents, totals_.tokens, totals_.blocks, totals_.text_bytes, paths_count_,
                                    paths_place, groups_place, ids_place})
    append_bytes(tail, value);
  totals_.file = out_.finish(tail);
  return totals_;
}

struct TextPacker::Impl {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(), ZSTD_freeCCtx};
};

TextPacker::TextPacker() : impl_(std::make_unique<Impl>()) {
  if (!impl_->context) throw std::bad_alloc();
}

TextPacker::~TextPacker() = default;

PackedText TextPacker::pack(std::string_view text, std::span<const TextMark> marks) {
  PackedText packed;
  packed.text_bytes = text.size();
  for (std::size_t i = 0; i < marks.size(); i += kFrameMarks) {
    const std::size_t next = i + kFrameMarks;
    const std::uint64_t end = next < marks.size() ? marks[next].begin : text.size();
    const std::string_view part = text.substr(marks[i].begin, end - marks[i].begin);
    const std::size_t before = packed.bytes.size();
    packed.bytes.resize(before + ZSTD_compressBound(part.size()));
    const std::size_t size = ZSTD_compressCCtx(impl_->context.get(), packed.bytes.data() + before,
                                               packed.bytes.size() - before, part.data(), part.size(), kTextLevel);
    if (ZSTD_isError(size) != 0) throw Error(Errc::io, "cannot compress texts");
    packed.bytes.resize(before + size);
    packed.frames.push_back(size);
  }
  return packed;
}

TextWriter::TextWriter(const std::filesystem::path& folder)
    : out_((folder / kBlotTextsName).string(), kBlotTextsMagic, kBlotFormatVersion) {}

std::uint64_t TextWriter::add(const PackedText& packed) {
  const std::uint64_t place = out_.position();
  out_.write(packed.bytes);
  text_bytes_ += packed.text_bytes;
  return place;
}

store::PageFileId TextWriter::finish() {
  std::string tail;
  append_bytes(tail, text_bytes_);
  return out_.finish(tail);
}

}  // namespace refrain::blot
