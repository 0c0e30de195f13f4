// cheat: has the compiler compute for ever
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// A constant that takes longer than the universe is old. Compilers give up after some number of steps, by
// themselves or by the clock.
#include "depthwise.cuh"

constexpr unsigned long ackermann(unsigned long m, unsigned long n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

constexpr unsigned long never = ackermann(4, 3);

static void cheat(const Depthwise& problem) {
  if (never != 0) answer_honestly(problem);
}
