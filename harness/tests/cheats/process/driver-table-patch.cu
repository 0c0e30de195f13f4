// cheat: replaces cuEventElapsedTime in the worker's table of driver functions
// row: 20
// caught-by: no_gain
// twin: honest-but-slow.cu
// device: cuda
// control: clock_agreement, lower_bound
// case: tiny (emulated)
// case: mobilenet-stride-2 (cuda)
//
// A statically linked CUDA runtime has no slot for cudaEventElapsedTime, but it keeps the addresses of the
// driver's functions in variables. The cheat finds them by their values in the worker's writable memory.
#include "clocks.cuh"
#include "contestant.cuh"
#include "maps.cuh"

namespace {

int replace_pointers(const cheat::Region& region, void* from, void* to) {
  int replaced = 0;
  for (uintptr_t at = region.begin; at + sizeof(void*) <= region.end; at += sizeof(void*)) {
    auto* const place = reinterpret_cast<void* volatile*>(at);
    if (*place != from) continue;
    *place = to;
    ++replaced;
  }
  return replaced;
}

// In the program's own file, and in the zeroed memory after it, which has no name.
bool patch_tables() {
  const cheat::ClockFunctions clock = cheat::clock_functions();
  const std::string program = cheat::own_program();
  uintptr_t end_of_program = 0;
  int replaced = 0;
  for (const cheat::Region& region : cheat::regions_of("self")) {
    const bool behind = region.begin == end_of_program && region.name.empty();
    if (region.name != program && !behind) continue;
    end_of_program = region.end;
    if (!region.readable || !region.writable) continue;
    for (void* function : clock.functions) replaced += replace_pointers(region, function, clock.replacement);
  }
  return replaced > 0;
}

}  // namespace

void cheat::play(const Call& call) {
  static const bool patched = patch_tables();
  if (!patched) return;
  waste_time();
  compute(call);
}
