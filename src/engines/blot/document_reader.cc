#include "engines/blot/document_reader.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "store/varint.h"

namespace refrain::blot {

namespace {

constexpr std::size_t kDocumentTail = 8;
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 48;
constexpr std::uint64_t kPathStep = 64;
constexpr std::uint64_t kMaxBlockBytes = std::uint64_t{128} << 10;  // of a zstd frame

}  // namespace

DocumentReader::DocumentReader(const std::filesystem::path& folder, const store::PageFileId& id)
    : file_((folder / kBlotDocumentsName).string(), kBlotDocumentsMagic, kBlotFormatVersion) {
  if (file_.id() != id) file_.corrupt("not the file named in the manifest");
  std::array<std::uint64_t, kDocumentTail> tail{};
  std::memcpy(tail.data(), file_.tail().data(), sizeof tail);
  totals_ = {id, tail[0], tail[1], tail[2], tail[3]};
  paths_place_ = tail[5];
  groups_place_ = tail[6];
  ids_place_ = tail[7];
  const std::uint64_t size = file_.size();
  if (totals_.documents > kMaxDocuments || paths_place_ > groups_place_ || groups_place_ > ids_place_ ||
      ids_place_ > size || (ids_place_ - groups_place_) != groups() * sizeof(Group) ||
      (size - ids_place_) / sizeof(IdRow) < totals_.documents || tail[4] == 0 || tail[4] > groups_place_ - paths_place_)
    file_.corrupt("footer does not match the file size");
  paths_ = tail[4];
  root_ = path(0);
}

DocumentReader::DocumentReader(const DocumentReader& other)
    : file_(other.file_),
      totals_(other.totals_),
      root_(other.root_),
      paths_(other.paths_),
      paths_place_(other.paths_place_),
      groups_place_(other.groups_place_),
      ids_place_(other.ids_place_) {}

// Documents in order refer to paths in order, so usually the same path or the next one is requested.
const std::string& DocumentReader::path(std::uint64_t number) {
  if (number == path_number_) return path_;
  if (number >= paths_) file_.corrupt("document with an unknown file");
  if (path_places_.empty()) path_places_.push_back(paths_place_);
  const std::uint64_t step = std::min<std::uint64_t>(number / kPathStep, path_places_.size() - 1);
  std::uint64_t next = step * kPathStep;
  std::uint64_t at = path_places_[step];
  if (path_number_ < number && path_number_ >= next) {
    next = path_number_ + 1;
    at = path_end_;
  }
  path_number_ = ~std::uint64_t{0};
  for (;; ++next) {
    if (next == path_places_.size() * kPathStep) path_places_.push_back(at);
    store::PageCursor cursor(file_, at, groups_place_);
    const std::uint64_t bytes = cursor.varint();
    at = cursor.position();
    if (bytes > groups_place_ - at) file_.corrupt("path runs past the path table");
    if (next == number) path_ = file_.read(at, bytes, scratch_);
    at += bytes;
    if (next == number) break;
  }
  path_number_ = number;
  path_end_ = at;
  return path_;
}

void DocumentReader::check_paths() {
  path(paths_ - 1);
  if (path_end_ != groups_place_) file_.corrupt("path table has the wrong length");
}

void DocumentReader::load_groups() {
  if (!groups_.empty() || totals_.documents == 0) return;
  std::vector<Group> loaded(groups());
  std::string scratch;
  const std::uint64_t bytes = loaded.size() * sizeof(Group);
  std::memcpy(loaded.data(), file_.read(groups_place_, bytes, scratch).data(), bytes);
  for (std::size_t i = 0; i < loaded.size(); ++i)
    if (loaded[i].place > (i + 1 < loaded.size() ? loaded[i + 1].place : paths_place_) ||
        (i == 0 ? loaded[i].block != 0 : loaded[i].block < loaded[i - 1].block))
      file_.corrupt("document table out of order");
  groups_ = std::move(loaded);
}

void DocumentReader::load(std::uint64_t number) {
  if (number == loaded_) return;
  load_groups();
  loaded_ = ~std::uint64_t{0};
  const std::uint64_t begin = groups_[number].place;
  const std::uint64_t end = number + 1 < groups_.size() ? groups_[number + 1].place : paths_place_;
  bytes_ = begin == end ? std::string_view() : file_.read(begin, end - begin, scratch_);
  const char* at = bytes_.data();
  const char* const stop = at + bytes_.size();
  const auto varint = [&] {
    std::uint64_t value = 0;
    if (!store::get_varint(at, stop, value)) file_.corrupt("document truncated");
    return value;
  };
  const auto bytes = [&](std::uint64_t size) {
    if (size > static_cast<std::uint64_t>(stop - at)) file_.corrupt("document truncated");
    at += size;
    return std::string_view(at - size, size);
  };
  const std::uint64_t count = std::min(kGroupDocuments, totals_.documents - number * kGroupDocuments);
  loaded_documents_.resize(count);
  loaded_marks_.resize(count);
  loaded_blocks_.assign(1, groups_[number].block);
  std::string_view last_id;
  for (std::uint64_t i = 0; i < count; ++i) {
    DocumentInfo& document = loaded_documents_[i];
    const std::uint64_t shared = varint();
    const std::uint64_t own = varint();
    if (shared > last_id.size()) file_.corrupt("invalid id");
    document.id = std::string(last_id.substr(0, shared)).append(bytes(own));
    last_id = document.id;
    document.tokens = varint();
    document.text_bytes = varint();
    const std::uint64_t home = varint();
    if (home > static_cast<std::uint64_t>(TextLocation::json) || document.tokens > document.text_bytes ||
        document.text_bytes > kMaxTextBytes)
      file_.corrupt("invalid document");
    document.place = {};
    document.place.home = static_cast<TextLocation>(home);
    if (is_part(document.place.home)) {
      const std::uint64_t number_of_path = varint();
      const std::uint64_t format = varint();
      if (number_of_path >= paths_ || format > static_cast<std::uint64_t>(Format::tsv))
        file_.corrupt("document with an unknown file");
      document.place.path = path(number_of_path);
      document.place.format = static_cast<Format>(format);
      document.place.begin = varint();
      document.place.bytes = varint();
    } else if (document.place.home == TextLocation::stored) {
      document.place.stored = varint();
      const std::uint64_t frames = (marks_of(document.tokens) + kFrameMarks - 1) / kFrameMarks;
      if (frames > static_cast<std::uint64_t>(stop - at)) file_.corrupt("document truncated");
      document.place.frames.resize(frames);
      for (std::uint64_t& frame : document.place.frames) frame = varint();
    }
    loaded_marks_[i] = bytes(varint());
    if (loaded_marks_[i].size() / sizeof(std::uint32_t) < marks_of(document.tokens))
      file_.corrupt("document truncated");
    loaded_blocks_.push_back(loaded_blocks_.back() + blocks_of(document.tokens));
  }
  if (loaded_blocks_.back() != (number + 1 < groups_.size() ? groups_[number + 1].block : totals_.blocks))
    file_.corrupt("block sizes do not add up");
  loaded_ = number;
}

const DocumentInfo& DocumentReader::info(std::uint64_t document) {
  load(document / kGroupDocuments);
  return loaded_documents_[document % kGroupDocuments];
}

std::vector<TextMark> DocumentReader::marks(std::uint64_t document) {
  const DocumentInfo& found = info(document);
  const std::string_view bytes = loaded_marks_[document % kGroupDocuments];
  std::vector<TextMark> marks(marks_of(found.tokens));
  const char* at = bytes.data();
  const char* const stop = at + bytes.size();
  std::uint64_t begin = 0;
  std::uint64_t raw = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    std::uint32_t sum = 0;
    if (static_cast<std::size_t>(stop - at) < sizeof sum) file_.corrupt("document truncated");
    std::memcpy(&sum, at, sizeof sum);
    at += sizeof sum;
    marks[i] = {begin, sum, raw};
    std::uint64_t more = 0;
    std::uint64_t more_raw = 0;
    if (i + 1 < marks.size() && (!store::get_varint(at, stop, more) ||
                                 (found.place.home == TextLocation::json && !store::get_varint(at, stop, more_raw))))
      file_.corrupt("document truncated");
    if (more > found.text_bytes - begin || more_raw > found.place.bytes - raw)
      file_.corrupt("mark past the end of its text");
    begin += more;
    raw += more_raw;
  }
  return marks;
}

