// Writing an index: every function makes at most one commit, and holds the lock of the index from beginning to end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/index.h"

namespace refrain::verbs::index {

IndexWriteReport add_input(const std::filesystem::path& folder, const IndexAddOptions& options, const Context& context);
IndexWriteReport add_documents(const std::filesystem::path& folder, const std::vector<QueryDocument>& documents,
                               bool replace, const Context& context);
IndexWriteReport remove_documents(const std::filesystem::path& folder, const std::vector<std::string>& ids,
                                  const Context& context);
IndexWriteReport merge_all(const std::filesystem::path& folder, const Context& context);

}  // namespace refrain::verbs::index
