#include "engines/library/documents.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::library {

namespace {

constexpr std::uint64_t kNoGroup = std::numeric_limits<std::uint64_t>::max();

std::uint64_t groups_of(std::uint64_t documents) {
  return (documents + kGroupDocuments - 1) / kGroupDocuments;
}

}  // namespace

void DocumentGroups::clear() {
  bytes_.clear();
  begins_.clear();
  documents_ = text_bytes_ = greatest_rank_ = 0;
}

void DocumentGroups::add(const NewDocument& document) {
  if (documents_ % kGroupDocuments == 0) {
    end_group();
    begins_.push_back(bytes_.size());
  }
  const bool has_signature = !document.signature.empty();
  const bool has_place = document.place.file != kNoFile;
  const std::uint32_t file = has_place ? document.place.file : file_;
  const std::uint64_t bytes = has_place ? document.place.bytes : 0;
  store::append_varint(rows_, signed_code(file, file_) << 2U | (has_place ? 2U : 0U) | (has_signature ? 1U : 0U));
  store::append_varint(rows_, signed_code(document.source, source_));
  if (has_place) {
    store::append_varint(rows_, signed_code(document.place.begin, file == file_ ? end_ : 0));
    store::append_varint(rows_, bytes);
    end_ = document.place.begin + bytes;
  }
  store::append_varint(rows_, signed_code(document.text_bytes, bytes));
  store::append_varint(rows_, signed_code(document.rank, rank_));
  file_ = file;
  source_ = document.source;
  rank_ = document.rank;
  sketches_.append(reinterpret_cast<const char*>(&document.digest.high), sizeof document.digest.high);
  sketches_.append(reinterpret_cast<const char*>(&document.digest.low), sizeof document.digest.low);
  if (has_signature) sketches_.append(reinterpret_cast<const char*>(document.signature.data()), lanes_);
  ++documents_;
  text_bytes_ += document.text_bytes;
  greatest_rank_ = std::max(greatest_rank_, document.rank);
}

void DocumentGroups::end_group() {
  bytes_ += rows_;
  bytes_ += sketches_;
  rows_.clear();
  sketches_.clear();
  file_ = 0;
  source_ = 0;
  end_ = 0;
  rank_ = 0;
}

DocumentsWriter::DocumentsWriter(const std::filesystem::path& folder, unsigned lanes, TempSpace& temp)
    : out_((folder / kDocumentsName).string(), kDocumentsMagic, kLibraryFormatVersion), lanes_(lanes), groups_(temp) {}

void DocumentsWriter::add(const DocumentGroups& groups) {
  if (documents_ + groups.documents() > kMaxDocuments)
    throw Error(Errc::unsupported, "a segment of a library holds at most 4,294,967,296 documents");
  for (const std::uint64_t begin : groups.begins()) groups_.add(out_.position() + begin);
  out_.write(groups.bytes());
  documents_ += groups.documents();
  text_bytes_ += groups.text_bytes();
  greatest_rank_ = std::max(greatest_rank_, groups.greatest_rank());
}

store::PageFileId DocumentsWriter::finish() {
  const std::uint64_t table = out_.position();
  groups_.add(table);
  groups_.write_to(out_);
  const std::uint64_t tail[] = {documents_, text_bytes_, greatest_rank_, lanes_, table};
  return out_.finish({reinterpret_cast<const char*>(tail), sizeof tail});
}

DocumentsReader::DocumentsReader(const std::filesystem::path& folder, const store::PageFileId& id, unsigned lanes)
    : file_((folder / kDocumentsName).string(), kDocumentsMagic, kLibraryFormatVersion),
      lanes_(lanes),
      documents_(store::tail_number(file_, 0)),
      text_bytes_(store::tail_number(file_, 1)),
      greatest_rank_(store::tail_number(file_, 2)),
      groups_(file_, store::tail_number(file_, 4), groups_of(documents_) + 1),
      loaded_(kNoGroup) {
  store::check_file_id(file_, id);
  if (store::tail_number(file_, 3) != lanes) file_.corrupt("signatures of another length than the manifest says");
}

void DocumentsReader::load(std::uint64_t group) {
  loaded_ = kNoGroup;
  const store::NumbersReader::Range range = groups_.range(group);
  const std::uint64_t count = std::min(kGroupDocuments, documents_ - group * kGroupDocuments);
  // A row has at most six numbers.
  if (range.bytes > count * (sizeof(Digest) + lanes_ + 6 * store::kMaxVarintBytes)) file_.corrupt("group too long");
  file_.read(range.begin, range.bytes, bytes_);
  const char* at = bytes_.data();
  const char* const end = at + range.bytes;
  const auto number = [&] {
    std::uint64_t value = 0;
    if (!store::get_varint(at, end, value)) file_.corrupt("invalid number");
    return value;
  };
  std::uint64_t file = 0;
  std::uint64_t source = 0;
  std::uint64_t text_end = 0;
  std::uint64_t rank = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Row& row = rows_[i];
    const std::uint64_t head = number();
    row.has_signature = (head & 1U) != 0;
    const std::uint64_t before = file;
    file = from_signed_code(head >> 2U, file);
    source = from_signed_code(number(), source);
    if (file >= kNoFile || source > std::numeric_limits<std::uint32_t>::max()) file_.corrupt("number out of bounds");
    row.source = static_cast<std::uint32_t>(source);
    row.place = {};
    if ((head & 2U) != 0) {
      row.place.file = static_cast<std::uint32_t>(file);
      row.place.begin = from_signed_code(number(), file == before ? text_end : 0);
      row.place.bytes = number();
      text_end = row.place.begin + row.place.bytes;
    }
    row.text_bytes = from_signed_code(number(), row.place.bytes);
    row.rank = rank = from_signed_code(number(), rank);
  }
  auto sketch = static_cast<std::size_t>(at - bytes_.data());
  for (std::uint64_t i = 0; i < count; ++i) {
    rows_[i].sketch = sketch;
    sketch += sizeof(Digest) + (rows_[i].has_signature ? lanes_ : 0);
  }
  if (sketch != range.bytes) file_.corrupt("group of another length");
  loaded_ = group;
}

void DocumentsReader::get(std::uint64_t document, KnownDocument& out) {
  if (document >= documents_) file_.corrupt("names a document that does not exist");
  if (document / kGroupDocuments != loaded_) load(document / kGroupDocuments);
  const Row& row = rows_[document % kGroupDocuments];
  const char* const sketch = bytes_.data() + row.sketch;
  std::memcpy(&out.digest.high, sketch, sizeof out.digest.high);
  std::memcpy(&out.digest.low, sketch + sizeof out.digest.high, sizeof out.digest.low);
  const auto* const signature = reinterpret_cast<const std::uint8_t*>(sketch + sizeof(Digest));
  out.signature.assign(signature, signature + (row.has_signature ? lanes_ : 0));
  out.source = row.source;
  out.place = row.place;
  out.text_bytes = row.text_bytes;
  out.rank = row.rank;
}

}  // namespace refrain::library
