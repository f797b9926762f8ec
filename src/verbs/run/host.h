// Where a document comes from, by its id.
#pragma once

#include <string>
#include <string_view>

namespace refrain::verbs::run {

// The host of a web address, in small letters, without "www."; empty where `id` is none.
std::string host_of(std::string_view id);

}  // namespace refrain::verbs::run
