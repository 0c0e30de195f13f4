// kgrade-worker-emulated ORDER SEED: started by the referee, never by hand.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "contest/worker_main.h"
#include "device/emulated/emulated_worker.h"
#include "device/emulated/runtime/emulated_runtime.h"

// See worker_main.h.
extern "C" int dlclose(void*) noexcept { return 0; }

namespace {

void end_at_limit(kgrade_emulated::Limit limit, std::size_t bytes) {
  const bool memory = limit == kgrade_emulated::Limit::memory;
  kgrade::end_worker(memory ? kgrade::Fault::memory_limit : kgrade::Fault::stack_overflow, bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const auto order = kgrade::parse_thread_order(argc > 1 ? argv[1] : "forward");
  if (!order) return 1;
  kgrade_emulated::set_thread_order(*order, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0);
  kgrade::emulated::limit_contestant(&end_at_limit);
  kgrade::emulated::EmulatedWorker device;
  // _exit: a contestant's destructors and atexit handlers do not run.
  kgrade::LibraryContestant contestant;
  ::_exit(kgrade::run_worker(device, contestant));
}
