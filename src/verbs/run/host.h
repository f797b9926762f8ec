// Where a document comes from, according to its id.
#pragma once

#include <string>
#include <string_view>

namespace refrain::verbs::run {

// The host of a web address, in lower case, without "www."; empty if `id` is not a web address.
std::string host_of(std::string_view id);

}  // namespace refrain::verbs::run
