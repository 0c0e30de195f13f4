// libkgrade-python-cuda.so: loaded by an interpreter, never by hand.
#include <sys/resource.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "contest/protocol.h"
#include "contest/worker_python.h"
#include "device/cuda/cuda_worker.h"

extern "C" {

extern const std::int32_t kgrade_dlpack_device = 2;  // kDLCUDA

// Called by the contestant's extensions: compile/nvcc_toolchain.h.
void kgrade_launch_failed(int error, const void* kernel, const unsigned int* grid, const unsigned int* block,
                          std::size_t dynamic_shared) {
  kgrade::cuda::note_failed_launch(error, kernel, grid, block, dynamic_shared);
}

// `words`: the command line of kgrade-worker-cuda, without the program's name.
int kgrade_serve(int count, const char* const* words, const kgrade::PythonCallbacks* callbacks) {
  // If the first word is the UUID of a GPU, worker.py has made that GPU the only visible one, number 0.
  const bool named = count > 0 && std::strncmp(words[0], "GPU-", 4) == 0;
  // Large enough for the files of a framework's compiler. It runs in the rehearsal: the first calls of a
  // candidate, before any call that counts.
  constexpr rlim_t most_file_bytes = rlim_t{1} << 30;
  const rlimit files{most_file_bytes, most_file_bytes};
  ::setrlimit(RLIMIT_FSIZE, &files);
  const int ordinal = count > 0 && !named ? std::atoi(words[0]) : 0;
  if (count > 2 && std::strcmp(words[1], "--connect") == 0) {
    kgrade::UniqueFd socket = kgrade::connect_to(words[2]);
    if (!socket) return 1;
    kgrade::cuda::CheckedCudaWorker watched(ordinal, kgrade::cuda::call_watch({words + 3, words + count}));
    return kgrade::serve_python(watched, *callbacks, socket.release());
  }
  kgrade::cuda::CudaWorker device(ordinal);
  return kgrade::serve_python(device, *callbacks);
}
}
