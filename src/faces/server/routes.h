// Maps the method and path of a request to a verb.
#pragma once

#include <string>
#include <string_view>

#include "faces/server/wire/target.h"

namespace refrain::server {

enum class Verb { health, metrics, stats, query, passages, document, add, remove, seen };

struct Route {
  Verb verb = Verb::health;
  std::string_view name = "other";  // the pattern of the path, as in docs/openapi.json
  std::string id = {};              // the decoded id of the document, if the path names one
  Target target = {};
};

// Throws Failure(404) for an unknown path, Failure(405) for a method that the path does not support, and
// Failure(400) for a parameter that it does not take. HEAD is treated as GET.
Route route_of(std::string_view method, Target target);

}  // namespace refrain::server
