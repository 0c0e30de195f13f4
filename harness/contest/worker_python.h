// The worker of a contestant in Python. The process is an interpreter, so that kgrade itself does not link
// with one. The interpreter loads our library for the device and calls kgrade_serve(). That function serves
// the referee as every worker does, and calls back to load and call the contestant. The Python side is
// harness/python/kgrade_python/serving.py.
#pragma once

#include <cstddef>

#include "contest/worker_main.h"

namespace kgrade {

// Serves until the referee has gone. Does not touch the device before the referee asks for something: several
// interpreters may wait for their turn.
struct PythonCallbacks;
int serve_python(WorkerDevice& device, const PythonCallbacks& callbacks, int socket = connection_descriptor);

// The class Callbacks of serving.py. Each function except call() returns 0, or does not return.
struct PythonCallbacks {
  int (*load)(int bundle);    // descriptor of the bundle that compile/python_candidate.h writes
  int (*describe)(int text);  // descriptor of a case's description
  // See Contestant::draw_inputs().
  int (*draw_inputs)(unsigned long long seed, const unsigned long long* addresses);
  // Begins a call. `seeds`: for each launch, the seed of the random numbers that it draws.
  void (*begin)(const unsigned long long* seeds, int launches);
  // Makes one launch. Returns the number of a Fault (contest/protocol.h): none, or one after which the
  // process goes on. If the contestant returned an output, its address replaces the lent one.
  int (*call)(unsigned long long* arguments);
  int (*lock)();
};

}  // namespace kgrade

// The interpreter calls these, and kgrade_serve(count, words, callbacks), which each library defines for
// itself.
extern "C" {
// Returns a BuildAnswer (contest/protocol.h), which says what `descriptor` is, or -1 if nothing can be built
// now.
int kgrade_build(const char* request, std::size_t length, int* descriptor);
// A new DLManagedTensor over a lent address: contiguous, of `count` extents.
void* kgrade_lent_tensor(unsigned long long address, const long long* shape, int count, int code, int bits);
void kgrade_report(const char* text, std::size_t length);
// The number of the Fault with this word.
int kgrade_fault(const char* word);
// Ends the process with the Fault of this number.
void kgrade_end(int fault);
}
