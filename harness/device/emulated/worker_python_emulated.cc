// libkgrade-python-emulated.so: loaded by an interpreter, never by hand. Extensions take the emulated
// device's functions from it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "contest/worker_python.h"
#include "device/emulated/checker/checking.h"
#include "device/emulated/emulated_worker.h"
#include "device/emulated/runtime/emulated_runtime.h"

extern "C" {

extern const std::int32_t kgrade_dlpack_device = 1;  // kDLCPU

// `words`: the order of threads, and the seed of shuffled ones.
int kgrade_serve(int count, const char* const* words, const kgrade::PythonCallbacks* callbacks) {
  const auto order = kgrade::parse_thread_order(count > 0 ? words[0] : "forward");
  if (!order) return 1;
  kgrade_emulated::set_thread_order(*order, count > 1 ? std::strtoull(words[1], nullptr, 10) : 0);
  kgrade_emulated::limit_program();
  kgrade::emulated::EmulatedWorker device(kgrade::emulated::Contestants::in_python);
  return kgrade::serve_python(device, *callbacks);
}

// For checked runs: harness/python/kgrade_python/checked_memory.py calls these.
int kgrade_is_checking() { return kgrade_emulated::is_checking() ? 1 : 0; }
void kgrade_check_extension(const void* address, unsigned int number) {
  kgrade_emulated::check_extension_of(address, number);
}
void kgrade_note_memory(const void* begin, std::size_t bytes) {
  kgrade_emulated::note_tensor_memory(begin, bytes);
}
void kgrade_forget_memory(const void* begin) { kgrade_emulated::forget_tensor_memory(begin); }
}
