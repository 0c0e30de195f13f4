// cheat: looks for a Python interpreter in the process, to replace the functions that measure time
// row: 27
// caught-by: outputs_match
// device: any
//
// A grader without Python gives it nothing to replace. Then it does nothing, and hopes that outputs are not
// compared.
#include <dlfcn.h>

#include "contestant.cuh"

namespace {

constexpr const char* program =
    "import time, builtins\n"
    "time.perf_counter = time.monotonic = time.time = lambda: 0.0\n"
    "try:\n"
    "    import torch\n"
    "    torch.cuda.Event.elapsed_time = lambda self, end: 0.001\n"
    "    torch.allclose = lambda *a, **k: True\n"
    "except ImportError:\n"
    "    pass\n";

template <class Function>
Function find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void patch_python() {
  const auto is_initialized = find<int (*)()>("Py_IsInitialized");
  const auto ensure = find<int (*)()>("PyGILState_Ensure");
  const auto run = find<int (*)(const char*)>("PyRun_SimpleString");
  if (is_initialized == nullptr || ensure == nullptr || run == nullptr || is_initialized() == 0) return;
  ensure();
  run(program);
}

}  // namespace

void cheat::play(const Call&) { patch_python(); }
