// The interface through which the server uses an index and a library. Tests substitute a fake.
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

// Thread-safe. The members do what the members of Index and Seen of the same name do, and throw the same errors.
// Without an index or without a library, the members that need it throw Error(not_found).
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;
  virtual IndexStats stats() const = 0;
  virtual std::uint64_t generation() const = 0;
  // Identifies the newest commit, and differs from that of every other commit, even of an index that has replaced
  // this one. A generation is no substitute: it is a small number that another index may have reached, too.
  virtual std::string identity() const = 0;
  virtual QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const = 0;
  virtual ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const = 0;
  virtual std::optional<IndexDocument> document(std::string_view id, const Context& context) const = 0;
  virtual IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context) = 0;
  virtual IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context) = 0;

  virtual bool has_index() const { return true; }
  virtual bool has_library() const { return false; }
  virtual bool adds() const { return false; }  // whether seen() adds documents
  virtual SeenStats library_stats() const { throw no_library(); }
  virtual std::vector<SeenAnswer> seen(std::span<const SeenDocument> /*documents*/, const std::stop_token& /*stop*/) {
    throw no_library();
  }

 protected:
  static Error no_library() { return {Errc::not_found, "the server has no library; start it with `library` DIR"}; }
  static Error no_index() { return {Errc::not_found, "the server has no index; start it with one"}; }
};

}  // namespace refrain::server
