#include "verbs/index/read/document_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/files/file.h"
#include "corpus/files/format.h"
#include "corpus/formats/raw_json.h"
#include "refrain/error.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void throw_changed(const std::string& path, const std::string& id) {
  const std::string whose = path == id ? std::string() : fmt::format(" (document {})", id);
  throw Error(Errc::bad_input,
              fmt::format("{}{}: changed since it was indexed; index it again with 'refrain index add --replace'", path,
                          whose));
}

}  // namespace

DocumentText::DocumentText(const fs::path& folder, const blot::SegmentInfo& segment, blot::DocumentReader& documents)
    : documents_(documents) {
  if (segment.texts_file)
    texts_ = std::make_unique<blot::TextReader>(store::segment_path(folder, segment.number), *segment.texts_file);
}

DocumentText::DocumentText(const DocumentText& other, blot::DocumentReader& documents)
    : documents_(documents), texts_(other.texts_ ? std::make_unique<blot::TextReader>(*other.texts_) : nullptr) {}

const blot::DocumentInfo& DocumentText::about(std::uint64_t document) {
  if (about_of_ == document) return about_;
  about_of_ = ~std::uint64_t{0};
  about_ = documents_.with_marks(document);
  about_of_ = document;
  return about_;
}

std::uint64_t DocumentText::room(std::uint64_t document) const {
  const blot::DocumentInfo& info = documents_.info(document);
  // The text and the bytes it is extracted from, the marks and the bytes they are decoded from.
  return info.text_bytes + std::max(info.text_bytes, info.place.bytes) +
         2 * sizeof(blot::TextMark) * blot::marks_of(info.tokens);
}

std::string DocumentText::read(std::uint64_t document, std::uint64_t first, std::uint64_t last) {
  const blot::DocumentInfo& info = about(document);
  last = std::min<std::uint64_t>(last, info.marks.size());
  if (first >= last) return {};
  const auto mark = [&](std::uint64_t i) { return i < info.marks.size() ? info.marks[i].begin : info.text_bytes; };
  std::string text;
  switch (info.place.home) {
    case blot::TextLocation::file:
      text = read_file(info.id, info, mark(first), mark(last));
      break;
    case blot::TextLocation::json:
      text = read_json(info, first, last);
      break;
    case blot::TextLocation::part: {
      if (info.place.format == Format::files) {
        text = read_file(info.place.path, info, mark(first), mark(last));
        break;
      }
      if (info.place.format == Format::lines) {
        text = read_raw(info, mark(first), mark(last));
        break;
      }
      const std::string& with_marks = part(document, info);
      if (with_marks.size() != info.text_bytes)
        throw_changed(info.place.path, info.id);  // substr might throw otherwise
      text = with_marks.substr(mark(first), mark(last) - mark(first));
      break;
    }
    case blot::TextLocation::stored:
      text = stored(info, first, last);
      break;
  }
  if (text.size() != mark(last) - mark(first)) throw_changed(info.place.path, info.id);
  for (std::uint64_t i = first; i < last; ++i) {
    const std::string_view block = std::string_view(text).substr(mark(i) - mark(first), mark(i + 1) - mark(i));
    if (blot::mark_checksum(block) == info.marks[i].checksum) continue;
    if (info.place.home == blot::TextLocation::stored) texts_->corrupt("text differs from what was indexed");
    throw_changed(info.place.home == blot::TextLocation::file ? info.id : info.place.path, info.id);
  }
  return text;
}

// A file that is gone counts as changed. A file that the disk fails to deliver is an Error(io).
DocumentText::FilePart DocumentText::part_of_file(const std::string& path, std::uint64_t begin, std::uint64_t size) {
  if (!file_ || file_->path() != path) {
    file_.reset();
    try {
      file_.emplace(path);
    } catch (const Error& error) {
      if (error.code() == Errc::io) throw;
      throw Error(Errc::bad_input, fmt::format("{}; it existed when it was indexed", error.what()));
    }
  }
  const std::uint64_t all = file_->size();
  std::string bytes(std::min(size, all - std::min(all, begin)), '\0');
  bytes.resize(file_->read_up_to(begin, bytes));
  if (!keeps_file_) file_.reset();
  return {std::move(bytes), all};
}

std::string DocumentText::read_file(const std::string& name, const blot::DocumentInfo& document, std::uint64_t begin,
                                    std::uint64_t end) {
  FilePart part = part_of_file((fs::path(documents_.root()) / name).string(), begin, end - begin);
  if (part.bytes.size() != end - begin || part.file_size != document.text_bytes) throw_changed(name, document.id);
  return std::move(part.bytes);
}

// Reads a range of the raw bytes of a document that is part of a file.
std::string DocumentText::read_raw(const blot::DocumentInfo& document, std::uint64_t begin, std::uint64_t end) {
  const std::string path = (fs::path(documents_.root()) / document.place.path).string();
  std::string raw = part_of_file(path, document.place.begin + begin, end - begin).bytes;
  if (raw.size() != end - begin) throw_changed(document.place.path, document.id);
  return raw;
}

std::string DocumentText::read_json(const blot::DocumentInfo& document, std::uint64_t first, std::uint64_t last) {
  const auto raw = [&](std::uint64_t i) {
    return i < document.marks.size() ? document.marks[i].raw : document.place.bytes;
  };
  std::optional<std::string> text = corpus::json_content(read_raw(document, raw(first), raw(last)));
  if (!text) throw_changed(document.place.path, document.id);
  return std::move(*text);
}

const std::string& DocumentText::part(std::uint64_t number, const blot::DocumentInfo& document) {
  if (part_of_ == number) return part_;
  part_of_ = ~std::uint64_t{0};
  std::optional<std::string> text =
      corpus::text_of_raw(document.place.format, read_raw(document, 0, document.place.bytes));
  if (!text) throw_changed(document.place.path, document.id);
  part_ = std::move(*text);
  part_of_ = number;
  return part_;
}

std::string DocumentText::stored(const blot::DocumentInfo& document, std::uint64_t first, std::uint64_t last) {
  if (!texts_) documents_.corrupt("refers to stored texts, but there are none");
  const auto mark = [&](std::uint64_t i) {
    return i < document.marks.size() ? document.marks[i].begin : document.text_bytes;
  };
  const std::uint64_t first_frame = first / blot::kFrameMarks;
  const std::uint64_t last_frame = (last + blot::kFrameMarks - 1) / blot::kFrameMarks;
  std::string text;
  text.reserve(mark(last_frame * blot::kFrameMarks) - mark(first_frame * blot::kFrameMarks));
  for (std::uint64_t frame = first_frame; frame < last_frame; ++frame) text += texts_->frame(document, frame);
  text.erase(0, mark(first) - mark(first_frame * blot::kFrameMarks));
  text.resize(std::min<std::uint64_t>(text.size(), mark(last) - mark(first)));
  return text;
}

}  // namespace refrain::verbs::index
