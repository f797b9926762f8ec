// How finely the reader cuts its input. Callers of read_documents do not see this: the values follow from the memory
// budget and the number of threads, and affect the speed, never the result. Tests set them to force unusual pieces.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/budget.h"
#include "corpus/source/reader.h"

namespace refrain::corpus {

// A value of 0 is replaced by one chosen from the budget.
struct ReaderTuning {
  std::size_t piece_bytes = 0;  // raw bytes that a worker takes at a time
  std::size_t share_bytes = 0;  // a piece may grow to this for a long record; beyond it only for one worker at a time
  std::size_t max_waiting = 0;  // pieces that may be done and wait for an earlier one
  std::uint64_t max_waiting_bytes = 0;  // and what they may hold
};

ReaderTuning complete(ReaderTuning tuning, unsigned threads, const MemoryBudget& budget,
                      const ReadPurpose& purpose = {});

// The same as read_documents of reader.h.
ReadReport read_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReaderTuning& tuning, const ReadPurpose& purpose = {});

}  // namespace refrain::corpus
