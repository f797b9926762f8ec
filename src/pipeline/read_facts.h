// What reading the input found, kept among the facts of a run and taken from them again.
#pragma once

#include "pipeline/run_dir.h"
#include "refrain/input.h"

namespace refrain {

void keep_read(Facts& facts, const ReadReport& read);
ReadReport kept_read(const Facts& facts);

}  // namespace refrain
