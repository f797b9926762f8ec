// The plain twin of `refrain index`: a sharded index of micro-fingerprints as the literature describes it.
//
//   blots_plain create FOLDER INDEX [THREADS]    stores the blots of a folder's files, and the documents that have them
//   blots_plain like INDEX FILE                  prints the windows of FILE that documents of the index also have, a
//                                                row each: document, begin and end there
//
// Words are runs of letters and digits (every non-ASCII byte is a letter), lower-cased, each hashed to 32 bits (FNV-1).
// A blot is the exclusive or of ten consecutive words, modulo 2^18. Files are distributed to threads; lists, by shards,
// too. A list contains the documents that have a blot, each once, as gaps with seven bits per byte. `like` reads every
// document that shares a blot and compares all its windows: documents with the most blots first, none left out.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::size_t kWindow = 10;
constexpr std::uint32_t kBlots = 1U << 18U;
constexpr unsigned kShards = 4;
constexpr std::size_t kRound = 256;  // files in memory at once

struct Word {
  std::size_t begin;
  std::size_t end;
  std::uint32_t hash;
};

bool is_letter(unsigned char c) {
  return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

unsigned char lower(unsigned char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<unsigned char>(c + ('a' - 'A')) : c;
}

std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_letter(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    Word word{at, at, 2166136261U};
    for (; at < text.size() && is_letter(static_cast<unsigned char>(text[at])); ++at)
      word.hash = word.hash * 16777619U ^ lower(static_cast<unsigned char>(text[at]));
    word.end = at;
    words.push_back(word);
  }
  return words;
}

// Returns the blot of every window, in order.
std::vector<std::uint32_t> blots_of(std::span<const Word> words) {
  std::vector<std::uint32_t> blots;
  std::uint32_t mixed = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    mixed ^= words[i].hash;
    if (i >= kWindow) mixed ^= words[i - kWindow].hash;
    if (i + 1 >= kWindow) blots.push_back(mixed % kBlots);
  }
  return blots;
}

std::vector<std::uint32_t> each_once(std::vector<std::uint32_t> blots) {
  std::sort(blots.begin(), blots.end());
  blots.erase(std::unique(blots.begin(), blots.end()), blots.end());
  return blots;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::filesystem::file_size(path), '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) std::exit(3);
  return text;
}

struct Lists {
  std::vector<std::vector<std::uint8_t>> gaps = std::vector<std::vector<std::uint8_t>>(kBlots);
  std::vector<std::uint32_t> last = std::vector<std::uint32_t>(kBlots, 0);  // one more than the last document

  void add(std::uint32_t blot, std::uint32_t document) {
    std::uint32_t gap = document + 1 - last[blot];
    last[blot] = document + 1;
    for (; gap >= 0x80; gap >>= 7U) gaps[blot].push_back(static_cast<std::uint8_t>(gap | 0x80));
    gaps[blot].push_back(static_cast<std::uint8_t>(gap));
  }
};

template <class Work>
void on_threads(unsigned threads, Work work) {
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0U);
  for (std::thread& other : others) other.join();
}

// The file: the number of documents, the size of their names, the names, one per line; then the length of every
// blot's list, and the lists.
bool write_index(const char* path, const std::vector<std::string>& names, const Lists& lists) {
  std::string all;
  for (const std::string& name : names) all += name + "\n";
  std::vector<std::uint64_t> numbers{names.size(), all.size()};
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return false;
  bool good = std::fwrite(numbers.data(), sizeof(std::uint64_t), 2, file) == 2;
  good = good && std::fwrite(all.data(), 1, all.size(), file) == all.size();
  numbers.clear();
  for (const auto& list : lists.gaps) numbers.push_back(list.size());
  good = good && std::fwrite(numbers.data(), sizeof(std::uint64_t), numbers.size(), file) == numbers.size();
  for (const auto& list : lists.gaps) good = good && std::fwrite(list.data(), 1, list.size(), file) == list.size();
  return std::fclose(file) == 0 && good;
}

