#include "faces/server/pages.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <utility>
#include <vector>

#include "faces/server/wire/failure.h"

namespace refrain::server {

namespace {

constexpr std::size_t kReadBytes = std::size_t{64} << 10;

std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 31U) * 0xBF58476D1CE4E5B9;
  return (bits ^ bits >> 29U) * 0x94D049BB133111EB;
}

// Detects typing errors. A forged cursor can pass, but page() still gives it whole passages only.
std::uint32_t check_bits(const PageCursor& cursor) {
  return static_cast<std::uint32_t>(mix(cursor.commit * 0x9E3779B97F4A7C15 + cursor.offset) >> 32U);
}

Failure bad_cursor() {
  return {400, "bad_cursor", "not a cursor of this request"};
}
Failure old_cursor() {
  return {410, "old_cursor", "the index has changed since this cursor was issued; start again without it"};
}

}  // namespace

std::uint64_t commit_hash(std::string_view identity) {
  std::uint64_t hash = 0xCBF29CE484222325;  // FNV-1a
  for (const char c : identity) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return mix(hash);
}

std::string to_text(const PageCursor& cursor) {
  return fmt::format("p2-{:x}-{:x}-{:08x}", cursor.commit, cursor.offset, check_bits(cursor));
}

PageCursor parse_page_cursor(std::string_view text) {
  PageCursor out;
  std::uint64_t* const numbers[] = {&out.commit, &out.offset};
  std::string_view left = text;
  if (!left.starts_with("p2-")) throw bad_cursor();
  left.remove_prefix(3);
  for (std::uint64_t* const number : numbers) {
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), *number, 16);
    if (error != std::errc() || end == left.data() + left.size() || *end != '-') throw bad_cursor();
    left.remove_prefix(static_cast<std::size_t>(end - left.data()) + 1);
  }
  if (to_text(out) != text) throw bad_cursor();
  return out;
}

void Pages::append(Extracted& to, std::string_view bytes) const {
  if (to.held + bytes.size() > most_ || !space_.take(bytes.size()))
    throw Error(Errc::over_budget,
                "the passages take more disk than the server may use; query a text or a document instead, or run "
                "'refrain index extract'");
  to.held += bytes.size();
  to.file.append(bytes);
}

void Pages::extract(const std::stop_token& stop) {
  extracted_.reset();
  auto made = std::make_unique<Extracted>(space_);
  Context context = context_;
  context.stop = stop;
  std::string waiting;
  const auto flush = [&] {
    append(*made, waiting);
    waiting.clear();
  };
  const std::unique_ptr<PassageSink> sink = json_passages([&](std::string_view piece) {
    waiting += piece;
    if (waiting.size() >= kReadBytes) flush();
  });
  const ExtractReport report = backend_.extract(ExtractOptions{}, context, *sink);
  flush();
  made->identity = report.identity;
  made->generation = report.generation;
  made->changed_documents = report.changed_documents;
  extracted_ = std::move(made);
}

PageEnd Pages::page(const std::optional<PageCursor>& from, std::uint64_t limit, const std::stop_token& stop,
                    const std::function<void(std::string_view)>& out) {
  const std::string newest = backend_.identity();
  if (from && from->commit != commit_hash(newest)) throw old_cursor();
  if (extracted_ == nullptr || extracted_->identity != newest) extract(stop);
  const SpoolFile& file = extracted_->file;
  const std::uint64_t commit = commit_hash(extracted_->identity);
  if (from && from->commit != commit) throw old_cursor();  // there was a commit since `newest` was read

  std::uint64_t offset = from ? from->offset : 0;
  char before = '\n';
  if (offset > file.size()) throw bad_cursor();
  if (offset != 0) file.read(offset - 1, {&before, 1});
  if (before != '\n') throw bad_cursor();

  std::vector<char> buffer(kReadBytes);
  while (limit != 0 && offset < file.size()) {
    std::string_view got(buffer.data(), file.read(offset, buffer));
    if (got.empty()) throw Error(Errc::io, "temporary file too short");
    std::size_t end = 0;
    while (limit != 0 && end < got.size()) {
      const std::size_t line_end = got.find('\n', end);
      if (line_end == std::string_view::npos) {
        end = got.size();
        break;
      }
      end = line_end + 1;
      --limit;
    }
    out(got.substr(0, end));
    offset += end;
  }
  PageEnd end{.next = {}, .generation = extracted_->generation, .changed_documents = extracted_->changed_documents};
  if (offset < file.size()) end.next = PageCursor{commit, offset};
  return end;
}

}  // namespace refrain::server
