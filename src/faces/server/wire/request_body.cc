#include "faces/server/wire/request_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "faces/server/wire/failure.h"
#include "faces/server/wire/json_reader.h"
#include "faces/server/wire/limits.h"
#include "refrain/error.h"

namespace refrain::server {

namespace {

constexpr std::size_t kMaxIdBytes = 4096;
constexpr std::uint64_t kMaxGap = 1024;
constexpr std::size_t kMaxWith = 10000;
constexpr std::size_t kMaxExclude = 1000;
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;

Failure bad_field(std::string_view name, std::string_view what) {
  return {400, "invalid_argument", fmt::format("'{}' {}", name, what)};
}

// The functions that read the fields of an object, by field name.
using Fields = std::map<std::string_view, std::function<void(std::string_view name, JsonReader& in)>>;

void read_object(JsonReader& in, const Fields& fields) {
  std::set<std::string> seen;
  read_fields(in, [&](const std::string& name) {
    const auto known = fields.find(name);
    if (known == fields.end()) throw bad_field(name, "is not a field of this request");
    if (!seen.insert(name).second) throw bad_field(name, "is given twice");
    known->second(name, in);
  });
  in.expect_end();
}

bool is_number(char first) {
  return first == '-' || (first >= '0' && first <= '9');
}

auto text_into(std::optional<std::string>& out) {
  return [&out](std::string_view name, JsonReader& in) {
    if (in.peek() != '"') throw bad_field(name, "must be a string");
    out = in.string();
  };
}

auto texts_into(std::vector<std::string>& out, std::size_t most) {
  return [&out, most](std::string_view name, JsonReader& in) {
    const auto bad = [&] { return bad_field(name, fmt::format("must be a list of 1 to {} strings", most)); };
    if (!in.skip('[')) throw bad();
    do {
      if (in.peek() != '"' || out.size() == most) throw bad();
      out.push_back(in.string());
    } while (in.skip(','));
    in.expect(']');
  };
}

template <class Number>
auto number_into(Number& out, std::uint64_t least, std::uint64_t most) {
  return [&out, least, most](std::string_view name, JsonReader& in) {
    const std::string_view text = is_number(in.peek()) ? in.number() : "";
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
      throw bad_field(name, fmt::format("must be a whole number from {} to {}", least, most));
    out = static_cast<Number>(number);
  };
}

template <class Choice>
auto choice_into(Choice& out, const std::vector<std::string_view>& names) {
  return [&out, names](std::string_view name, JsonReader& in) {
    const auto found = in.peek() == '"' ? std::find(names.begin(), names.end(), in.string()) : names.end();
    if (found == names.end()) throw bad_field(name, fmt::format("must be one of {}", fmt::join(names, ", ")));
    out = static_cast<Choice>(found - names.begin());
  };
}

auto toggle_into(bool& out) {
  return [&out](std::string_view name, JsonReader& in) {
    if (in.peek() != 't' && in.peek() != 'f') throw bad_field(name, "must be true or false");
    out = in.boolean();
  };
}

// Reads a number above 0 and below 1.
auto share_into(double& out) {
  return [&out](std::string_view name, JsonReader& in) {
    const std::string_view text = is_number(in.peek()) ? in.number() : "";
    double share = 0;
    std::from_chars(text.data(), text.data() + text.size(), share);
    if (!(share > 0 && share < 1)) throw bad_field(name, "must be a number above 0 and below 1");
    out = share;
  };
}

bool has_parent_component(std::string_view id) {
  while (true) {
    const std::size_t slash = id.find_first_of("/\\");
    if (id.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    id.remove_prefix(slash + 1);
  }
}

void check_id(const std::string& id, Ids ids, const std::string& where) {
  const auto bad = [&](const char* what) { return Failure(400, "bad_id", where + what); };
  if (id.empty()) throw bad("an id must not be empty");
  if (id.size() > kMaxIdBytes) throw bad("an id must not exceed 4096 bytes");
  for (const char c : id) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) throw bad("an id must not contain control characters");
  }
  if (ids == Ids::paths && has_parent_component(id)) throw bad("an id must not contain '..' as a path component");
}

QueryDocument document_of(std::string_view text, Ids ids, const std::string& where) {
  QueryDocument out;
  bool has_id = false;
  bool has_text = false;
  JsonReader in(text, where);
  read_fields(in, [&](const std::string& name) {
    if (name != "id" && name != "text") throw bad_field(name, "is not a field of this request");
    if (std::exchange(name == "id" ? has_id : has_text, true)) throw bad_field(name, "is given twice");
    if (in.peek() != '"') throw bad_field(name, "must be a string");
    (name == "id" ? out.id : out.text) = in.string();
  });
  in.expect_end();
  if (!has_id) throw bad_field("id", "is missing");
  if (!has_text) throw bad_field("text", "is missing");
  check_id(out.id, ids, where);
  return out;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Removes the next line from `left` and returns it.
std::string_view next_line(std::string_view& left) {
  const std::string_view line = left.substr(0, left.find('\n'));
  left.remove_prefix(line.size() + (line.size() < left.size() ? 1 : 0));
  return line;
}

// Whether the body consists of lines of JSON, rather than one object that may take several lines. The fields of a
// document are strings, so a line that ends with a closing brace ends its object: the first line decides.
bool is_lines(std::string_view body) {
  std::string_view line;
  while (is_blank(line) && !body.empty()) line = next_line(body);
  return !is_blank(line) && line[line.find_last_not_of(" \t\r")] == '}' && !is_blank(body);
}

std::size_t count_lines(std::string_view body) {
  std::size_t lines = 1;
  for (std::size_t at = body.find('\n'); at != std::string_view::npos; at = body.find('\n', at + 1)) ++lines;
  return lines;
}

}  // namespace

QueryRequest parse_query(std::string_view body) {
  QueryRequest request;
  QueryOptions& out = request.options;
  std::optional<std::string> text;
  std::optional<std::string> id;
  std::optional<std::string> cursor;
  const Fields fields = {
      {"text", text_into(text)},
      {"id", text_into(id)},
      {"cursor", text_into(cursor)},
      {"limit", number_into(out.limit, 1, kMaxPassages)},
      {"max_occurrences", number_into(out.max_occurrences, 1, kMaxOccurrences)},
      {"min_tokens", number_into(out.limits.min_tokens, 0, kMaxCount)},
      {"max_gap", number_into(out.limits.max_gap, 0, kMaxGap)},
      {"edits", choice_into(out.limits.edits, edits_names())},
      {"noise", share_into(out.limits.noise)},
      {"max_documents", number_into(out.limits.max_documents, 0, kMaxCount)},
      {"with", texts_into(out.with, kMaxWith)},
      {"exclude", texts_into(out.limits.exclude, kMaxExclude)},
      {"texts", toggle_into(request.texts)},
  };
  JsonReader in(body);
  read_object(in, fields);
  if (text.has_value() == id.has_value())
    throw Failure(400, "invalid_argument", "exactly one of 'text' and 'id' must be given");
  if (id && id->empty()) throw bad_field("id", "must not be empty");
  if (text) out.documents.push_back({"query", std::move(*text)});
  if (id) out.id = std::move(*id);
  if (cursor) out.cursor = std::move(*cursor);
  return request;
}

std::vector<QueryDocument> parse_documents(std::string_view body, Ids ids, const std::stop_token& stop) {
  std::vector<QueryDocument> out;
  if (!is_lines(body)) {
    out.push_back(document_of(body, ids, ""));
    return out;
  }
  out.reserve(count_lines(body));   // so that documents never move, and the views in `seen` stay valid
  std::set<std::string_view> seen;  // not hashed: a client could choose ids that share a hash
  for (std::uint64_t number = 1; !body.empty(); ++number) {
    if (stop.stop_requested()) throw Error(Errc::interrupted, "stopped");
    const std::string_view line = next_line(body);
    if (is_blank(line)) continue;
    const std::string where = fmt::format("line {}: ", number);
    out.push_back(document_of(line, ids, where));
    if (!seen.insert(out.back().id).second) throw Failure(400, "bad_id", where + "duplicate id");
  }
  return out;
}

}  // namespace refrain::server
