// From the raw bytes of a text in its file (corpus/raw.h) to the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "refrain/input.h"

namespace refrain {

// nullopt where they are not what a text of this format looks like.
std::optional<std::string> text_of_raw(Format format, std::string_view raw);

}  // namespace refrain
