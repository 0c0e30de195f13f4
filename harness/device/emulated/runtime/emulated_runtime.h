// What the program that loads contestants may set. Contestants see the functions of CUDA's runtime API and
// those of harness/device/emulated/include/kgrade_emulated, which this library offers by its exported
// symbols.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/thread_order.h"

namespace kgrade_emulated {

// How many host threads share the blocks of a grid; 0 for as many as the process may use at once, which is
// also the default.
void set_host_threads(unsigned int count);
unsigned int host_threads();
// Starts them, which the first launch would do otherwise.
void start_host_threads();

// The order in which launches from now on begin the threads of a block, and the blocks of a grid; threads
// that waited go on in the same order. Forward by default. Shuffled orders are drawn from the seed anew for
// each launch and block: the same seed and the same launches give the same orders.
void set_thread_order(kgrade::ThreadOrder order, std::uint64_t seed = 0);

// What a program can use up: memory that its host code or the device itself needs (cudaMalloc() returns an
// error instead), or the stack of a thread of a block or of the host.
enum class Limit { memory, stack };
// Called with the limit's size, on the thread that went beyond it, perhaps in a signal handler. Must not
// return. Without one, a line on stderr and SIGABRT.
using LimitHandler = void (*)(Limit limit, std::size_t bytes);
void set_limit_handler(LimitHandler handler);

// From now on a stack overflow, of the calling thread, a thread of a block or a host thread of the device, is
// distinguished from other faults. Call it on the process's first thread, before the first launch.
void limit_program();

// The error of the first launch that failed since the last call of this function, as a cudaError_t, though
// cudaGetLastError() may have read it; 0: none.
int take_failed_launch();

// What cudaMalloc() and its relatives give out at most at a time.
std::size_t device_memory_bytes();
// Whether they have refused an allocation for lack of memory since the process began: what goes wrong after
// it goes wrong for that.
bool device_memory_was_refused();

}  // namespace kgrade_emulated
