// kgrade-worker-cuda GPU [--connect PATH [WATCH]]: started by the referee, never by hand. GPU is a UUID
// ("GPU-...") or an ordinal. With --connect the worker runs below a tool, which may close descriptors, so the
// worker connects to a socket itself. WATCH: device/cuda/call_watch.h. `kgrade-worker-cuda GPU
// --launch-empty` launches a kernel that does nothing, for `kgrade doctor`.
#include <dlfcn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <span>

#include "base/subprocess.h"
#include "contest/protocol.h"
#include "contest/worker_main.h"
#include "device/cuda/call_watch.h"
#include "device/cuda/cuda_worker.h"

// See worker_main.h.
extern "C" int dlclose(void*) noexcept { return 0; }

// Called by the contestant's library: compile/nvcc_toolchain.h.
extern "C" void kgrade_launch_failed(int error, const void* kernel, const unsigned int* grid,
                                     const unsigned int* block, std::size_t dynamic_shared) {
  kgrade::cuda::note_failed_launch(error, kernel, grid, block, dynamic_shared);
}

namespace {

int run_checked(int ordinal, const char* path, std::span<const char* const> watch) {
  kgrade::UniqueFd socket = kgrade::connect_to(path);
  if (!socket) return 1;
  kgrade::cuda::CheckedCudaWorker device(ordinal, kgrade::cuda::call_watch(watch));
  kgrade::LibraryContestant contestant;
  return kgrade::run_worker(device, contestant, socket.release(), true);
}

// Returns the GPU's ordinal. A GPU that is named by its UUID becomes the only one that CUDA sees.
int choose_gpu(const char* name) {
  if (std::strncmp(name, "GPU-", 4) != 0) return std::atoi(name);
  ::setenv("CUDA_VISIBLE_DEVICES", name, 1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int ordinal = argc > 1 ? choose_gpu(argv[1]) : 0;
  if (argc > 2 && std::strcmp(argv[2], "--launch-empty") == 0)
    return kgrade::cuda::launch_empty_kernel(ordinal) ? 0 : 1;
  // Return as any program does: the tool writes its report then.
  if (argc > 3 && std::strcmp(argv[2], "--connect") == 0)
    return run_checked(ordinal, argv[3], std::span(argv + 4, argv + argc));
  // A contestant needs no large files.
  constexpr rlim_t most_file_bytes = rlim_t{256} << 20;
  const rlimit files{most_file_bytes, most_file_bytes};
  ::setrlimit(RLIMIT_FSIZE, &files);
  // The driver's descriptors have room below the usual limit of a process.
  kgrade::limit_descriptors(1024);
  kgrade::cuda::CudaWorker device(ordinal);
  // _exit: a contestant's destructors and atexit handlers do not run.
  kgrade::LibraryContestant contestant;
  ::_exit(kgrade::run_worker(device, contestant));
}
