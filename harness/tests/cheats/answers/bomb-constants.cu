// cheat: makes the compiler compute for ever
// row: 63
// caught-by: compile
// device: any
// case: tiny
//
// A constant that takes longer to compute than the age of the universe. Compilers give up after a number of
// steps, or at a time limit.
#include "depthwise.cuh"

constexpr unsigned long ackermann(unsigned long m, unsigned long n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

constexpr unsigned long never = ackermann(4, 3);

static void cheat(const Depthwise& problem) {
  if (never != 0) answer_honestly(problem);
}
