#include "verbs/substrings/substrings.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/progress.h"
#include "refrain/error.h"

namespace refrain::verbs::substrings {

namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

// Calls piece(bytes) for every stretch without a line break, and line() at the end of every line. Anything after
// the last line break is also a line.
template <class Piece, class Line>
void for_each_line(InputFile& file, Progress& progress, Piece piece, Line line) {
  std::vector<char> chunk(kChunkBytes);
  bool open = false;
  while (const std::size_t got = file.read(chunk.data(), chunk.size())) {
    progress.add(got);
    std::string_view rest(chunk.data(), got);
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      piece(rest.substr(0, end));
      open = end == std::string_view::npos;
      if (open) break;
      line(true);
      rest.remove_prefix(end + 1);
    }
  }
  if (open) line(false);
}

// Offsets in a compressed file would not be offsets in the text.
void refuse_packed(const std::string& path, std::string_view begin) {
  if (begin.starts_with("\x1F\x8B") || begin.starts_with("\x28\xB5\x2F\xFD"))
    throw Error(Errc::bad_input, path + ": compressed with gzip or zstd; decompress it first");
}

}  // namespace

ReadReport read_line_corpus(const std::string& path, const std::string& ids_path, const Context& context,
                            run::TextStore& text, run::IdStore& ids) {
  ReadReport report;
  InputFile file(path, context.stop);
  Progress progress(context, "read", "bytes", file.size());
  text.one_string();
  for_each_line(
      file, progress,
      [&](std::string_view bytes) {
        if (text.size() == 0 && text.documents() == 0) refuse_packed(path, bytes);
        text.append(bytes);
      },
      [&](bool line_break) {
        text.end_document();
        if (line_break) text.append("\n");
      });
  text.finish();
  report.files = 1;
  report.bytes = text.size();
  report.text_bytes = text.size();
  report.documents = text.documents();
  if (ids_path.empty()) {
    ids.add({}, 0);
    return report;
  }
  InputFile id_file(ids_path, context.stop);
  Progress id_progress(context, "read", "bytes", id_file.size());
  corpus::BatchIds batch{.ordinals = false, .bytes = {}, .ends = {}};
  DocId count = 0;
  DocId first = 0;
  const auto hand_over = [&] {
    ids.add(batch, std::exchange(first, count));
    batch = {.ordinals = false, .bytes = {}, .ends = {}};
  };
  for_each_line(
      id_file, id_progress, [&](std::string_view bytes) { batch.bytes += bytes; },
      [&](bool /*line_break*/) {
        if (batch.bytes.ends_with('\r')) batch.bytes.pop_back();
        batch.ends.push_back(batch.bytes.size());
        ++count;
        if (batch.bytes.size() > kChunkBytes) hand_over();
      });
  if (!batch.ends.empty()) hand_over();
  if (count != report.documents)
    throw Error(Errc::bad_input, fmt::format("{}: {} ids, but {} has {} lines; there must be one id per line", ids_path,
                                             count, path, report.documents));
  report.files = 2;
  report.bytes += id_file.size();
  return report;
}

}  // namespace refrain::verbs::substrings
