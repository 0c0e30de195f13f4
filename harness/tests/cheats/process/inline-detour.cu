// cheat: writes a jump over the first instructions of the worker's clock, after mprotect
// row: 21
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// It patches cuEventElapsedTime in the driver's library, or steady_clock::now without a driver. No table or
// symbol has to be found: the function itself is changed.
#include "clocks.cuh"
#include "contestant.cuh"

namespace {

void write_unprotected(void* function, const std::vector<unsigned char>& code) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(function) / page * page;
  const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
  if (mprotect(reinterpret_cast<void*>(begin), 2 * page, all) != 0) return;
  __builtin_memcpy(function, code.data(), code.size());
  mprotect(reinterpret_cast<void*>(begin), 2 * page, PROT_READ | PROT_EXEC);
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = detour_clock(&write_unprotected);
  if (!patched) return;
  waste_time();
  compute(call);
}
