// What reading the input found, kept among the facts of a run and taken from them again.
#pragma once

#include <string>
#include <vector>

#include "refrain/input.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::run {

void keep_read(Facts& facts, const ReadReport& read);
ReadReport kept_read(const Facts& facts);

// The files that were passed over as unreadable, of the input or of another set, which `name` tells apart.
void keep_unreadable(Facts& facts, const std::string& name, const std::vector<BadRecord>& files);
std::vector<BadRecord> kept_unreadable(const Facts& facts, const std::string& name);

}  // namespace refrain::verbs::run
