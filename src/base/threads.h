// Threads for one job: they are started, waited for, and the first exception is passed to the caller.
#pragma once

#include <cstddef>
#include <functional>

#include "refrain/context.h"

namespace refrain {

// The number of threads that the context requests: context.threads, or if that is 0, one per core that this process
// may run on, but no more than its control groups allow and than the memory has room for.
unsigned thread_count(const Context& context);

// Throws Error(interrupted) once the caller has requested a stop.
void throw_if_stopped(const Context& context);

// Calls job(worker) once for every worker in [0, threads), all at the same time; the calling thread is worker 0.
// Returns when all have returned, and then rethrows the exception that was thrown first, if any.
//
// A job that waits for another one must watch for its failure: a worker that throws does not wake the others.
void run_workers(unsigned threads, const std::function<void(unsigned worker)>& job);

// Calls job(worker, item) for every item in [0, items), each once. Items are started in ascending order and end in
// any order. After an exception no further item is started.
void parallel_for(unsigned threads, std::size_t items,
                  const std::function<void(unsigned worker, std::size_t item)>& job);

}  // namespace refrain
