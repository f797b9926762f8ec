// What the server asks of an index. Tests put a made-up one in its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/index.h"

namespace refrain::server {

// Thread-safe. The members are those of Index, and throw what they throw.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;
  virtual IndexStats stats() const = 0;
  virtual std::uint64_t generation() const = 0;
  // Of the newest commit, and of no other, not even of an index that took this one's place: a generation alone is a
  // small number, which any index may have.
  virtual std::string identity() const = 0;
  virtual QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const = 0;
  virtual ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const = 0;
  virtual std::optional<IndexDocument> document(std::string_view id, const Context& context) const = 0;
  virtual IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context) = 0;
  virtual IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context) = 0;
};

}  // namespace refrain::server
