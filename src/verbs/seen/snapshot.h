// One commit of the library, for many threads.
#pragma once

#include <filesystem>
#include <memory>

#include "base/budget.h"
#include "base/pool.h"
#include "engines/library/reader.h"
#include "verbs/known/templates.h"

namespace refrain::verbs::seen {

// Thread-safe.
class Snapshot {
 public:
  // The newest commit. What `before`, which may be null, knows is not read again.
  Snapshot(const std::filesystem::path& library, const Snapshot* before, MemoryBudget& budget)
      : first_(library, budget), templates_(first_, before == nullptr ? nullptr : &before->templates_, budget) {}

  const library::Manifest& manifest() const { return first_.manifest(); }
  const known::Templates& templates() const { return templates_; }

  struct Lent {
    std::unique_ptr<library::Reader> reader;
    bool may_be_kept() const { return true; }
  };
  // For one thread, and no longer than this lives.
  std::shared_ptr<Lent> lend() const {
    return readers_.take([&] { return std::make_unique<Lent>(Lent{first_.clone()}); });
  }

 private:
  library::Reader first_;
  const known::Templates templates_;
  mutable Pool<Lent> readers_;
};

}  // namespace refrain::verbs::seen
