#include "verbs/run/tsv.h"

#include <array>
#include <charconv>

namespace refrain::verbs::run {

void append_escaped(std::string& out, std::string_view id) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t at = id.find_first_of("\t\n\r\\", begin);
    out += id.substr(begin, at == std::string_view::npos ? at : at - begin);
    if (at == std::string_view::npos) return;
    out += '\\';
    out += id[at] == '\t' ? 't' : id[at] == '\n' ? 'n' : id[at] == '\r' ? 'r' : '\\';
    begin = at + 1;
  }
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return out;
}

void append_decimal(std::string& out, std::uint64_t value) {
  std::array<char, 20> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<HashRow> parse_hash_row(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  HashRow row{line.substr(0, tab), std::nullopt};
  const std::string_view hash = line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1);
  if (hash.empty()) return row;
  row.hash = parse_decimal(hash);
  return row.hash ? std::optional(row) : std::nullopt;
}

namespace {

// Whether the line begins with the columns `id` and `name`.
bool is_header(std::string_view line, std::string_view name) {
  constexpr std::string_view kId = "id\t";
  if (!line.starts_with(kId)) return false;
  line.remove_prefix(kId.size());
  return line.substr(0, line.find_first_of("\t\r")) == name;
}

}  // namespace

bool is_hash_header(std::string_view line) {
  return is_header(line, "simhash") || is_header(line, "hash");
}

bool is_digest_header(std::string_view line) {
  return is_header(line, "digest");
}

}  // namespace refrain::verbs::run
