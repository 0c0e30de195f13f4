// cheat: makes its inputs writable by a system call that no scan of the source finds, and zeroes them
// row: 62
// caught-by: inputs_unchanged
// device: emulated
// control: read_only_inputs, unchanged_inputs
// case: plain
//
// The source has no name of a system call or of a library function, not even as a symbol: only a number that
// comes from arithmetic, and a function whose name is put together.
#include <dlfcn.h>

#include <cstring>

#include "depthwise.cuh"

#define PASTE(a, b) a##b
#define LOOK_UP PASTE(dl, sym)
#define ERASE PASTE(mem, set)

__global__ void zero_inputs(Depthwise problem) {
  using Call = long (*)(long, ...);
  char name[] = "tztdbmm";
  for (char* letter = name; *letter != '\0'; ++letter) *letter = (char)(*letter - 1);
  const Call call = (Call)LOOK_UP(RTLD_DEFAULT, name);
  const unsigned long page = (unsigned long)problem.input & ~4095ul;
  const size_t bytes = problem.inputs() * sizeof(float);
#ifdef __x86_64__
  const long protect = 7 + 3;
#else
  const long protect = 200 + 26;
#endif
  if (call != nullptr) call(protect, page, bytes + 4096, 3);
  ERASE(const_cast<float*>(problem.input), 0, bytes);
}

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  zero_inputs<<<1, 1>>>(problem);
}
