// Reads, judges and merges the lines of files of overrides.
#include "refrain/overrides.h"

#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/hash.h"
#include "base/json.h"
#include "refrain/error.h"

namespace refrain {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kOps[] = {"keep", "remove", "survivor", "never", "note", "undo"};
constexpr std::uint64_t kVersionOfLines = 1;

[[noreturn]] void refuse(const std::string& place, const std::string& what,
                         std::string_view remedy = "correct the line or take it out") {
  throw Error(Errc::bad_input, fmt::format("{}: {}; {}", place, what, remedy));
}

// Reads the fields of an object, each of which may occur once.
class Fields {
 public:
  Fields(const dom::object& object, const std::string& place) : place_(place) {
    for (const dom::key_value_pair field : object)
      if (!fields_.emplace(field.key, field.value).second) refuse(place_, fmt::format("two fields '{}'", field.key));
  }

  bool has(std::string_view name) const { return fields_.contains(name); }
  std::optional<std::uint64_t> number(std::string_view name) { return take<std::uint64_t>(name, "a whole number"); }
  std::optional<std::string> text(std::string_view name) {
    const std::optional<std::string_view> text = take<std::string_view>(name, "a string");
    return text ? std::optional<std::string>(*text) : std::nullopt;
  }
  std::optional<dom::array> list(std::string_view name) { return take<dom::array>(name, "a list"); }

  template <class T>
  T needed(std::string_view name, std::optional<T> value) const {
    if (!value) refuse(place_, fmt::format("no field '{}'", name));
    return *std::move(value);
  }

  // Refuses the fields that were not asked for.
  void finish() const {
    for (const auto& [name, value] : fields_)
      if (!taken_.contains(name)) refuse(place_, fmt::format("unknown field '{}'", name));
  }

 private:
  template <class T>
  std::optional<T> take(std::string_view name, std::string_view kind) {
    const auto found = fields_.find(name);
    if (found == fields_.end()) return std::nullopt;
    taken_.insert(name);
    T value{};
    if (found->second.get(value) != simdjson::SUCCESS) refuse(place_, fmt::format("'{}' is not {}", name, kind));
    return value;
  }

  const std::string& place_;
  std::map<std::string_view, dom::element> fields_;
  std::set<std::string_view> taken_;
};

OverrideDocument read_document(const dom::element& element, const std::string& place) {
  dom::object object;
  if (element.get(object) != simdjson::SUCCESS) refuse(place, "a document is not an object");
  Fields fields(object, place);
  const std::string text = fields.needed("digest", fields.text("digest"));
  const std::optional<Digest> digest = parse_digest(text);
  if (!digest) refuse(place, fmt::format("'digest' is not 32 hexadecimal digits: '{}'", text.substr(0, 64)));
  OverrideDocument document{.digest = *digest, .id = fields.text("id")};
  fields.finish();
  return document;
}

// Refuses documents that the operation cannot be about.
void check_documents(const Override& line) {
  const std::size_t count = line.documents.size();
  if (line.op == OverrideOp::undo) {
    if (count != 0) refuse(line.place, "'undo' names a line, not documents");
  } else if (line.op != OverrideOp::never) {
    if (count == 0) refuse(line.place, fmt::format("'{}' names no document", override_op_name(line.op)));
  } else if (count != 2) {
    refuse(line.place, fmt::format("'never' is about two documents, not {}", count));
  } else if (const auto& [first, second] = std::pair(line.documents[0], line.documents[1]);
             first.digest == second.digest && (!first.id || !second.id || first.id == second.id)) {
    refuse(line.place, "'never' names one text twice", "give two ids to tell the copies apart");
  }
}

Override read_line(const dom::object& object, const std::string& place) {
  Fields fields(object, place);
  if (const std::uint64_t version = fields.needed("v", fields.number("v")); version != kVersionOfLines)
    refuse(place, fmt::format("version {} is not supported", version), "use a newer version of Refrain");
  Override line{.place = place};
  line.seq = fields.needed("seq", fields.number("seq"));
  const std::string op = fields.needed("op", fields.text("op"));
  const auto* found = std::ranges::find(kOps, op);
  if (found == std::end(kOps))
    refuse(place, fmt::format("unknown operation '{}'", op.substr(0, 64)),
           "use keep, remove, survivor, never, note or undo");
  line.op = static_cast<OverrideOp>(found - std::begin(kOps));
  if (const std::optional<dom::array> documents = fields.list("documents"))
    for (const dom::element document : *documents) line.documents.push_back(read_document(document, place));
  check_documents(line);
  if (line.op == OverrideOp::undo)
    line.undoes = fields.needed("undoes", fields.number("undoes"));
  else if (fields.has("undoes"))
    refuse(place, fmt::format("'{}' has a field 'undoes', which is for 'undo'", override_op_name(line.op)));
  line.by = fields.text("by").value_or("");
  line.at = fields.text("at").value_or("");
  line.note = fields.text("note").value_or("");
  if (line.op == OverrideOp::note && line.note.empty()) refuse(place, "'note' has no text in its field 'note'");
  fields.finish();
  return line;
}

std::size_t index_of(std::span<const Override> lines, std::uint64_t seq) {
  return static_cast<std::size_t>(std::ranges::lower_bound(lines, seq, {}, &Override::seq) - lines.begin());
}

// Finds lines that keep and lines that remove the same document.
class Claims {
 public:
  void add(const Override& line, const OverrideDocument& document) {
    const bool removes = line.op == OverrideOp::remove;
    const Override* other = find(!removes, document.digest, document.id ? "=" + *document.id : "*");
    if (other == nullptr && document.id) other = find(!removes, document.digest, "text");
    if (other != nullptr)
      refuse(line.place,
             fmt::format("'{}' contradicts '{}' in {}", override_op_name(line.op), override_op_name(other->op),
                         other->place),
             "undo one of them");
    const auto claim = [&](const std::string& name) { lines_.try_emplace(key(removes, document.digest, name), &line); };
    claim("*");
    claim(document.id ? "=" + *document.id : "text");
  }

