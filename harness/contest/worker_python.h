// The worker of a contestant in Python. The process is an interpreter, so that kgrade is tied to none: it
// loads a library of ours, one a device, and calls kgrade_serve(), which serves the referee as every worker
// does and calls back to load the contestant and to call it. The other side is
// harness/python/kgrade_python/serving.py.
#pragma once

#include <cstddef>

#include "contest/worker_main.h"

namespace kgrade {

// Serves until the referee has gone. `make` opens the device once the referee asks for something: several
// interpreters may wait for their turn, and none of them touches the device until then.
struct PythonCallbacks;
int serve_python(WorkerDevice& device, const PythonCallbacks& callbacks);

// serving.py: Callbacks. Each returns 0, or does not return.
struct PythonCallbacks {
  int (*load)(int bundle);    // descriptor of what compile/python_candidate.h writes
  int (*describe)(int text);  // descriptor of a case's description
  // As Contestant::draw_inputs().
  int (*draw_inputs)(unsigned long long seed, const unsigned long long* addresses);
  // A call begins, with so many launches. `seeds`: of the random numbers that each draws.
  void (*begin)(const unsigned long long* seeds, int launches);
  // One launch. Where the contestant returned an output, its address takes the place of the lent one. What it
  // returns is a PythonCall.
  int (*call)(unsigned long long* arguments);
  int (*lock)();
};

// serving.py: CALL_RETURNED and the others.
enum class PythonCall : int { returned = 0, raised = 1, gave_no_answer = 2 };

// How a contestant in Python ends its worker.
enum class PythonEnd : int {
  raised = 0,
  unsupported = 1,
  mismatched = 2,
  wrong = 3,
  device_failed = 4,
  out_of_memory = 5
};

}  // namespace kgrade

// What the interpreter calls beside kgrade_serve(count, words, callbacks), which each library has of its own.
extern "C" {
// 0: `descriptor` is a library; 1: a compiler's log; -1: nothing can be built now.
int kgrade_build(const char* request, std::size_t length, int* descriptor);
// A new DLManagedTensor over a lent address: contiguous, of `count` extents.
void* kgrade_lent_tensor(unsigned long long address, const long long* shape, int count, int code, int bits);
void kgrade_report(const char* text, std::size_t length);
void kgrade_end(int how);
}
