// Threads for one job: start them, wait for them, hand the first exception to the caller.
#pragma once

#include <cstddef>
#include <functional>

#include "refrain/context.h"

namespace refrain {

// What context.threads stands for: itself, or one a core that this process may run on, no more than its control groups
// grant, and than the memory has room for.
unsigned thread_count(const Context& context);

// Throws Error(interrupted) once the caller has asked to stop.
void throw_if_stopped(const Context& context);

// Calls job(worker) once for every worker in [0, threads), all at the same time, the caller's thread being worker 0.
// Returns when all have; the first exception, by time, is thrown again here.
//
// A job that waits for another one must watch for its failure: a worker that threw does not wake the others.
void run_workers(unsigned threads, const std::function<void(unsigned worker)>& job);

// Calls job(worker, item) for every item in [0, items), each once. Items are begun in ascending order, and end in any.
// After an exception no new item is begun.
void parallel_for(unsigned threads, std::size_t items,
                  const std::function<void(unsigned worker, std::size_t item)>& job);

}  // namespace refrain
