// Makes JSONL files of documents to measure `near` with. The same machine and arguments give the same bytes.
//
//   make_corpus --bytes N --output FILE [--seed S]
//       documents of about four kilobytes: shuffled paragraphs of the machine's text. Every hundredth is a copy of an
//       earlier one; FILE.planted lists them: "documents N", then "copy original" per line (their ordinals).
//   make_corpus --repeat N --text TEXT --output FILE
//       N copies of the document TEXT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "twin/machine_text.h"

namespace {

constexpr std::size_t kTextBytes = std::size_t{64} << 20;
constexpr std::size_t kDocumentBytes = 4096;
constexpr std::size_t kParagraphBytes = 500;
constexpr std::uint64_t kRemembered = 1000;  // the copied document is one of this many before it

// Splits text at empty lines; longer pieces are cut at a line end.
std::vector<std::string_view> paragraphs(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') continue;
    const bool empty_line = at + 1 < text.size() && text[at + 1] == '\n';
    if (!empty_line && at - begin < kParagraphBytes) continue;
    if (at - begin > 40) found.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return found;
}

void append_json(std::string& line, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else if (c == '\t') {
      line += "\\t";
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(byte));
      line += escape;
    } else {
      line += c;
    }
  }
}

std::string record(std::uint64_t id, std::string_view json_text) {
  return "{\"id\": \"d" + std::to_string(id) + "\", \"text\": \"" + std::string(json_text) + "\"}\n";
}

bool write_corpus(std::FILE* file, std::FILE* planted, std::uint64_t bytes, std::uint64_t seed) {
  const std::string text = bench::machine_text(kTextBytes);
  const std::vector<std::string_view> pool = paragraphs(text);
  std::vector<std::string> last(kRemembered);
  std::vector<std::string> copies;
  std::uint64_t drawn = 0;
  std::uint64_t written = 0;
  std::uint64_t documents = 0;
  for (; written < bytes; ++documents) {
    std::string& document = last[documents % kRemembered];
    const std::uint64_t back = 1 + bench::random_number(seed + 1, documents) % (kRemembered - 1);
    if (documents % 100 == 99 && back <= documents) {
      document = last[(documents - back) % kRemembered];
      copies.push_back(std::to_string(documents) + ' ' + std::to_string(documents - back) + '\n');
    } else {
      document.clear();
      const std::size_t size = kDocumentBytes / 2 + bench::random_number(seed + 2, documents) % kDocumentBytes;
      while (document.size() < size) {
        append_json(document, pool[bench::random_number(seed, drawn++) % pool.size()]);
        document += "\\n\\n";
      }
    }
    const std::string line = record(documents, document);
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size()) return false;
    written += line.size();
  }
  std::fprintf(planted, "documents %llu\n", static_cast<unsigned long long>(documents));
  for (const std::string& copy : copies) std::fputs(copy.c_str(), planted);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t bytes = 0;
  std::uint64_t repeat = 0;
  std::uint64_t seed = 1;
  std::string text;
  std::string output;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--bytes") bytes = std::strtoull(argv[i + 1], nullptr, 10);
    if (flag == "--repeat") repeat = std::strtoull(argv[i + 1], nullptr, 10);
    if (flag == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (flag == "--text") text = argv[i + 1];
    if (flag == "--output") output = argv[i + 1];
  }
  std::FILE* file = std::fopen(output.c_str(), "wb");
  if (file == nullptr || (bytes == 0 && repeat == 0)) {
    std::fprintf(stderr, "make_corpus: --bytes or --repeat, and a --output that can be written, are needed\n");
    return 2;
  }
  bool good = true;
  if (repeat != 0) {
    std::string json;
    append_json(json, text);
    for (std::uint64_t i = 0; i < repeat; ++i) good = std::fputs(record(i, json).c_str(), file) >= 0 && good;
  } else {
    std::FILE* planted = std::fopen((output + ".planted").c_str(), "wb");
    if (planted == nullptr) return 1;
    good = write_corpus(file, planted, bytes, seed);
    good = std::fclose(planted) == 0 && good;
  }
  return std::fclose(file) == 0 && good ? 0 : 1;
}