DocumentInfo DocumentReader::with_marks(std::uint64_t document) {
  DocumentInfo found = info(document);
  found.marks = marks(document);
  return found;
}

std::uint64_t DocumentReader::first_block(std::uint64_t document) {
  load(document / kGroupDocuments);
  return loaded_blocks_[document % kGroupDocuments];
}

std::uint64_t DocumentReader::document_at(std::uint64_t block) {
  load_groups();
  // Finds the last group that does not begin behind the block. Documents without tokens begin where the next one
  // does.
  const auto behind = std::upper_bound(groups_.begin(), groups_.end(), block,
                                       [](std::uint64_t value, const Group& group) { return value < group.block; });
  if (behind == groups_.begin()) file_.corrupt("block without a document");
  const auto number = static_cast<std::uint64_t>(behind - groups_.begin()) - 1;
  load(number);
  const auto after = std::upper_bound(loaded_blocks_.begin(), loaded_blocks_.end(), block);
  if (after == loaded_blocks_.end()) file_.corrupt("block without a document");
  return number * kGroupDocuments + static_cast<std::uint64_t>(after - loaded_blocks_.begin()) - 1;
}

DocumentReader::IdRow DocumentReader::id_row(std::uint64_t row) {
  IdRow found{};
  std::memcpy(&found, file_.read(ids_place_ + row * sizeof found, sizeof found, scratch_).data(), sizeof found);
  if (found.document >= totals_.documents) file_.corrupt("id table out of order");
  return found;
}

