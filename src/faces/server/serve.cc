#include "refrain/serve.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faces/server/backend.h"
#include "faces/server/server.h"
#include "refrain/index.h"

namespace refrain {

namespace {

class IndexBackend final : public server::Backend {
 public:
  explicit IndexBackend(const std::filesystem::path& folder) : index_(folder) {}
  IndexStats stats() const override { return index_.stats(); }
  std::uint64_t generation() const override { return index_.generation(); }
  std::string identity() const override { return index_.identity(); }
  QueryReport query(const QueryOptions& options, const Context& context, PassageSink& sink) const override {
    return index_.query(options, context, sink);
  }
  ExtractReport extract(const ExtractOptions& options, const Context& context, PassageSink& sink) const override {
    return index_.extract(options, context, sink);
  }
  std::optional<IndexDocument> document(std::string_view id, const Context& context) const override {
    return index_.document(id, context);
  }
  IndexWriteReport add(const std::vector<QueryDocument>& documents, bool replace, const Context& context) override {
    return index_.add(documents, replace, context);
  }
  IndexWriteReport remove(const std::vector<std::string>& ids, const Context& context) override {
    return index_.remove(ids, context);
  }

 private:
  Index index_;
};

}  // namespace

void serve(const ServeOptions& options, const Context& context) {
  IndexBackend backend(options.index);
  server::run_server(backend, options, server::Limits{}, context);
}

}  // namespace refrain
