#include "pipeline/input_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/checksum.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

std::string line_of(const fs::directory_entry& file) {
  std::error_code ignored;
  return fmt::format("{} {} {}", file.path().string(), file.file_size(ignored),
                     file.last_write_time(ignored).time_since_epoch().count());
}

}  // namespace

std::string input_identity(const InputOptions& input) {
  std::string text;
  for (const std::string& path : input.paths) {
    std::error_code error;
    if (path == "-") {
      text += "input -\n";
    } else if (!fs::is_directory(path, error)) {
      text += "input " + line_of(fs::directory_entry(path, error)) + "\n";
    } else {
      std::vector<std::string> lines;
      std::uint64_t bytes = 0;
      for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error), end;
           !error && at != end; at.increment(error)) {
        std::error_code ignored;
        if (!at->is_regular_file(ignored)) continue;
        bytes += at->file_size(ignored);
        lines.push_back(line_of(*at));
      }
      std::sort(lines.begin(), lines.end());
      std::uint64_t sum = 0;
      for (const std::string& line : lines) sum = checksum(fmt::format("{} {}", sum, line));
      text += fmt::format("input {} files {} bytes {} sum {}\n", path, lines.size(), bytes, sum);
    }
  }
  return text;
}

}  // namespace refrain
