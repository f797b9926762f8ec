// What the server asks of an index and of a library. Tests put made-up ones in their place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/error.h"
#include "refrain/index.h"
#include "refrain/seen.h"

namespace refrain::server {

// Thread-safe. The members are those of Index and of Seen, and throw what they throw. What there is not is
// Error(not_found).
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

  virtual bool has_index() const { return true; }
  virtual bool has_library() const { return false; }
  virtual bool adds() const { return false; }  // seen() does
  virtual SeenStats library_stats() const { throw no_library(); }
  virtual std::vector<SeenAnswer> seen(std::span<const SeenDocument> /*documents*/, const std::stop_token& /*stop*/) {
    throw no_library();
  }

 protected:
  static Error no_library() { return {Errc::not_found, "the server has no library; start it with --library DIR"}; }
  static Error no_index() { return {Errc::not_found, "the server has no index; start it with one"}; }
};

}  // namespace refrain::server