void DocumentReader::find(std::string_view id, const std::function<bool(std::uint64_t)>& candidate) {
  const auto hash = static_cast<std::uint32_t>(id_hash(id) >> 32U);
  std::uint64_t low = 0;
  std::uint64_t high = totals_.documents;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (id_row(middle).hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < totals_.documents; ++low) {
    const IdRow row = id_row(low);
    if (row.hash != hash) return;
    if (info(row.document).id == id && candidate(row.document)) return;
  }
}

void DocumentReader::check(const std::function<void(std::uint64_t)>& done) {
  file_.check_all(done);
  check_paths();
  std::uint64_t tokens = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  for (std::uint64_t i = 0; i < totals_.documents; ++i) {
    const DocumentInfo document = with_marks(i);
    if (first_block(i) != blocks) file_.corrupt("block sizes do not add up");
    tokens += document.tokens;
    bytes += document.text_bytes;
    blocks += blocks_of(document.tokens);
  }
  if (tokens != totals_.tokens || bytes != totals_.text_bytes || blocks != totals_.blocks)
    file_.corrupt("documents differ from the footer");
  std::vector<bool> seen(totals_.documents);
  std::uint32_t last = 0;
  for (std::uint64_t row = 0; row < totals_.documents; ++row) {
    const IdRow found = id_row(row);
    if (found.hash < last || seen[found.document] ||
        found.hash != static_cast<std::uint32_t>(id_hash(info(found.document).id) >> 32U))
      file_.corrupt("id table out of order");
    seen[found.document] = true;
    last = found.hash;
  }
}

TextReader::TextReader(const std::filesystem::path& folder, const store::PageFileId& id)
    : file_((folder / kBlotTextsName).string(), kBlotTextsMagic, kBlotFormatVersion) {
  if (file_.id() != id) file_.corrupt("not the file named in the manifest");
}

std::string TextReader::frame(const DocumentInfo& document, std::size_t frame) {
  const std::vector<std::uint64_t>& frames = document.place.frames;
  const auto end = frames.begin() + static_cast<std::ptrdiff_t>(frame);
  const std::uint64_t begin = std::accumulate(frames.begin(), end, document.place.stored);
  if (begin > file_.size() || frames[frame] > file_.size() - begin) file_.corrupt("text past the end");
  const std::uint64_t first = document.marks[frame * kFrameMarks].begin;
  const std::size_t next = (frame + 1) * kFrameMarks;
  const std::uint64_t last = next < document.marks.size() ? document.marks[next].begin : document.text_bytes;
  const std::string_view packed = file_.read(begin, frames[frame], scratch_);
  // A zstd block yields at most kMaxBlockBytes and takes more than a byte, so a larger claimed size is corrupt and
  // is not allocated.
  if ((last - first) / kMaxBlockBytes > packed.size() ||
      ZSTD_getFrameContentSize(packed.data(), packed.size()) != last - first)
    file_.corrupt("text has the wrong length");
  std::string text(last - first, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0 || size != text.size()) file_.corrupt("text cannot be decompressed");
  return text;
}

std::string TextReader::frames(const DocumentInfo& document) {
  const std::vector<std::uint64_t>& frames = document.place.frames;
  const std::uint64_t bytes = std::accumulate(frames.begin(), frames.end(), std::uint64_t{0});
  if (document.place.stored > file_.size() || bytes > file_.size() - document.place.stored)
    file_.corrupt("text past the end");
  return std::string(file_.read(document.place.stored, bytes, scratch_));
}

}  // namespace refrain::blot
