#include "corpus/rewrite/output_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/files/path.h"
#include "corpus/formats/recognize.h"

namespace refrain::corpus {

namespace {

namespace fs = std::filesystem;

bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name != "/";
}

// The last component of the path. If it is not a name, such as "..", that of the folder that the path leads to.
std::string base_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  std::string name = fs::path(path).filename().string();
  if (is_name(name)) return name;
  std::error_code ignored;
  name = fs::canonical(path, ignored).filename().string();
  return is_name(name) ? name : "input";
}

// Where to insert a number: before the extensions of a file, which tell its format, or after the name of a folder.
std::size_t end_of_stem(const std::string& name, bool folder) {
  if (folder) return name.size();
  const std::size_t end = without_packing(name).size();
  if (end == 0) return name.size();
  const std::size_t dot = name.rfind('.', end - 1);
  return dot == std::string::npos || dot == 0 ? end : dot;
}

}  // namespace

OutputNames::OutputNames(const InputOptions& options) : paths_(options.paths) {
  std::unordered_set<std::string> taken;
  std::unordered_map<std::string, std::size_t> numbers;  // the last number by base name
  for (const std::string& path : paths_) {
    const std::string base = base_name(path);
    const std::size_t stem = end_of_stem(base, path_kind(path) == PathKind::folder);
    std::string name = base;
    for (std::size_t& number = numbers.try_emplace(base, 1).first->second; !taken.insert(name).second;)
      name = fmt::format("{}-{}{}", base.substr(0, stem), ++number, base.substr(stem));
    names_.push_back(std::move(name));
  }
}

std::string OutputNames::of(const Input& input) const {
  std::string_view below = std::string_view(input.path).substr(paths_[input.operand].size());
  below.remove_prefix(std::min(below.find_first_not_of('/'), below.size()));
  return below.empty() ? names_[input.operand] : fmt::format("{}/{}", names_[input.operand], below);
}

}  // namespace refrain::corpus
