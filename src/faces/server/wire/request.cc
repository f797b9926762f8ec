#include "faces/server/wire/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
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
#include "refrain/options.h"

namespace refrain::server {

namespace {

int hex_digit(char c) {
  if ('0' <= c && c <= '9') return c - '0';
  if ('a' <= c && c <= 'f') return c - 'a' + 10;
  if ('A' <= c && c <= 'F') return c - 'A' + 10;
  return -1;
}

Failure bad_target(const std::string& message) {
  return {400, "bad_target", message};
}

}  // namespace

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      const int high = at + 2 < text.size() ? hex_digit(text[at + 1]) : -1;
      const int low = at + 2 < text.size() ? hex_digit(text[at + 2]) : -1;
      if (high < 0 || low < 0) throw bad_target("a percent sign is not followed by two hexadecimal digits");
      c = static_cast<char>(high * 16 + low);
      at += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') throw bad_target("contains a NUL");
    out += c;
  }
  return out;
}

Target parse_target(std::string_view target) {
  // Requests to proxies have the form http://host/path. Only the Host header is checked, so this host is ignored.
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  if (!target.starts_with('/')) throw bad_target("the target must begin with a slash");
  if (target.find('#') != std::string_view::npos) throw bad_target("the target must not have a fragment");
  Target out;
  const std::size_t mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark == std::string_view::npos) return out;
  std::string_view left = target.substr(mark + 1);
  while (!left.empty()) {
    const std::string_view pair = left.substr(0, left.find('&'));
    left.remove_prefix(pair.size() + (pair.size() < left.size() ? 1 : 0));
    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    std::string name = percent_decode(pair.substr(0, equals), true);
    std::string value = equals == std::string_view::npos ? "" : percent_decode(pair.substr(equals + 1), true);
    if (!out.parameters.emplace(name, std::move(value)).second)
      throw bad_target(fmt::format("the parameter '{}' is given twice", name));
  }
  return out;
}

std::uint64_t parse_number(std::string_view name, std::string_view digits, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size() || value < least || value > most)
    throw Failure(400, "invalid_argument", fmt::format("'{}' must be a whole number from {} to {}", name, least, most));
  return value;
}

namespace {

namespace ip = boost::asio::ip;

bool is_loopback(const ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6()).is_loopback();
  return address.is_loopback();
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at) {
    if (lower(a[at]) != lower(b[at])) return false;
  }
  return true;
}

// The parts of "host:port" or "[host]:port". The port may be missing.
struct HostPort {
  std::string_view host;
  std::string_view port;
  bool has_port = false;
};
HostPort split(std::string_view text) {
  HostPort out;
  std::size_t colon = std::string_view::npos;
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) return out;
    out.host = text.substr(1, bracket - 1);
    if (bracket + 1 < text.size()) colon = bracket + 1;
    if (colon != std::string_view::npos && text[colon] != ':') return {};
  } else {
    colon = text.find(':');
    out.host = text.substr(0, colon);
  }
  if (colon != std::string_view::npos) {
    out.port = text.substr(colon + 1);
    out.has_port = true;
  }
  return out;
}

// Whether an Origin header has the host and port of a Host header. Either may omit the default port of the origin's
// scheme. The origin "null" matches nothing.
bool is_origin_of(std::string_view origin, std::string_view host) {
  const bool tls = origin.starts_with("https://");
  if (!tls && !origin.starts_with("http://")) return false;
  const std::string_view usual_port = tls ? "443" : "80";
  const auto port_of = [&](const HostPort& parts) { return parts.has_port ? parts.port : usual_port; };
  const HostPort from = split(origin.substr(origin.find("//") + 2));
  const HostPort own = split(host);
  return !from.host.empty() && equals_ignoring_case(from.host, own.host) && port_of(from) == port_of(own);
}

}  // namespace

ListenAddress parse_listen(std::string_view listen) {
  const HostPort parts = split(listen);
  ListenAddress out;
  const auto [end, error] = std::from_chars(parts.port.data(), parts.port.data() + parts.port.size(), out.port);
  if (parts.host.empty() || parts.port.empty() || error != std::errc() || end != parts.port.data() + parts.port.size())
    throw Error(Errc::invalid_argument,
                fmt::format("{}: not a listen address; use HOST:PORT, e.g. 127.0.0.1:7878 or [::1]:7878", listen));
  out.host = equals_ignoring_case(parts.host, "localhost") ? "127.0.0.1" : std::string(parts.host);
  boost::system::error_code code;
  const ip::address address = ip::make_address(out.host, code);
  if (code)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: the host must be an address of this machine, or localhost", listen));
  out.loopback = is_loopback(address);
  return out;
}

