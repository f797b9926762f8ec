// Which request is which.
#pragma once

#include <string>
#include <string_view>

#include "faces/server/wire/target.h"

namespace refrain::server {

enum class Verb { health, metrics, stats, query, passages, document, add, remove, seen };

struct Route {
  Verb verb = Verb::health;
  std::string_view name = "other";  // of the path, as docs/openapi.json has it
  std::string id = {};              // of a document, decoded
  Target target = {};
};

// Failure(404) for a path that there is not, Failure(405) for a method that it does not know, Failure(400) for a
// parameter that it does not take. HEAD is GET here.
Route route_of(std::string_view method, Target target);

}  // namespace refrain::server
