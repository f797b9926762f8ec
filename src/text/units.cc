// Tokenizers whose tokens are single units: "chars" (unchanged code points), "bytes", and "dna" (bases, ignoring case
// and line breaks).
#include <algorithm>
#include <cstring>

#include "refrain/utf8.h"
#include "text/tokenizer.h"

namespace refrain::text {

namespace {

// Begins a stretch whose normal forms are its unchanged bytes. Returns its size.
std::size_t start_stretch(std::string_view text, std::size_t position, TokenBlock& block) {
  const std::size_t size = std::min(text.size() - position, kMaxTokenBytes);
  block.start(position);
  std::memcpy(block.normal_buffer(), text.data() + position, size);
  return size;
}

class BytesTokenizer final : public Tokenizer {
 public:
  std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const override {
    const std::size_t size = start_stretch(text, position, block);
    for (std::size_t i = 0; i < size; ++i) {
      block.edges()[2 * i] = static_cast<std::uint32_t>(i);
      block.edges()[2 * i + 1] = static_cast<std::uint32_t>(i + 1);
    }
    block.set_edge_count(2 * size);
    return position + size;
  }
};

class CharsTokenizer final : public Tokenizer {
 public:
  std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const override {
    const std::size_t size = start_stretch(text, position, block);
    std::size_t at = 0;
    while (at < size) {
      const CodePoint c = decode_utf8(text, position + at);
      if (at + c.size > size) break;
      if (c.valid()) {
        block.push_edge(at, at);
        block.push_edge(at + c.size, at + c.size);
      }
      at += c.size;
    }
    return position + at;
  }
};

// The tokens are A, C, G, T in either case; U counts as T. A line that begins with '>' is a FASTA header and contains
// no bases. All other bytes are skipped, so windows continue across line breaks.
class DnaTokenizer final : public Tokenizer {
 public:
  std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const override {
    const std::size_t size = start_stretch(text, position, block);
    char* normal = block.normal_buffer();
    std::size_t at = 0;
    while (at < size) {
      const std::size_t place = position + at;
      if (text[place] == '>' && (place == 0 || text[place - 1] == '\n')) {
        const std::size_t line_end = text.find('\n', place);
        if (line_end == std::string_view::npos) return text.size();
        at = line_end - position;
        continue;
      }
      if (const char base = base_of(text[place]); base != 0) {
        normal[at] = base;
        block.push_edge(at, at);
        block.push_edge(at + 1, at + 1);
      }
      ++at;
    }
    return position + at;
  }

 private:
  static char base_of(char c) {
    switch (c | 0x20) {
      case 'a':
        return 'A';
      case 'c':
        return 'C';
      case 'g':
        return 'G';
      case 't':
      case 'u':
        return 'T';
      default:
        return 0;
    }
  }
};

}  // namespace

std::unique_ptr<const Tokenizer> make_chars_tokenizer() {
  return std::make_unique<CharsTokenizer>();
}
std::unique_ptr<const Tokenizer> make_bytes_tokenizer() {
  return std::make_unique<BytesTokenizer>();
}
std::unique_ptr<const Tokenizer> make_dna_tokenizer() {
  return std::make_unique<DnaTokenizer>();
}

}  // namespace refrain::text