bool same_token(std::string_view given, std::string_view token) {
  if (token.empty()) return false;
  // The time depends only on the length of `given`, so it reveals nothing about the token.
  volatile unsigned different = given.size() == token.size() ? 0 : 1;
  for (std::size_t at = 0; at < given.size(); ++at) {
    const unsigned bits = static_cast<unsigned char>(given[at]) ^ static_cast<unsigned char>(token[at % token.size()]);
    different = different | bits;
  }
  return different == 0;
}

std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() < kScheme.size()) return {};
  if (!equals_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return {};
  authorization.remove_prefix(kScheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  while (authorization.ends_with(' ')) authorization.remove_suffix(1);
  return authorization;
}

bool is_local_host(std::string_view host) {
  const std::string_view name = split(host).host;
  if (equals_ignoring_case(name, "localhost")) return true;
  boost::system::error_code code;
  const ip::address address = ip::make_address(std::string(name), code);
  return !code && is_loopback(address);
}

bool is_cross_site(std::string_view sec_fetch_site, std::string_view origin, std::string_view host) {
  // "same-site" means another port of this machine or another name in the same domain, so the page may be anyone's.
  if (!sec_fetch_site.empty() && sec_fetch_site != "same-origin" && sec_fetch_site != "none") return true;
  return !origin.empty() && !is_origin_of(origin, host);
}

namespace {

constexpr std::size_t kMaxIdBytes = 4096;
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

std::string read_text(std::string_view name, JsonReader& in) {
  if (in.peek() != '"') throw bad_field(name, "must be a string");
  return in.string();
}

auto text_into(std::optional<std::string>& out) {
  return [&out](std::string_view name, JsonReader& in) { out = read_text(name, in); };
}

std::vector<std::string> read_texts(std::string_view name, JsonReader& in, std::uint64_t most) {
  std::vector<std::string> out;
  const auto bad = [&] { return bad_field(name, fmt::format("must be a list of 1 to {} strings", most)); };
  if (!in.skip('[')) throw bad();
  do {
    if (in.peek() != '"' || out.size() == most) throw bad();
    out.push_back(in.string());
  } while (in.skip(','));
  in.expect(']');
  return out;
}

std::uint64_t read_number(std::string_view name, JsonReader& in, std::uint64_t least, std::uint64_t most) {
  const std::string_view text = is_number(in.peek()) ? in.number() : "";
  // Programs write whole numbers as 2.0, too. A double holds all that are allowed.
  double number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (number != std::floor(number) || number < static_cast<double>(least) || number > static_cast<double>(most))
    throw bad_field(name, fmt::format("must be a whole number from {} to {}", least, most));
  return static_cast<std::uint64_t>(number);
}

std::uint64_t read_choice(std::string_view name, JsonReader& in, const std::vector<std::string_view>& names) {
  const auto found = in.peek() == '"' ? std::ranges::find(names, in.string()) : names.end();
  if (found == names.end()) throw bad_field(name, fmt::format("must be one of {}", fmt::join(names, ", ")));
  return static_cast<std::uint64_t>(found - names.begin());
}

auto toggle_into(bool& out) {
  return [&out](std::string_view name, JsonReader& in) {
    if (in.peek() != 't' && in.peek() != 'f') throw bad_field(name, "must be true or false");
    out = in.boolean();
  };
}

// Reads a number above 0 and below 1.
double read_share(std::string_view name, JsonReader& in) {
  const std::string_view text = is_number(in.peek()) ? in.number() : "";
  double share = 0;
  std::from_chars(text.data(), text.data() + text.size(), share);
  if (!(share > 0 && share < 1)) throw bad_field(name, "must be a number above 0 and below 1");
  return share;
}

// The bounds of numbers and of the lengths of lists, where they are not those of the option.
struct Bounds {
  std::string_view field;
  std::uint64_t least;
  std::uint64_t most;
};
constexpr Bounds kBounds[] = {{"limit", 1, kMaxPassages},   {"max_occurrences", 1, kMaxOccurrences},
                              {"min_tokens", 0, kMaxCount}, {"max_documents", 0, kMaxCount},
                              {"with", 1, kMaxWith},        {"exclude", 1, kMaxExclude}};

OptionValue read_option(const OptionInfo& option, std::string_view name, JsonReader& in) {
  const auto* const own = std::ranges::find(kBounds, name, &Bounds::field);
  const Bounds bounds = own != std::end(kBounds) ? *own : Bounds{name, option.least, option.most};
  if (option.kind == OptionKind::number) return read_number(name, in, bounds.least, bounds.most);
  if (option.kind == OptionKind::choice) return read_choice(name, in, option.choices());
  if (option.kind == OptionKind::share) return read_share(name, in);
  if (option.repeated) return read_texts(name, in, bounds.most);
  return read_text(name, in);
}

// The keyword of Python, without the underscore that tells it from a word of that language.
std::string_view field_of(const OptionInfo& option) {
  std::string_view name = option.keyword();
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

bool has_parent_component(std::string_view id) {
  while (true) {
    const std::size_t slash = id.find_first_of("/\\");
    if (id.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    id.remove_prefix(slash + 1);
  }
}

void check_id(const std::string& id, To to, const std::string& where) {
  const auto bad = [&](const char* what) { return Failure(400, "bad_id", where + what); };
  if (id.empty()) throw bad("an id must not be empty");
  if (id.size() > kMaxIdBytes) throw bad("an id must not exceed 4096 bytes");
  for (const char c : id) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) throw bad("an id must not contain control characters");
  }
  if (to == To::index && has_parent_component(id)) throw bad("an id must not contain '..' as a path component");
}

QueryDocument document_of(std::string_view text, To to, const std::string& where) {
  QueryDocument out;
  bool has_id = false;
  bool has_text = false;
  JsonReader in(text, where);
  read_fields(in, [&](const std::string& name) {
    if (name != "id" && name != "text") {
      if (to == To::library) return in.skip_value();
      throw bad_field(name, "is not a field of this request");
    }
    if (std::exchange(name == "id" ? has_id : has_text, true)) throw bad_field(name, "is given twice");
    if (in.peek() != '"') throw bad_field(name, "must be a string");
    (name == "id" ? out.id : out.text) = in.string();
  });
  in.expect_end();
  if (!has_id) throw bad_field("id", "is missing");
  if (!has_text) throw bad_field("text", "is missing");
  check_id(out.id, to, where);
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

// Returns how many more braces the text opens than it closes, outside of strings.
int open_braces(std::string_view text) {
  int open = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') in_string = !in_string;
    if (in_string && text[at] == '\\') ++at;
    if (!in_string && text[at] == '{') ++open;
    if (!in_string && text[at] == '}') --open;
  }
  return open;
}

// Whether the body consists of lines of JSON, rather than one object that may take several lines. The first line
// decides: it ends its object if it ends with a closing brace, and leaves none open.
bool is_lines(std::string_view body) {
  std::string_view line;
  while (is_blank(line) && !body.empty()) line = next_line(body);
  return !is_blank(line) && line[line.find_last_not_of(" \t\r")] == '}' && !is_blank(body) && open_braces(line) <= 0;
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
  std::map<std::string_view, OptionValue> given;
  Fields fields = {{"text", text_into(text)}, {"id", text_into(id)}, {"texts", toggle_into(request.texts)}};
  for (const Option<QueryOptions>& option : option_table<QueryOptions>())
    if ((option.info.faces & kServer) != 0)
      fields[field_of(option.info)] = [&](std::string_view name, JsonReader& in) {
        given[option.info.name] = read_option(option.info, name, in);
      };
  JsonReader in(body);
  read_object(in, fields);
  if (text.has_value() == id.has_value())
    throw Failure(400, "invalid_argument", "exactly one of 'text' and 'id' must be given");
  if (id && id->empty()) throw bad_field("id", "must not be empty");
  if (text) out.documents.push_back({"query", std::move(*text)});
  if (id) out.id = std::move(*id);
  set_options(option_table<QueryOptions>(), out, [&](const OptionInfo& option) -> std::optional<OptionValue> {
    const auto found = given.find(option.name);
    return found == given.end() ? std::nullopt : std::optional(std::move(found->second));
  });
  return request;
}

std::vector<QueryDocument> parse_documents(std::string_view body, To to, const std::stop_token& stop) {
  std::vector<QueryDocument> out;
  if (!is_lines(body)) {
    out.push_back(document_of(body, to, ""));
    return out;
  }
  out.reserve(count_lines(body));   // so that documents never move, and the views in `seen` stay valid
  std::set<std::string_view> seen;  // not hashed: a client could choose ids that share a hash
  for (std::uint64_t number = 1; !body.empty(); ++number) {
    if (stop.stop_requested()) throw Error(Errc::interrupted, "stopped");
    const std::string_view line = next_line(body);
    if (is_blank(line)) continue;
    const std::string where = fmt::format("line {}: ", number);
    out.push_back(document_of(line, to, where));
    if (!seen.insert(out.back().id).second) throw Failure(400, "bad_id", where + "duplicate id");
  }
  return out;
}

}  // namespace refrain::server
