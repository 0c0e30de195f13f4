// kgrade-worker-cuda ORDINAL: started by the referee, never by hand.
#include <unistd.h>

#include <cstdlib>

#include "contest/worker_main.h"
#include "device/cuda/cuda_worker.h"

int main(int argc, char** argv) {
  kgrade::cuda::CudaWorker device(argc > 1 ? std::atoi(argv[1]) : 0);
  // _exit: a contestant's destructors and atexit handlers have nothing to say any more.
  ::_exit(kgrade::run_worker(device));
}
