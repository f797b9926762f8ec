// One commit of the library, shared by many threads.
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
  // Opens the newest commit. Templates that `before` has read are not read again; it may be null.
  Snapshot(const std::filesystem::path& library, const Snapshot* before, MemoryBudget& budget)
      : first_(library, budget), templates_(first_, before == nullptr ? nullptr : &before->templates_, budget) {}

  const library::Manifest& manifest() const { return first_.manifest(); }
  const known::Templates& templates() const { return templates_; }

  struct LentReader {
    std::unique_ptr<library::Reader> reader;
    bool may_be_kept() const { return true; }
  };
  // Lends a reader to one thread. It must be returned during the snapshot's lifetime.
  std::shared_ptr<LentReader> lend() const {
    return readers_.take([&] { return std::make_unique<LentReader>(LentReader{first_.clone()}); });
  }

 private:
  library::Reader first_;
  const known::Templates templates_;
  mutable Pool<LentReader> readers_;
};

}  // namespace refrain::verbs::seen
