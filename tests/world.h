// The environment of a test: a temporary folder, the files in it, and a context for runs. A fixture inherits from it;
// a test without a fixture creates one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/files/temp.h"
#include "refrain/context.h"
#include "refrain/json_text.h"

namespace refrain {

class World {
 public:
  const std::filesystem::path& folder() const { return folder_.path(); }
  // The path of a file in the folder. `name` may contain folders; an absolute path is returned unchanged. The same
  // below.
  std::string at(const std::string& name) const { return (folder() / name).string(); }

  // Creates or replaces a file, and creates its parent folders. Returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::string path = at(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    OutputFile file(path);
    file.write(content);
    file.close_unsynced();
    return path;
  }
  std::string write_lines(const std::string& name, const std::vector<std::string>& lines) const {
    std::string content;
    for (const std::string& line : lines) content += line + '\n';
    return write(name, content);
  }

  std::string read(const std::string& name) const { return read_file(at(name)); }
  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream content(read(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(content, line);) all.push_back(line);
    return all;
  }

  // Temporary files are in the folder, too.
  Context context(unsigned threads = 2, std::uint64_t memory_bytes = std::uint64_t{256} << 20) const {
    return {.memory_bytes = memory_bytes, .threads = threads, .temp_dir = folder().string()};
  }

 private:
  TempDir folder_{std::filesystem::temp_directory_path(), "refrain-test"};
};

// Returns a line of JSONL, without the newline: an object of strings.
inline std::string json_record(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  std::string record;
  for (const auto& [name, value] : fields)
    record += (record.empty() ? "{" : ", ") + json_text(name) + ": " + json_text(value);
  return record + "}";
}

}  // namespace refrain
