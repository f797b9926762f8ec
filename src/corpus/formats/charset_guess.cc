// Guesses the character set of bytes that are not UTF-8 from the frequencies of byte values.
//
// Two-byte sets are recognized by their pairs: in no other set do nearly all bytes beyond ASCII form such pairs. The
// most frequent characters then tell the language: kana, hangul, the common half of the hanzi. Cyrillic text consists
// of whole words of high bytes, and eight letters make up half of it. Everything else is taken for windows-1252.
#include <algorithm>
#include <array>
#include <cstdint>

#include "corpus/formats/charset.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kGuessBytes = std::size_t{64} << 10;
constexpr std::size_t kMinHighBytes = 24;  // fewer bytes beyond ASCII are not enough to guess

using Byte = unsigned char;

bool is_in(Byte byte, Byte first, Byte last) {
  return first <= byte && byte <= last;
}

struct TwoBytes {
  bool (*lead)(Byte);
  bool (*trail)(Byte);
  bool (*single)(Byte);
};

bool none(Byte /*byte*/) {
  return false;
}
bool is_euc(Byte byte) {
  return is_in(byte, 0xA1, 0xFE);
}

constexpr TwoBytes kEuc = {is_euc, is_euc, none};
constexpr TwoBytes kShiftJis = {[](Byte byte) { return is_in(byte, 0x81, 0x9F) || is_in(byte, 0xE0, 0xFC); },
                                [](Byte byte) { return is_in(byte, 0x40, 0x7E) || is_in(byte, 0x80, 0xFC); },
                                [](Byte byte) { return is_in(byte, 0xA1, 0xDF); }};
constexpr TwoBytes kBig5 = {[](Byte byte) { return is_in(byte, 0xA1, 0xF9); },
                            [](Byte byte) { return is_in(byte, 0x40, 0x7E) || is_euc(byte); }, none};
constexpr TwoBytes kGbk = {[](Byte byte) { return is_in(byte, 0x81, 0xFE); },
                           [](Byte byte) { return is_in(byte, 0x40, 0x7E) || is_in(byte, 0x80, 0xFE); }, none};

// Counts the pairs of a text, as read in a two-byte set.
class Pairs {
 public:
  Pairs(std::string_view bytes, const TwoBytes& set) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const auto lead = static_cast<Byte>(bytes[at]);
      if (lead < 0x80 || set.single(lead)) continue;
      const Byte trail = at + 1 < bytes.size() ? static_cast<Byte>(bytes[at + 1]) : Byte{0};
      if (!set.lead(lead) || !set.trail(trail)) {
        ++wrong_;
        continue;
      }
      ++leads_[lead];
      ++all_;
      low_ += trail < 0x80 ? 1 : 0;
      common_ += is_in(lead, 0xB0, 0xD7) && is_euc(trail) ? 1 : 0;
      ++at;
    }
  }
  // Whether nearly all bytes form pairs: one in fifty may be wrong, and the last one cut off.
  bool sound() const { return all_ >= kMinHighBytes / 2 && wrong_ <= 1 + all_ / 50; }
  double with_lead(Byte first, Byte last) const {
    std::size_t found = 0;
    for (std::size_t lead = first; lead <= last; ++lead) found += leads_[lead];
    return share(found);
  }
  double with_low_trail() const { return share(low_); }
  double common_hanzi() const { return share(common_); }

 private:
  double share(std::size_t some) const { return all_ == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all_); }

  std::array<std::size_t, 256> leads_{};
  std::size_t all_ = 0;
  std::size_t wrong_ = 0;
  std::size_t low_ = 0;
  std::size_t common_ = 0;
};

// Empty if the bytes are not in a two-byte charset.
std::string two_byte_charset(std::string_view bytes) {
  if (const Pairs pairs(bytes, kEuc); pairs.sound()) {
    if (pairs.with_lead(0xA4, 0xA5) >= 0.2) return "euc-jp";  // kana
    const double hangul = pairs.with_lead(0xB0, 0xC8);
    if (hangul >= 0.5 && hangul >= 0.95 * pairs.with_lead(0xB0, 0xF7)) return "euc-kr";
    if (pairs.common_hanzi() >= 0.6) return "gb18030";
  }
  if (const Pairs pairs(bytes, kShiftJis); pairs.sound() && pairs.with_lead(0x82, 0x83) >= 0.2) return "cp932";
  if (const Pairs pairs(bytes, kBig5); pairs.sound() && pairs.with_lead(0xA4, 0xC6) >= 0.75 &&
                                       pairs.with_low_trail() >= 0.15 && pairs.with_low_trail() <= 0.75)
    return "big5";
  if (const Pairs pairs(bytes, kGbk); pairs.sound() && pairs.common_hanzi() >= 0.6) return "gb18030";
  return {};
}

struct Cyrillic {
  const char* charset;
  std::string_view common;  // а е и н о р с т
  std::string_view some;    // ы ь ю я і ј: some must occur, too, which tells Cyrillic from other alphabets
};
constexpr Cyrillic kCyrillic[] = {{"windows-1251", "\xe0\xe5\xe8\xed\xee\xf0\xf1\xf2", "\xfb\xfc\xfe\xff\xb3\xbc"},
                                  {"koi8-r", "\xc1\xc5\xc9\xce\xcf\xd2\xd3\xd4", "\xd9\xd8\xc0\xd1\xa6\xa8"},
                                  {"iso-8859-5", "\xd0\xd5\xd8\xdd\xde\xe0\xe1\xe2", "\xeb\xec\xee\xef\xf6\xf8"},
                                  {"cp866", "\xa0\xa5\xa8\xad\xae\xe0\xe1\xe2", "\xeb\xec\xee\xef"}};

// Empty if the bytes are not Cyrillic.
std::string cyrillic_charset(std::string_view bytes) {
  constexpr double kInWords = 0.8;
  constexpr double kCommon = 0.42;
  constexpr double kSome = 0.015;
  std::array<std::size_t, 256> counts{};
  std::size_t high = 0;
  std::size_t in_words = 0;
  const auto is_high = [&](std::size_t at) { return at < bytes.size() && static_cast<Byte>(bytes[at]) >= 0x80; };
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (!is_high(at)) continue;
    ++high;
    ++counts[static_cast<Byte>(bytes[at])];
    in_words += is_high(at + 1) || (at > 0 && is_high(at - 1)) ? 1 : 0;
  }
  if (static_cast<double>(in_words) < kInWords * static_cast<double>(high)) return {};
  const auto share = [&](std::string_view letters) {
    std::size_t found = 0;
    for (const char letter : letters) found += counts[static_cast<Byte>(letter)];
    return static_cast<double>(found) / static_cast<double>(high);
  };
  const Cyrillic* const best =
      std::ranges::max_element(kCyrillic, {}, [&](const Cyrillic& one) { return share(one.common); });
  return share(best->common) >= kCommon && share(best->some) >= kSome ? best->charset : "";
}

}  // namespace

std::string guessed_charset(std::string_view bytes) {
  bytes = bytes.substr(0, kGuessBytes);
  const auto high =
      std::count_if(bytes.begin(), bytes.end(), [](char byte) { return static_cast<Byte>(byte) >= 0x80; });
  if (static_cast<std::size_t>(high) < kMinHighBytes) return "windows-1252";
  std::string found = cyrillic_charset(bytes);
  if (found.empty()) found = two_byte_charset(bytes);
  return found.empty() ? "windows-1252" : found;
}

}  // namespace refrain::corpus
