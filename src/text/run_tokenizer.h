// The common implementation of tokenizers whose tokens are runs of characters. A SIMD pass marks the ASCII members of
// a stretch, the marks become edges, and only blocks of 64 bytes that are not all ASCII are decoded character by
// character.
//
// A tokenizer is a Rules class:
//   static constexpr AsciiSet kMembers;      the ASCII characters that belong to tokens
//   static constexpr bool kLower;            whether ASCII letters are lower-cased in the normal form
//   static constexpr bool kAsciiOnly;        whether every other byte is a separator; role() and fold() are then unused
//   static CharacterRole role(uint32_t c);   for code points above 127
//   static unsigned fold(uint32_t c, char* out);   writes its normal form, at most TokenBlock::kMaxFoldBytes
#pragma once

#include <bit>
#include <cstring>

#include "refrain/utf8.h"
#include "text/ascii_scan.h"
#include "text/tokenizer.h"

namespace refrain::text {

enum class CharacterRole {
  separator,
  run,     // joins its neighbours
  single,  // a token of its own, with the marks that follow it
  mark,    // continues the token before it; without one, a separator
  none,    // ignored
};

template <class Rules>
class RunTokenizer final : public Tokenizer {
 public:
  std::size_t next(std::string_view text, std::size_t position, TokenBlock& block) const override {
    const std::size_t size = std::min(text.size() - position, kMaxTokenBytes);
    block.start(position);
    std::uint64_t members[kBlocks];
    std::uint64_t non_ascii[kBlocks];
    const bool mixed = scan_ascii(text.data() + position, size, Rules::kMembers, Rules::kLower, members, non_ascii,
                                  block.normal_buffer());
    if constexpr (!Rules::kAsciiOnly) {
      if (mixed) return mixed_stretch(text, position, size, members, non_ascii, block);
    }
    block.set_edge_count(find_edges(members, size, block.edges()));
    return finish(text, position, position + size, block);
  }

 private:
  static constexpr std::size_t kBlocks = kMaxTokenBytes / 64;

  // If a token is still open at the end of the stretch, but the document continues, it is left to the next stretch,
  // unless it began with this one.
  static std::size_t finish(std::string_view text, std::size_t position, std::size_t end, TokenBlock& block) {
    const std::size_t count = block.edge_count();
    if (end == text.size() || count == 0 || block.edges()[count - 1] != end - position) return end;
    const std::size_t begin = block.edges()[count - 2];
    if (begin == 0) return end;
    block.set_edge_count(count - 2);
    return position + begin;
  }

  std::size_t mixed_stretch(std::string_view text, std::size_t position, std::size_t size, const std::uint64_t* members,
                            const std::uint64_t* non_ascii, TokenBlock& block) const {
    block.keep_normal_edges();
    const char* copy = block.normal_buffer();
    // After the copy, and a block further on, because copying whole blocks reads that far.
    char* normal = block.normal_buffer() + (size + 63) / 64 * 64 + 64;
    const auto normal_at = [&] { return static_cast<std::size_t>(normal - block.normal_buffer()); };
    CharacterRole open = CharacterRole::separator;  // of the open token: run or single; separator if none is open
    const auto close = [&](std::size_t at) {
      if (open == CharacterRole::separator) return;
      block.push_edge(at, normal_at());
      open = CharacterRole::separator;
    };
    const auto begin = [&](std::size_t at, CharacterRole role) {
      block.push_edge(at, normal_at());
      open = role;
    };
    std::size_t at = 0;
    while (at < size) {
      // A run of ASCII up to the next non-ASCII byte, or to the end of the block of 64.
      const std::uint64_t others = non_ascii[at / 64] >> at % 64;
      const std::size_t limit = std::min(64 - at % 64, size - at);
      const auto bytes =
          static_cast<unsigned>(std::min<std::size_t>(limit, static_cast<unsigned>(std::countr_zero(others))));
      if (bytes != 0) {
        if (open == CharacterRole::single) close(at);
        std::memcpy(normal, copy + at, 64);  // more than needed, but a constant size
        const std::uint64_t in = members[at / 64] >> at % 64 & ~std::uint64_t{0} >> (64 - bytes);
        std::uint64_t inside = open == CharacterRole::run ? 1 : 0;
        std::uint32_t* first = block.edges() + block.edge_count();
        const std::uint32_t* last = emit_edges(in, bytes, inside, static_cast<std::uint32_t>(at), first);
        block.mirror_edges(static_cast<std::size_t>(last - first), static_cast<std::uint32_t>(normal_at() - at));
        open = inside != 0 ? CharacterRole::run : CharacterRole::separator;
        normal += bytes;
        at += bytes;
        continue;
      }
      const CodePoint c = decode_utf8(text, position + at);
      if (at + c.size > size) break;  // cut off by the end of the stretch, not of the text
      CharacterRole role = c.valid() ? Rules::role(c.value) : CharacterRole::separator;
      if (role == CharacterRole::none) {
        at += c.size;
        continue;
      }
      if (role == CharacterRole::mark && open == CharacterRole::separator) role = CharacterRole::separator;
      if (role == CharacterRole::separator) {
        close(at);
      } else if (role != CharacterRole::mark && (open != CharacterRole::run || role != CharacterRole::run)) {
        close(at);
        begin(at, role);
      }
      if (role != CharacterRole::separator) normal += Rules::fold(c.value, normal);
      at += c.size;
    }
    close(at);
    return finish(text, position, position + at, block);
  }
};

}  // namespace refrain::text