int create(const char* folder, const char* index, unsigned threads) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  Lists lists;
  std::uint64_t posts = 0;
  std::vector<std::vector<std::uint32_t>> blots(kRound);
  for (std::size_t first = 0; first < names.size(); first += kRound) {
    const std::size_t count = std::min(kRound, names.size() - first);
    std::atomic<std::size_t> next = 0;
    on_threads(threads, [&](unsigned) {
      for (std::size_t i = next++; i < count; i = next++)
        blots[i] = each_once(blots_of(words_of(read_file(names[first + i]))));
    });
    on_threads(threads, [&](unsigned worker) {
      for (unsigned shard = worker; shard < kShards; shard += threads) {
        const std::uint32_t begin = kBlots / kShards * shard;
        for (std::size_t i = 0; i < count; ++i) {
          auto blot = std::lower_bound(blots[i].begin(), blots[i].end(), begin);
          for (; blot != blots[i].end() && *blot < begin + kBlots / kShards; ++blot)
            lists.add(*blot, static_cast<std::uint32_t>(first + i));
        }
      }
    });
    for (std::size_t i = 0; i < count; ++i) posts += blots[i].size();
  }
  std::printf("%zu documents, %llu posts\n", names.size(), static_cast<unsigned long long>(posts));
  return write_index(index, names, lists) ? 0 : 1;
}

struct Index {
  std::string bytes;
  std::vector<std::string> names;
  std::vector<std::span<const char>> lists;
};

Index read_index(const char* path) {
  Index index;
  index.bytes = read_file(path);
  const char* at = index.bytes.data();
  const auto number = [&] {
    std::uint64_t value = 0;
    std::memcpy(&value, at, sizeof value);
    at += sizeof value;
    return value;
  };
  const std::uint64_t documents = number();
  const char* lengths = at + sizeof(std::uint64_t);
  lengths += number();
  for (std::uint64_t i = 0; i < documents; ++i) {
    const char* end = std::strchr(at, '\n');
    index.names.emplace_back(at, end);
    at = end + 1;
  }
  const char* list = lengths + kBlots * sizeof(std::uint64_t);
  for (std::uint32_t blot = 0; blot < kBlots; ++blot) {
    const std::uint64_t length = number();
    index.lists.emplace_back(list, length);
    list += length;
  }
  return index;
}

// Returns the text in the form that is compared: lower-cased words, each followed by a blank.
std::string normal(const std::string& text, std::span<const Word> words) {
  std::string out;
  for (const Word& word : words) {
    for (std::size_t i = word.begin; i < word.end; ++i)
      out += static_cast<char>(lower(static_cast<unsigned char>(text[i])));
    out += ' ';
  }
  return out;
}

int like(const char* path, const char* file) {
  const Index index = read_index(path);
  const std::string query = read_file(file);
  const std::vector<Word> words = words_of(query);
  const std::vector<std::uint32_t> blots = blots_of(words);
  std::unordered_multimap<std::uint32_t, std::string> wanted;
  for (std::size_t i = 0; i < blots.size(); ++i)
    wanted.emplace(blots[i], normal(query, std::span(words).subspan(i, kWindow)));

  std::vector<std::pair<std::size_t, std::size_t>> shared(index.names.size());  // (number of blots, document)
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i].second = i;
  for (const std::uint32_t blot : each_once(blots)) {
    std::size_t document = 0;
    std::size_t gap = 0;
    unsigned shift = 0;
    for (const char byte : index.lists[blot]) {
      gap |= static_cast<std::size_t>(byte & 0x7F) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      document += gap;
      ++shared[document - 1].first;
      gap = 0;
      shift = 0;
    }
  }
  std::sort(shared.begin(), shared.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  for (const auto& [count, document] : shared) {
    if (count == 0) break;
    const std::string text = read_file(index.names[document]);
    const std::vector<Word> others = words_of(text);
    const std::vector<std::uint32_t> found = blots_of(others);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto [first, last] = wanted.equal_range(found[i]);
      if (first == last) continue;
      const std::string window = normal(text, std::span(others).subspan(i, kWindow));
      if (std::any_of(first, last, [&](const auto& one) { return one.second == window; }))
        std::printf("%s\t%zu\t%zu\n", index.names[document].c_str(), others[i].begin, others[i + kWindow - 1].end);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 3 ? argv[1] : "";
  if (verb == "create") return create(argv[2], argv[3], argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 2);
  if (verb == "like" && argc == 4) return like(argv[2], argv[3]);
  return 2;
}
