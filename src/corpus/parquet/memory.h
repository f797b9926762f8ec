// A memory pool for Arrow's buffers that draws from the memory budget.
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <cstdint>
#include <exception>
#include <string>

#include "base/budget.h"

namespace refrain::corpus {

// Allocations beyond the budget are refused. Arrow replaces the exception by its own error, so the original Error is
// kept here. Used by one thread at a time.
class BudgetPool final : public arrow::MemoryPool {
 public:
  // `what` names the purpose of the memory, for error messages.
  BudgetPool(MemoryBudget& budget, std::string what);

  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override { return stats_.bytes_allocated(); }
  int64_t max_memory() const override { return stats_.max_memory(); }
  int64_t total_bytes_allocated() const override { return stats_.total_bytes_allocated(); }
  int64_t num_allocations() const override { return stats_.num_allocations(); }
  std::string backend_name() const override { return "budget"; }

  // Throws the Error(over_budget) of a refused allocation, if there was one.
  void rethrow_refusal() const {
    if (refusal_) std::rethrow_exception(refusal_);
  }

 private:
  arrow::Status reserve(int64_t size);

  Reservation reservation_;
  const std::string what_;
  std::exception_ptr refusal_;
  arrow::internal::MemoryPoolStats stats_;
};

}  // namespace refrain::corpus