 private:
  // `name`: an id after "=", "text" for all documents with the text, "*" for any of these.
  static std::string key(bool removes, const Digest& digest, const std::string& name) {
    return fmt::format("{}{}{}", removes ? '-' : '+', to_hex(digest), name);
  }
  const Override* find(bool removes, const Digest& digest, const std::string& name) const {
    const auto found = lines_.find(key(removes, digest, name));
    return found == lines_.end() ? nullptr : found->second;
  }

  std::unordered_map<std::string, const Override*> lines_;
};

std::string documents_json(const std::vector<OverrideDocument>& documents) {
  std::string text;
  for (const OverrideDocument& document : documents)
    text += fmt::format(R"({}{{"digest": "{}"{}}})", text.empty() ? "" : ", ", to_hex(document.digest),
                        document.id ? fmt::format(R"(, "id": {})", json_text(*document.id)) : "");
  return text;
}

}  // namespace

std::string_view override_op_name(OverrideOp op) {
  return kOps[static_cast<std::size_t>(op)];
}

std::vector<Override> parse_overrides(std::string_view text, const std::string& name) {
  std::vector<Override> lines;
  dom::parser parser;
  for (std::uint64_t number = 1; !text.empty(); ++number) {
    const std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = fmt::format("{}:{}", name, number);
    dom::object object;
    const simdjson::error_code error = parser.parse(row.data(), row.size()).get(object);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    if (error != simdjson::SUCCESS)
      refuse(place, error == simdjson::INCORRECT_TYPE ? "not a JSON object"
                                                      : fmt::format("not JSON: {}", simdjson::error_message(error)));
    Override line = read_line(object, place);
    const std::uint64_t last = lines.empty() ? 0 : lines.back().seq;
    if (line.seq <= last)
      refuse(place, fmt::format("'seq' is {}, after {}", line.seq, last), "number the lines upwards");
    if (line.op == OverrideOp::undo)
      if (const std::size_t undone = index_of(lines, line.undoes);
          undone == lines.size() || lines[undone].seq != line.undoes)
        refuse(place, fmt::format("'undoes' is {}, but no earlier line has this 'seq'", line.undoes));
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Override> read_overrides(const std::filesystem::path& file) {
  return parse_overrides(read_file(file), file.string());
}

std::vector<Override> live_overrides(std::span<const Override> all) {
  // A line is undone only by later ones, and undoing an `undo` counts, too.
  std::vector<bool> undone(all.size());
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].op == OverrideOp::undo && !undone[i]) undone[index_of(all, all[i].undoes)] = true;
  std::vector<Override> live;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!undone[i] && all[i].op != OverrideOp::undo) live.push_back(all[i]);
  Claims claims;
  for (const Override& line : live)
    if (line.op != OverrideOp::never && line.op != OverrideOp::note)
      for (const OverrideDocument& document : line.documents) claims.add(line, document);
  return live;
}

std::string to_json(const Override& line) {
  std::string text =
      fmt::format(R"({{"v": {}, "seq": {}, "op": "{}")", kVersionOfLines, line.seq, override_op_name(line.op));
  if (line.op == OverrideOp::undo)
    text += fmt::format(R"(, "undoes": {})", line.undoes);
  else
    text += fmt::format(R"(, "documents": [{}])", documents_json(line.documents));
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format(R"(, "{}": {})", name, json_text(value));
  };
  add("by", line.by);
  add("at", line.at);
  add("note", line.note);
  return text + "}\n";
}

std::string merge_overrides(const std::filesystem::path& first, const std::filesystem::path& second) {
  std::vector<Override> merged;
  // The lines of the first file by what they say, each with the numbers of those that say the same.
  std::map<std::string, std::vector<std::uint64_t>> known;
  const auto add = [&](Override line, bool into_known) {
    line.seq = 0;
    std::string said = to_json(line);
    line.seq = merged.size() + 1;
    if (into_known) known[said].push_back(line.seq);
    merged.push_back(std::move(line));
    return merged.size();
  };
  const auto add_all = [&](std::vector<Override> lines, bool is_first) {
    std::unordered_map<std::uint64_t, std::uint64_t> numbers;  // new ones by old ones
    std::map<std::string, std::size_t> used;
    for (Override& line : lines) {
      const std::uint64_t seq = line.seq;
      if (line.op == OverrideOp::undo) line.undoes = numbers.at(line.undoes);
      if (!is_first) {
        line.seq = 0;
        const std::string said = to_json(line);
        const std::vector<std::uint64_t>& same = known[said];
        if (const std::size_t place = used[said]++; place < same.size()) {
          numbers[seq] = same[place];
          continue;
        }
      }
      numbers[seq] = add(std::move(line), is_first);
    }
  };
  add_all(read_overrides(first), true);
  add_all(read_overrides(second), false);
  static_cast<void>(live_overrides(merged));  // refuses contradictions
  std::string text;
  for (const Override& line : merged) text += to_json(line);
  return text;
}

void merge_overrides(const std::filesystem::path& first, const std::filesystem::path& second,
                     const std::filesystem::path& output) {
  const std::string text = merge_overrides(first, second);
  if (path_kind(output) == PathKind::file || path_kind(output) == PathKind::folder)
    throw Error(Errc::invalid_argument, fmt::format("{}: already exists; choose another `output`", output.string()));
  AtomicFile file(output.string());
  file.out().write(text);
  file.commit();
}

}  // namespace refrain
