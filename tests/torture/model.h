// A computable model of the data of a server of server_months.py: every text is derived from a few numbers.
//
// Documents of the index come in pairs with the same text, which is replaced as a whole; single documents are added
// and removed. A write that was answered has happened; one that failed or was cut off may have happened. So a
// document has one of the versions from `low` to `high`, and an answer must match a version that it had between the
// question and the answer. Each document of the library has its own text. Everything answered as added must be known
// from then on.
//
// The model is stored in a file between runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace months {

using std::string;
using Number = std::uint64_t;

constexpr Number kPairWords = 60;
constexpr Number kSoloWords = 20;
constexpr Number kSeenWords = 40;
constexpr Number kBigWords = 60'000;

inline Number mixed(Number x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EB;
  return x ^ (x >> 31U);
}

inline string text_of(Number seed, char kind, Number number, Number version, Number words) {
  const Number start = mixed(mixed(seed ^ static_cast<Number>(kind) << 56U) + mixed(number << 20U) + version);
  string out;
  for (Number i = 0; i < words; ++i) {
    Number bits = mixed(start + i);
    if (i != 0) out += ' ';
    for (int letter = 0; letter < 7; ++letter, bits /= 26) out += static_cast<char>('a' + bits % 26);
  }
  return out;
}

struct Versions {
  Number low = 0;   // was written
  Number high = 0;  // may have been written
  bool busy = false;
};

struct Model {
  Number seed = 1;
  std::vector<Versions> pairs;  // from version 1 on
  std::vector<Versions> solos;  // present in odd versions
  Number next = 0;              // number of the next document of the library
  std::set<Number> unknown;     // may have been added, or are being added

  void read(const string& file) {
    std::ifstream in(file);
    Number pair_count = 0;
    Number solo_count = 0;
    Number unknown_count = 0;
    in >> seed >> pair_count >> solo_count >> next >> unknown_count;
    pairs.resize(pair_count);
    solos.resize(solo_count);
    for (auto* all : {&pairs, &solos})
      for (Versions& one : *all) in >> one.low >> one.high;
    for (Number number = 0; unknown_count > 0 && in >> number; --unknown_count) unknown.insert(number);
    if (!in) throw std::runtime_error(file + ": not a model");
  }
  void write(const string& file) const {
    std::ofstream out(file + ".new");
    out << seed << ' ' << pairs.size() << ' ' << solos.size() << ' ' << next << ' ' << unknown.size() << '\n';
    for (const auto* all : {&pairs, &solos})
      for (const Versions& one : *all) out << one.low << ' ' << one.high << '\n';
    for (const Number number : unknown) out << number << '\n';
    out.close();
    if (!out || std::rename((file + ".new").c_str(), file.c_str()) != 0)
      throw std::runtime_error(file + ": cannot write");
  }

  string pair_text(Number pair, Number version) const { return text_of(seed, 'p', pair, version, kPairWords); }
  string solo_text(Number solo, Number version) const { return text_of(seed, 's', solo, version, kSoloWords); }
  string seen_text(Number number, Number variant = 0) const { return text_of(seed, 'n', number, variant, kSeenWords); }
  string big_text() const { return text_of(seed, 'b', 0, 0, kBigWords); }
};

}  // namespace months
