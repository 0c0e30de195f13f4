// kgrade-worker-emulated: started by the referee, never by hand.
#include <unistd.h>

#include "contest/worker_main.h"
#include "device/emulated/emulated_worker.h"

int main() {
  kgrade::emulated::EmulatedWorker device;
  // _exit: a contestant's destructors and atexit handlers have nothing to say any more.
  ::_exit(kgrade::run_worker(device));
}
