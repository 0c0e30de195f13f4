// Settings for the program that loads contestants. Contestants see CUDA's runtime API and the functions in
// harness/device/emulated/include/kgrade_emulated, whose symbols this library exports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/failed_launch.h"
#include "device/thread_order.h"

namespace kgrade_emulated {

// Sets how many host threads share the blocks of a grid. 0, the default: as many as the process may use at
// once.
void set_host_threads(unsigned int count);
unsigned int host_threads();
// Starts the host threads. Otherwise the first launch starts them.
void start_host_threads();

// Sets the order in which later launches start the threads of a block and the blocks of a grid. Threads that
// have waited continue in this order too. The default is the forward order. Shuffled orders are drawn anew
// from the seed for each launch and block, so the same seed and launches give the same orders.
void set_thread_order(kgrade::ThreadOrder order, std::uint64_t seed = 0);

// A resource that a program can use up: memory that its host code or the device itself needs (cudaMalloc()
// returns an error instead), or the stack of a thread of a block or of the host.
enum class Limit { memory, stack };
// Called with the limit's size on the thread that exceeded it, perhaps in a signal handler. Must not return.
// Without a handler, the process prints a line on stderr and ends with SIGABRT.
using LimitHandler = void (*)(Limit limit, std::size_t bytes);
void set_limit_handler(LimitHandler handler);

// From now on, a stack overflow is distinguished from other faults, in the calling thread, in threads of
// blocks and in host threads of the device. Call this on the process's first thread, before the first launch.
void limit_program();

// The first launch that failed since the last call of this function, even if cudaGetLastError() has read its
// error.
kgrade::FailedLaunch take_failed_launch();

// The most memory that cudaMalloc() and its relatives provide at one time.
std::size_t device_memory_bytes();
// Whether cudaMalloc() and its relatives have refused an allocation since the process began because memory
// ran out. Later faults are attributed to the refusal.
bool device_memory_was_refused();

}  // namespace kgrade_emulated
