#include "blot/document_reader.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "blot/blot_format.h"

namespace refrain {

namespace {

constexpr std::size_t kTailNumbers = 8;
constexpr std::uint64_t kMaxIdBytes = std::uint64_t{1} << 30;


}  // namespace

DocumentReader::DocumentReader(const std::filesystem::path& folder, const PageFileId& id)
    : file_((folder / kBlotDocumentsName).string(), kBlotDocumentsMagic, kBlotFormatVersion) {
  if (file_.id() != id) file_.corrupt("it is not the file that the manifest names");
  std::array<std::uint64_t, kTailNumbers> tail{};
  std::memcpy(tail.data(), file_.tail().data(), sizeof tail);
  totals_ = {id, tail[0], tail[1], tail[2], tail[3]};
  paths_place_ = tail[5];
  groups_place_ = tail[6];
  ids_place_ = tail[7];
  const std::uint64_t size = file_.size();
  if (totals_.documents > std::uint64_t{1} << 32U || paths_place_ > groups_place_ || groups_place_ > ids_place_ ||
      ids_place_ > size || (ids_place_ - groups_place_) != groups() * sizeof(Group) ||
      (size - ids_place_) / sizeof(IdRow) < totals_.documents || tail[4] == 0 || tail[4] > groups_place_ - paths_place_)
    file_.corrupt("its end does not fit its size");
  std::uint64_t at = paths_place_;
  for (std::uint64_t i = 0; i < tail[4]; ++i) {
    PageCursor cursor(file_, at, groups_place_);
    const std::uint64_t bytes = cursor.varint();
    at = cursor.position();
    if (bytes > groups_place_ - at) file_.corrupt("a path is longer than the table of paths");
    paths_.emplace_back(bytes == 0 ? std::string_view() : file_.read(at, bytes, scratch_));
    at += bytes;
  }
}

std::uint64_t DocumentReader::groups() const {
  return (totals_.documents + kGroupDocuments - 1) / kGroupDocuments;
}

DocumentReader::Group DocumentReader::group(std::uint64_t number) {
  Group group{};
  std::memcpy(&group, file_.read(groups_place_ + number * sizeof group, sizeof group, scratch_).data(), sizeof group);
  return group;
}

void DocumentReader::load(std::uint64_t number) {
  if (number == loaded_) return;
  loaded_ = ~std::uint64_t{0};
  const Group first = group(number);
  if (first.place > paths_place_) file_.corrupt("its table of documents is out of order");
  const std::uint64_t count = std::min(kGroupDocuments, totals_.documents - number * kGroupDocuments);
  loaded_documents_.resize(count);
  loaded_blocks_.resize(count + 1);
  loaded_blocks_[0] = first.block;
  std::uint64_t at = first.place;
  std::string last_id;
  for (std::uint64_t i = 0; i < count; ++i) {
    DocumentInfo& document = loaded_documents_[i];
    std::optional<PageCursor> cursor(std::in_place, file_, at, paths_place_);
    const auto bytes = [&](std::uint64_t size) {
      const std::uint64_t begin = cursor->position();
      if (size > paths_place_ - begin) file_.corrupt("a document is longer than the table of documents");
      std::string taken(size == 0 ? std::string_view() : file_.read(begin, size, scratch_));
      cursor.emplace(file_, begin + size, paths_place_);
      return taken;
    };
    const std::uint64_t shared = cursor->varint();
    const std::uint64_t own = cursor->varint();
    if (shared > last_id.size() || own > kMaxIdBytes) file_.corrupt("an id makes no sense");
    document.id = last_id.substr(0, shared) + bytes(own);
    last_id = document.id;
    document.tokens = cursor->varint();
    document.text_bytes = cursor->varint();
    const std::uint64_t home = cursor->varint();
    if (home > static_cast<std::uint64_t>(TextHome::stored) || document.tokens > document.text_bytes)
      file_.corrupt("a document makes no sense");
    document.place = {};
    document.place.home = static_cast<TextHome>(home);
    const std::uint64_t marks = marks_of(document.tokens);
    if (document.place.home == TextHome::part) {
      const std::uint64_t path = cursor->varint();
      const std::uint64_t format = cursor->varint();
      if (path >= paths_.size() || format > static_cast<std::uint64_t>(Format::tsv))
        file_.corrupt("a document stands in no known file");
      document.place.path = paths_[path];
      document.place.format = static_cast<Format>(format);
      document.place.begin = cursor->varint();
      document.place.bytes = cursor->varint();
    } else if (document.place.home == TextHome::stored) {
      document.place.stored = cursor->varint();
      document.place.frames.resize((marks + kFrameMarks - 1) / kFrameMarks);
      for (std::uint64_t& frame : document.place.frames) frame = cursor->varint();
    }
    document.marks.clear();
    std::uint64_t begin = 0;
    for (std::uint64_t mark = 0; mark < marks; ++mark) {
      std::uint32_t sum = 0;
      const std::string four = bytes(sizeof sum);
      std::memcpy(&sum, four.data(), sizeof sum);
      document.marks.push_back({begin, sum});
      if (mark + 1 < marks) begin += cursor->varint();
      if (begin > document.text_bytes) file_.corrupt("a mark lies behind its text");
    }
    at = cursor->position();
    loaded_blocks_[i + 1] = loaded_blocks_[i] + blocks_of(document.tokens);
  }
  loaded_ = number;
}

const DocumentInfo& DocumentReader::info(std::uint64_t document) {
  load(document / kGroupDocuments);
  return loaded_documents_[document % kGroupDocuments];
}

std::uint64_t DocumentReader::first_block(std::uint64_t document) {
  load(document / kGroupDocuments);
  return loaded_blocks_[document % kGroupDocuments];
}

std::uint64_t DocumentReader::document_at(std::uint64_t block) {
  // The last group that does not begin behind the block. Groups of documents without tokens begin where the next does.
  std::uint64_t low = 0;
  std::uint64_t high = groups();
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (group(middle).block <= block ? low : high) = middle;
  }
  load(low);
  const auto after = std::upper_bound(loaded_blocks_.begin(), loaded_blocks_.end(), block);
  if (after == loaded_blocks_.begin() || after == loaded_blocks_.end()) file_.corrupt("a block belongs to no document");
  return low * kGroupDocuments + static_cast<std::uint64_t>(after - loaded_blocks_.begin()) - 1;
}

