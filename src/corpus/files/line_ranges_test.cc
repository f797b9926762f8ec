// Plain files are cut by bytes. The same bytes compressed are read one piece after the other, which is the simple
// way. Both must find the same documents.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <random>
#include <string>

#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

constexpr std::uint64_t kMostBytes = 300;

// Lines of any length, some of them too long; blank and bad lines, both line endings, arbitrary bytes.
std::string random_lines(std::mt19937& random, Format format) {
  std::string content = random() % 4 == 0 ? "\xef\xbb\xbf" : "";
  for (auto lines = random() % 60; lines != 0; --lines) {
    const auto kind = random() % 20;
    const std::size_t size = kind == 0 ? 5000 + random() % 9000 : kind < 4 ? 0 : random() % 400;
    std::string line;
    while (line.size() < size) line += static_cast<char>(kind == 5 ? random() % 256 : 'a' + random() % 20);
    std::erase(line, '\n');
    if (format == Format::jsonl && kind > 3 && kind != 5) line = R"({"text": ")" + line + R"("})";
    if (format == Format::jsonl && kind == 0) line = R"({"text": ")" + line;  // too long, and never closed
    content += line + (random() % 5 == 0 ? "\r\n" : "\n");
  }
  if (random() % 3 == 0) content += format == Format::jsonl ? R"({"text": "the end"})" : "the end";
  return content;
}

// The line numbers and reasons, without the file names, which differ.
std::vector<std::string> bad_lines(const Collected& found) {
  std::vector<std::string> lines;
  for (const BadRecord& bad : found.report.examples) lines.push_back(std::to_string(bad.line) + ": " + bad.reason);
  return lines;
}

class LineRangesTwin : public Corpus {
 protected:
  std::string rewritten(const std::string& path, Format format, unsigned threads, std::size_t piece_bytes) {
    std::filesystem::remove_all(at("out"));
    std::filesystem::create_directory(at("out"));
    MemoryBudget budget(context(threads));
    rewrite_documents(InputOptions{.paths = {path}, .format = format, .max_doc_bytes = kMostBytes}, context(threads),
                      budget, at("out"),
                      [](DocId document, std::string_view) -> TextCuts {
                        return {.ranges = {}, .offset = 0, .drop = document % 3 == 1};
                      },
                      {.piece_bytes = piece_bytes});
    return unpacked((std::filesystem::path(at("out")) / std::filesystem::path(path).filename()).string());
  }
};

TEST_F(LineRangesTwin, ReadsAndRewritesWhatTheStreamDoes) {
  std::mt19937 random(3);
  std::uint64_t too_long = 0;
  for (unsigned round = 0; round < 60; ++round) {
    const Format format = round % 2 == 0 ? Format::lines : Format::jsonl;
    const std::string content = random_lines(random, format);
    const std::string plain = write("in", content);
    const std::string packed = write("in.gz", gzip(content));
    InputOptions options{.paths = {packed}, .format = format, .max_doc_bytes = kMostBytes};
    const Collected expected = collect(options, 1, {});
    const std::string clean = rewritten(packed, format, 1, 0);
    for (const std::string& line : bad_lines(expected)) too_long += line.find("longer") != std::string::npos ? 1 : 0;
    options.paths = {plain};
    const std::size_t piece_bytes = std::array{16U, 97U, 1000U, 0U}[round / 2 % 4];
    for (const unsigned threads : {1U, 3U, 8U}) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", " << threads << " threads, pieces of " << piece_bytes);
      const Collected found = collect(options, threads, {.piece_bytes = piece_bytes});
      EXPECT_EQ(found.texts(), expected.texts());
      EXPECT_EQ(bad_lines(found), bad_lines(expected));
      EXPECT_EQ(found.report.bad_records, expected.report.bad_records);
      EXPECT_TRUE(rewritten(plain, format, threads, piece_bytes) == clean);
    }
  }
  EXPECT_GT(too_long, 20U);
}

}  // namespace
}  // namespace refrain::corpus
