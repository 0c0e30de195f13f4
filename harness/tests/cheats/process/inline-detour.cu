// cheat: writes a jump over the first instructions of the worker's clock, after mprotect
// row: 21
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: any
// control: clock_agreement
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// Of cuEventElapsedTime in the driver's library, of steady_clock::now where there is no driver. No table has
// to be found, and no symbol: the function itself says what the cheat wants.
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
