#include "faces/server/wire/request_body.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "faces/server/wire/failure.h"
#include "faces/server/wire/limits.h"

namespace refrain::server {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kMaxIdBytes = 4096;
constexpr std::uint64_t kMaxGap = 1024;
constexpr std::size_t kMaxWith = 10000;
constexpr std::size_t kMaxExclude = 1000;
constexpr std::uint64_t kMaxCount = std::uint64_t{1} << 40;

Failure bad_json(const std::string& message) {
  return {400, "bad_json", message};
}
Failure bad_field(std::string_view name, std::string_view what) {
  return {400, "invalid_argument", fmt::format("'{}' {}", name, what)};
}

// What a field of an object is for.
using Fields = std::map<std::string_view, std::function<void(std::string_view name, dom::element value)>>;

// `where` is "line 3: " or nothing.
void read_object(dom::element element, const Fields& fields, const std::string& where) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) throw bad_json(where + "must be an object");
  std::unordered_set<std::string_view> seen;
  for (const dom::key_value_pair field : object) {
    const auto known = fields.find(field.key);
    if (known == fields.end()) throw bad_field(field.key, "is not a field of this request");
    if (!seen.insert(field.key).second) throw bad_field(field.key, "is given twice");
    known->second(field.key, field.value);
  }
}

dom::element parse(dom::parser& parser, std::string_view text, const std::string& where) {
  dom::element element;
  const simdjson::error_code error = parser.parse(text.data(), text.size()).get(element);
  if (error != simdjson::SUCCESS) throw bad_json(where + "not JSON: " + simdjson::error_message(error));
  return element;
}

auto text_into(std::optional<std::string>& out) {
  return [&out](std::string_view name, dom::element value) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) throw bad_field(name, "must be a string");
    out = std::string(text);
  };
}

auto texts_into(std::vector<std::string>& out, std::size_t most) {
  return [&out, most](std::string_view name, dom::element value) {
    const auto bad = [&] { return bad_field(name, fmt::format("must be a list of 1 to {} strings", most)); };
    dom::array list;
    if (value.get(list) != simdjson::SUCCESS || list.size() == 0 || list.size() > most) throw bad();
    for (const dom::element one : list) {
      std::string_view text;
      if (one.get(text) != simdjson::SUCCESS) throw bad();
      out.emplace_back(text);
    }
  };
}

template <class Number>
auto number_into(Number& out, std::uint64_t least, std::uint64_t most) {
  return [&out, least, most](std::string_view name, dom::element value) {
    std::uint64_t number = 0;
    if (!value.is_uint64() || value.get(number) != simdjson::SUCCESS || number < least || number > most)
      throw bad_field(name, fmt::format("must be a whole number from {} to {}", least, most));
    out = static_cast<Number>(number);
  };
}

template <class Choice>
auto choice_into(Choice& out, const std::vector<std::string_view>& names) {
  return [&out, names](std::string_view name, dom::element value) {
    std::string_view text;
    const auto found = value.get(text) == simdjson::SUCCESS ? std::find(names.begin(), names.end(), text) : names.end();
    if (found == names.end()) throw bad_field(name, fmt::format("must be one of {}", fmt::join(names, ", ")));
    out = static_cast<Choice>(found - names.begin());
  };
}

auto toggle_into(bool& out) {
  return [&out](std::string_view name, dom::element value) {
    if (value.get(out) != simdjson::SUCCESS) throw bad_field(name, "must be true or false");
  };
}

// Above 0 and below 1.
auto share_into(double& out) {
  return [&out](std::string_view name, dom::element value) {
    double share = 0;
    if (value.get(share) != simdjson::SUCCESS || share <= 0 || share >= 1)
      throw bad_field(name, "must be a number above 0 and below 1");
    out = share;
  };
}

bool goes_up(std::string_view id) {
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
  if (ids == Ids::paths && goes_up(id)) throw bad("an id must not contain '..' as a path component");
}

QueryDocument document_of(dom::element element, Ids ids, const std::string& where) {
  std::optional<std::string> id;
  std::optional<std::string> text;
  read_object(element, {{"id", text_into(id)}, {"text", text_into(text)}}, where);
  if (!id) throw bad_field("id", "is missing");
  if (!text) throw bad_field("text", "is missing");
  check_id(*id, ids, where);
  return {std::move(*id), std::move(*text)};
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// Takes the next line off `left`.
std::string_view next_line(std::string_view& left) {
  const std::string_view line = left.substr(0, left.find('\n'));
  left.remove_prefix(line.size() + (line.size() < left.size() ? 1 : 0));
  return line;
}

// Whether the first line that is not blank is JSON by itself; else the body is one object, over several lines.
bool is_lines(dom::parser& parser, std::string_view body) {
  while (!body.empty()) {
    const std::string_view line = next_line(body);
    if (is_blank(line)) continue;
    dom::element element;
    return !is_blank(body) && parser.parse(line.data(), line.size()).get(element) == simdjson::SUCCESS;
  }
  return false;
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
  dom::parser parser;
  read_object(parse(parser, body, ""), fields, "");
  if (text.has_value() == id.has_value())
    throw Failure(400, "invalid_argument", "exactly one of 'text' and 'id' must be given");
  if (id && id->empty()) throw bad_field("id", "must not be empty");
  if (text) out.documents.push_back({"query", std::move(*text)});
  if (id) out.id = std::move(*id);
  if (cursor) out.cursor = std::move(*cursor);
  return request;
}

std::vector<QueryDocument> parse_documents(std::string_view body, Ids ids) {
  std::vector<QueryDocument> out;
  dom::parser parser;
  if (!is_lines(parser, body)) {
    out.push_back(document_of(parse(parser, body, ""), ids, ""));
    return out;
  }
  std::unordered_set<std::string> seen;
  for (std::uint64_t number = 1; !body.empty(); ++number) {
    const std::string_view line = next_line(body);
    if (is_blank(line)) continue;
    const std::string where = fmt::format("line {}: ", number);
    out.push_back(document_of(parse(parser, line, where), ids, where));
    if (!seen.insert(out.back().id).second) throw Failure(400, "bad_id", where + "duplicate id");
  }
  return out;
}

}  // namespace refrain::server
