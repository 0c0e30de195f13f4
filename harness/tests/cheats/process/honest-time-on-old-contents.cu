// cheat: reports its true time on contents that it has seen before, and a microsecond on others
// row: 8
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// If one agreeing call satisfies the judge of the clocks, the cheat is honest where it costs nothing: in
// calls that give no sample.
#include "contestant.cuh"
#include "replies.cuh"

namespace {

// In memory that host and device share: whether the current call has new contents.
unsigned* is_new = nullptr;
float* last = nullptr;

ssize_t send_what_pays(int socket, const msghdr* message, int flags) {
  const bool lies = is_new != nullptr && *static_cast<volatile unsigned*>(is_new) != 0;
  return lies ? cheat::send_as_a_microsecond(socket, message, flags)
              : cheat::send_unchanged(socket, message, flags);
}

// The first elements show it: new contents are entirely new.
constexpr size_t looked_at = 64;

__global__ void hold_against_last(unsigned* differs, float* before, const float* now, size_t count) {
  *differs = 0;
  for (size_t i = 0; i < count; ++i) {
    if (__float_as_uint(before[i]) != __float_as_uint(now[i])) *differs = 1;
    before[i] = now[i];
  }
}

bool prepare(size_t inputs) {
  if (!cheat::take_over_replies(&send_what_pays)) return false;
  return cudaMallocHost(&is_new, sizeof *is_new) == cudaSuccess &&
         cudaMalloc(&last, inputs * sizeof *last) == cudaSuccess &&
         cudaMemset(last, 0xff, inputs * sizeof *last) == cudaSuccess;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool is_prepared = prepare(looked_at);
  if (!is_prepared) return;
  hold_against_last<<<1, 1>>>(is_new, last, call.input, looked_at);
  waste_time();
  compute(call);
}
