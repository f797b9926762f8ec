#include "faces/server/routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "faces/server/wire/failure.h"

namespace refrain::server {

namespace {

constexpr std::string_view kIdPlaceholder = "{id}";

struct Row {
  std::string_view path;  // {id} at its end matches any text that is not empty, including slashes
  std::string_view method;
  Verb verb;
  std::vector<std::string_view> parameters = {};
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"/healthz", "GET", Verb::health},
      {"/metrics", "GET", Verb::metrics},
      {"/v1/stats", "GET", Verb::stats},
      {"/v1/query", "POST", Verb::query},
      {"/v1/passages", "GET", Verb::passages, {"cursor", "limit"}},
      {"/v1/documents", "POST", Verb::add, {"replace"}},
      {"/v1/documents/{id}", "GET", Verb::document},
      {"/v1/documents/{id}", "DELETE", Verb::remove},
      {"/v1/seen", "POST", Verb::seen},
  };
  return kRows;
}

bool matches(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with(kIdPlaceholder)) return pattern == path;
  pattern.remove_suffix(kIdPlaceholder.size());
  return path.size() > pattern.size() && path.starts_with(pattern);
}

std::string all_paths() {
  std::string out;
  std::string_view last;
  for (const Row& row : rows())
    if (row.path != std::exchange(last, row.path)) out += fmt::format("{}{}", out.empty() ? "" : ", ", row.path);
  return out;
}

}  // namespace

Route route_of(std::string_view method, Target target) {
  if (method == "HEAD") method = "GET";
  std::string allowed;
  for (const Row& row : rows()) {
    if (!matches(row.path, target.path)) continue;
    if (row.method != method) {
      allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", row.method == "GET" ? "GET, HEAD" : row.method);
      continue;
    }
    for (const auto& [name, value] : target.parameters) {
      if (std::find(row.parameters.begin(), row.parameters.end(), name) == row.parameters.end())
        throw Failure(400, "invalid_argument", fmt::format("unknown parameter '{}'", name));
    }
    Route out{.verb = row.verb, .name = row.path};
    if (row.path.ends_with(kIdPlaceholder))
      out.id = percent_decode(std::string_view(target.path).substr(row.path.size() - kIdPlaceholder.size()), false);
    out.target = std::move(target);
    return out;
  }
  if (allowed.empty()) throw Failure(404, "not_found", fmt::format("unknown path; known paths are {}", all_paths()));
  throw Failure(405, "method_not_allowed", fmt::format("this path supports only {}", allowed), {{"Allow", allowed}});
}

}  // namespace refrain::server
