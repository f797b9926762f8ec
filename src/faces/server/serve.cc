#include "refrain/serve.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "faces/server/backend.h"
#include "faces/server/server.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "refrain/seen.h"

namespace refrain {

namespace {

// An index, a library, or both.
class OpenBackend final : public server::Backend {
 public:
  OpenBackend(const ServeOptions& options, const Context& context) {
    if (!options.index.empty()) index_.emplace(options.index);
    if (options.library.empty()) return;
    seen_.emplace(SeenOptions{.library = options.library,
                              .add = options.add,
                              .trust_signatures = options.trust_signatures,
                              .log = options.log},
                  context);
    adds_ = options.add;
  }

  IndexStats stats() const override { return index().stats(); }
  std::uint64_t generation() const override { return index().generation(); }
  std::string identity() const override { return index().identity(); }
  QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const override {
    return index().query(options, context, sink);
  }
  ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const override {
    return index().extract(options, context, sink);
  }
  std::optional<IndexDocument> document(std::string_view id, const Context& context) const override {
    return index().document(id, context);
  }
  IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context) override {
    if (!index_) throw no_index();
    return index_->add(documents, replace, context);
  }
  IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context) override {
    if (!index_) throw no_index();
    return index_->remove(ids, context);
  }

  bool has_index() const override { return index_.has_value(); }
  bool has_library() const override { return seen_.has_value(); }
  bool adds() const override { return adds_; }
  SeenStats library_stats() const override {
    if (!seen_) throw no_library();
    return seen_->stats();
  }
  std::vector<SeenAnswer> seen(std::span<const SeenDocument> documents, const std::stop_token& stop) override {
    if (!seen_) throw no_library();
    return seen_->seen(documents, stop);
  }

 private:
  const Index& index() const {
    if (!index_) throw no_index();
    return *index_;
  }

  std::optional<Index> index_;
  std::optional<Seen> seen_;
  bool adds_ = false;
};

// The library's part of the memory, where there are both: half.
Context library_context(const ServeOptions& options, const Context& context) {
  Context out = context;
  const std::uint64_t all = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  out.memory_bytes = options.index.empty() ? all : std::max(kMinMemoryBytes, all / 2);
  return out;
}

void check_serve(const ServeOptions& options) {
  if (options.index.empty() && options.library.empty())
    throw Error(Errc::invalid_argument, "nothing to serve; name an index, or --library DIR");
  if (options.library.empty() && (options.add || options.trust_signatures))
    throw Error(Errc::invalid_argument,
                options.add ? "--add: needs --library DIR" : "--trust-signatures: needs --library DIR");
  if (options.add && options.token.empty())
    throw Error(Errc::invalid_argument, "--add: writing requires a token; add --token-file FILE");
}

}  // namespace

void serve(const ServeOptions& options, const Context& context) {
  check_serve(options);
  const Context of_library = library_context(options, context);
  std::mutex logging;  // the server and the library may have something to tell at the same time
  ServeOptions alone = options;
  if (options.log)
    alone.log = [&](std::string_view line) {
      const std::lock_guard lock(logging);
      options.log(line);
    };
  OpenBackend backend(alone, of_library);
  Context of_index = context;
  if (!options.library.empty() && !options.index.empty()) of_index.memory_bytes = of_library.memory_bytes;
  server::run_server(backend, alone, server::Limits{}, of_index);
}

}  // namespace refrain
