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
#include "faces/server/wire/failure.h"
#include "faces/server/wire/limits.h"
#include "refrain/error.h"
#include "refrain/index.h"
#include "refrain/seen.h"

namespace refrain {

namespace {

// A backend with an index, a library, or both.
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

// The memory of the index or the library: what bodies and answers leave. If there are both, each gets half of it.
std::uint64_t work_memory(const ServeOptions& options, std::uint64_t all, const server::Limits& limits) {
  const std::uint64_t left = all - limits.all_bodies_bytes - limits.all_answers_bytes;
  return std::max(kMinMemoryBytes, options.index.empty() || options.library.empty() ? left : left / 2);
}

void check_serve(const ServeOptions& options) {
  if (options.index.empty() && options.library.empty())
    throw Error(Errc::invalid_argument, "nothing to serve; name an index, or `library` DIR");
  if (options.library.empty() && (options.add || options.trust_signatures))
    throw Error(Errc::invalid_argument,
                options.add ? "`add`: needs `library` DIR" : "`trust_signatures`: needs `library` DIR");
  if (options.add && options.token.empty())
    throw Error(Errc::invalid_argument, "`add`: writing requires a token; add `token_file` FILE");
}

}  // namespace

void serve(const ServeOptions& options, const Context& context) {
  check_serve(options);
  const std::uint64_t all = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  const server::Limits limits = server::limits_within(all);
  Context work = context;
  work.memory_bytes = work_memory(options, all, limits);
  work.spell = server::spelling;
  std::mutex logging;  // the server and the library may log at the same time
  ServeOptions locked_options = options;
  if (options.log)
    locked_options.log = [&](std::string_view line) {
      const std::lock_guard lock(logging);
      options.log(spelled(line, server::spelling));
    };
  OpenBackend backend(locked_options, work);
  server::run_server(backend, locked_options, limits, work);
}

}  // namespace refrain
