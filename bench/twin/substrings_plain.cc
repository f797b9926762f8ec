// The usual way to find repeated substrings: a suffix array of all the text (libdivsufsort), in which neighbors are
// compared.
//
//   substrings_plain FOLDER LENGTH OUTPUT     writes the rows of `refrain substrings`, for the files of a folder
//
// Uses one thread, because libdivsufsort does. Windows do not cross files.
#include <divsufsort.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::size_t length = std::strtoull(argv[2], nullptr, 10);
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::string text;
  std::vector<std::size_t> ends;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
    ends.push_back(text.size());
  }

  std::vector<std::int32_t> suffixes(text.size());
  divsufsort(reinterpret_cast<const std::uint8_t*>(text.data()), suffixes.data(),
             static_cast<std::int32_t>(text.size()));
  std::vector<bool> whole(text.size(), false);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    for (std::size_t at = begin; at + length <= end; ++at) whole[at] = true;
    begin = end;
  }
  std::vector<bool> repeated(text.size(), false);
  std::size_t before = text.size();
  for (const std::int32_t suffix : suffixes) {
    const auto at = static_cast<std::size_t>(suffix);
    if (!whole[at]) continue;
    if (before != text.size() && std::memcmp(text.data() + before, text.data() + at, length) == 0)
      repeated[before] = repeated[at] = true;
    before = at;
  }

  std::FILE* out = std::fopen(argv[3], "w");
  if (out == nullptr) return 1;
  std::fputs("id\tx\ty\n", out);
  begin = 0;
  for (std::size_t document = 0; document < ends.size(); ++document) {
    std::size_t from = 0;
    std::size_t to = 0;
    const auto row = [&] {
      if (to != 0) std::fprintf(out, "%s\t%zu\t%zu\n", paths[document].c_str(), from, to);
    };
    for (std::size_t at = begin; at < ends[document]; ++at) {
      if (!repeated[at]) continue;
      if (at - begin > to || to == 0) {
        row();
        from = at - begin;
      }
      to = at - begin + length;
    }
    row();
    begin = ends[document];
  }
  return std::fclose(out) == 0 ? 0 : 1;
}