DocumentReader::IdRow DocumentReader::id_row(std::uint64_t row) {
  IdRow found{};
  std::memcpy(&found, file_.read(ids_place_ + row * sizeof found, sizeof found, scratch_).data(), sizeof found);
  if (found.document >= totals_.documents) file_.corrupt("its table of ids is out of order");
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
  std::uint64_t tokens = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  for (std::uint64_t i = 0; i < totals_.documents; ++i) {
    const DocumentInfo& document = info(i);
    if (first_block(i) != blocks) file_.corrupt("its blocks do not add up");
    tokens += document.tokens;
    bytes += document.text_bytes;
    blocks += blocks_of(document.tokens);
  }
  if (tokens != totals_.tokens || bytes != totals_.text_bytes || blocks != totals_.blocks)
    file_.corrupt("its documents are not those that its end tells of");
  std::vector<bool> seen(totals_.documents);
  std::uint32_t last = 0;
  for (std::uint64_t row = 0; row < totals_.documents; ++row) {
    const IdRow found = id_row(row);
    if (found.hash < last || seen[found.document] ||
        found.hash != static_cast<std::uint32_t>(id_hash(info(found.document).id) >> 32U))
      file_.corrupt("its table of ids is out of order");
    seen[found.document] = true;
    last = found.hash;
  }
}

TextReader::TextReader(const std::filesystem::path& folder, const PageFileId& id)
    : file_((folder / kBlotTextsName).string(), kBlotTextsMagic, kBlotFormatVersion) {
  if (file_.id() != id) file_.corrupt("it is not the file that the manifest names");
}

std::string TextReader::frame(const DocumentInfo& document, std::size_t frame) {
  const std::vector<std::uint64_t>& frames = document.place.frames;
  const auto end = frames.begin() + static_cast<std::ptrdiff_t>(frame);
  const std::uint64_t begin = std::accumulate(frames.begin(), end, document.place.stored);
  if (begin > file_.size() || frames[frame] > file_.size() - begin) file_.corrupt("a text lies behind the end");
  const std::uint64_t first = document.marks[frame * kFrameMarks].begin;
  const std::size_t next = (frame + 1) * kFrameMarks;
  const std::uint64_t last = next < document.marks.size() ? document.marks[next].begin : document.text_bytes;
  const std::string_view packed = file_.read(begin, frames[frame], scratch_);
  if (ZSTD_getFrameContentSize(packed.data(), packed.size()) != last - first)
    file_.corrupt("a text has not the length that is told");
  std::string text(last - first, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0 || size != text.size()) file_.corrupt("a text cannot be unpacked");
  return text;
}

std::string TextReader::frames(const DocumentInfo& document) {
  const std::vector<std::uint64_t>& frames = document.place.frames;
  const std::uint64_t bytes = std::accumulate(frames.begin(), frames.end(), std::uint64_t{0});
  if (document.place.stored > file_.size() || bytes > file_.size() - document.place.stored)
    file_.corrupt("a text lies behind the end");
  return std::string(file_.read(document.place.stored, bytes, scratch_));
}

}  // namespace refrain
