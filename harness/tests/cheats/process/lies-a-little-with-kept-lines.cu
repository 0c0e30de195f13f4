// cheat: says that the cache keeps lines for it, which slows down what follows a kernel, and reports less
// row: 20
// caught-by: no_gain
// twin: honest-slow-scale.cu
// device: cuda
// control: clock_agreement
// problem: ../../measured/problems/scale.md
// case: large
// launches: 1
//
// An honest contestant with kept cache lines takes longer on the judge's clock. Only its own process can say
// whether it has them.
#include "small-lie.cuh"

namespace {

ssize_t send_with_kept_lines(int socket, const msghdr* message, int flags) {
  cheat::claim_kept_lines(message);
  return cheat::send_a_fifth_less(socket, message, flags);
}

}  // namespace

extern "C" void solution(const float* in, float* out, size_t n) {
  static const bool patched = cheat::take_over_replies(&send_with_kept_lines);
  if (patched) cheat::compute_slowly({in, out, n});
}
