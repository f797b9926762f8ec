#include "twin/machine_text.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace bench {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastBytes = std::size_t{1} << 20;

bool is_wanted(const fs::path& path) {
  if (path.string().find("/common-licenses/") != std::string::npos) return true;
  const std::string name = path.filename().string();
  for (const char* part : {"changelog", "copyright", "README", "NEWS", "TODO", ".txt", ".md"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

std::vector<fs::path> wanted_files() {
  std::vector<fs::path> paths;
  for (const char* folder : {"/usr/share/common-licenses", "/usr/share/doc"}) {
    std::error_code error;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error))
      if (at->symlink_status(error).type() == fs::file_type::regular && is_wanted(at->path()))
        paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// zlib reads both plain and gzipped files.
std::string read_file(const fs::path& path, std::size_t most_bytes) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  std::array<char, 1 << 16> buffer{};
  for (int got = 1; got > 0 && text.size() < most_bytes;) {
    got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  gzclose(file);
  if (text.size() > most_bytes) text.resize(most_bytes);
  return text;
}

// Returns the size of the character at `at`, or 0 if the bytes there are not valid UTF-8.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  const unsigned second = byte(at + 1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // a surrogate
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(at + i) & 0xC0U) != 0x80) return 0;
  return size;
}

void make_valid(std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    if (size == 0) text[at] = '?';
    at += std::max<std::size_t>(size, 1);
  }
}

// Words of two to ten letters, the first of a list much more frequent than the last, in lines and paragraphs.
std::string made_up_text(std::size_t bytes) {
  std::vector<std::string> words(20000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const unsigned long long r = random_number(1, i);
    for (unsigned c = 0; c < 2 + r % 9; ++c) words[i] += static_cast<char>('a' + random_number(2, i * 16 + c) % 26);
  }
  std::string text;
  for (std::size_t n = 0; text.size() < bytes; ++n) {
    const double u = static_cast<double>(random_number(3, n) >> 11U) * 0x1p-53;
    text += words[static_cast<std::size_t>(u * u * u * static_cast<double>(words.size()))];
    text += n % 97 == 96 ? "\n\n" : n % 12 == 11 ? "\n" : " ";
  }
  text.resize(bytes);
  return text;
}

}  // namespace

std::string machine_text(std::size_t most_bytes) {
  std::string text;
  for (const fs::path& path : wanted_files()) {
    if (text.size() >= most_bytes) break;
    std::string one = read_file(path, most_bytes - text.size());
    if (one.find('\0') == std::string::npos) text += one;
  }
  if (text.size() < kLeastBytes) text = made_up_text(most_bytes);
  make_valid(text);
  return text;
}

std::vector<std::string_view> cut(std::string_view text, std::size_t size) {
  std::vector<std::string_view> pieces;
  while (text.size() > size) {
    std::size_t end = size;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  if (!text.empty()) pieces.push_back(text);
  return pieces;
}

}  // namespace bench
