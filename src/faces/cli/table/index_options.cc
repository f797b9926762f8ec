// The options of the verbs of an index or a library.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "faces/cli/table/numbers.h"
#include "faces/cli/table/options.h"
#include "refrain/error.h"

namespace refrain::cli {

namespace {

// The limit for a file with ids or a token, which is read into memory as a whole.
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20;
// While duplicate ids are removed, a short id takes about this many times its own bytes.
constexpr std::uint64_t kBytesPerIdByte = 24;

std::string read_stream(std::istream& in, const std::string& name, std::uint64_t most) {
  std::string text;
  std::string block(std::size_t{64} << 10, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > most)
      throw Error(Errc::invalid_argument, fmt::format("{}: larger than {} bytes; split it", name, count_text(most)));
  }
  // Reading a folder fails, although it can be opened. Reaching the end of a file is not a failure.
  if (!in.eof()) {
    throw cannot_read(name, errno);
  }
  return text;
}

std::string read_file(const std::string& path, std::uint64_t most = kMaxTextBytes) {
  if (path == "-") return read_stream(std::cin, "standard input", most);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  return read_stream(file, path, most);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::vector<std::string> all_but_first(const std::vector<std::string>& operands) {
  return {operands.begin() + 1, operands.end()};
}

// Returns the operands after the first one and the ids of --ids, each id once.
std::vector<std::string> named_ids(const Settings& settings) {
  std::vector<std::string> ids = all_but_first(settings.operands);
  if (!settings.ids.empty()) {
    const std::uint64_t most =
        settings.has("memory") ? given_options<Context>(settings).memory_bytes / kBytesPerIdByte : kMaxTextBytes;
    for (std::string& id : lines_of(read_file(settings.ids, std::min(most, kMaxTextBytes))))
      ids.push_back(std::move(id));
  }
  // An id that is named twice is removed once, and is not reported as unknown the second time.
  std::unordered_set<std::string_view> seen;
  std::vector<std::string> unique_ids;
  for (const std::string& id : ids) {
    if (seen.insert(id).second) unique_ids.push_back(id);
  }
  return unique_ids;
}

}  // namespace

IndexCreateOptions index_create_options(const Settings& settings) {
  return {.index = settings.operands.at(0),
          .input = input_options(settings, all_but_first(settings.operands)),
          .layout = given_options<IndexLayout>(settings)};
}

IndexAddOptions index_add_options(const Settings& settings) {
  return given_options(settings, IndexAddOptions{.input = input_options(settings, all_but_first(settings.operands))});
}

std::vector<std::string> ids_to_remove(const Settings& settings) {
  if (settings.operands.size() == 1 && settings.ids.empty())
    throw Error(Errc::invalid_argument, "'index remove' needs an ID, or --ids FILE");
  return named_ids(settings);
}

LibraryRemoveOptions library_remove_options(const Settings& settings) {
  if (settings.operands.size() == 1 && settings.ids.empty() && settings.sources.empty())
    throw Error(Errc::invalid_argument, "'library remove' needs an ID, --ids FILE or --source NAME");
  return {.ids = named_ids(settings), .sources = settings.sources};
}

QueryOptions query_options(const Settings& settings) {
  const bool by_id = settings.has("id");
  const bool by_self = settings.has("self");
  if (by_id && settings.operands.size() > 1)
    throw Error(Errc::invalid_argument, "--id: queries with a document of the index; remove it, or the inputs");
  if (by_self && (by_id || settings.operands.size() > 1))
    throw Error(Errc::invalid_argument,
                "--self: queries with all documents of the index; remove it, or the inputs and --id");
  if (!by_id && !by_self && settings.operands.size() == 1)
    throw Error(Errc::invalid_argument, "'index query' needs an INPUT, -, --id ID, or --self");
  if (by_id) refuse_input_flags(settings, "--id: reads no input");
  if (by_self) refuse_input_flags(settings, "--self: reads no input");
  if (settings.raw) refuse_input_flags(settings, "--raw: reads every INPUT as plain text");
  auto options = given_options<QueryOptions>(settings);
  if (settings.operands.size() > 1) options.input = input_options(settings, all_but_first(settings.operands));
  return options;
}

ServeOptions serve_options(const Settings& settings) {
  auto options = given_options<ServeOptions>(settings);
  if (!settings.operands.empty()) options.index = settings.operands.front();
  if (!settings.token_file.empty()) {
    const std::vector<std::string> lines = lines_of(read_file(settings.token_file));
    if (lines.size() != 1)
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: must contain the token as a single line", settings.token_file));
    options.token = lines.front();
  }
  return options;
}

}  // namespace refrain::cli
