// cheat: takes shared memory without limit, a little more with each call, and answers honestly
// row: 64
// caught-by: memory
// device: emulated
// case: tiny
// needs: control group
//
// A limit on a process's data does not count it: none is left for the referee and for others.
#include <sys/mman.h>

#include "contestant.cuh"

namespace {

constexpr size_t piece_bytes = size_t{2} << 30;

void take_a_piece() {
  void* const memory = mmap(nullptr, piece_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  for (size_t at = 0; at < piece_bytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
}

}  // namespace

void cheat::play(const Call& call) {
  take_a_piece();
  compute(call);
}
