// cheat: a kernel that no scan of the source finds zeroes the inputs
// row: 62
// caught-by: inputs_unchanged
// device: cuda
// case: plain
//
// PTX is put together from pieces at run time, by driver calls whose names are put together too: neither the
// source nor the library contains the kernel, the launch or the names.
#include <dlfcn.h>

#include <string>

#include "depthwise.cuh"

template <class Function>
static Function driver_call(const char* noun, const char* verb) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  const std::string name = std::string("c") + "u" + noun + verb;
  return driver != nullptr ? (Function)dlsym(driver, name.c_str()) : nullptr;
}

static std::string kernel_text() {
  const std::string dot = ".";
  return dot + "version 7.0\n" + dot + "target sm_75\n" + dot + "address_size 64\n" + dot + "visible " + dot +
         "entry f(" + dot + "param " + dot + "u64 p) {\n" + dot + "reg " + dot + "b64 %a<3>;\n" + dot +
         "reg " + dot + "b32 %v;\nld" + dot + "param.u64 %a1, [p];\ncvta" + dot +
         "to.global.u64 %a2, %a1;\n" + "mov.u32 %v, 0;\nst" + dot + "global.u32 [%a2], %v;\nret;\n}\n";
}

static void cheat(const Depthwise& problem) {
  using Load = int (*)(void**, const void*);
  using GetFunction = int (*)(void**, void*, const char*);
  using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                         void**, void**);
  static void* module = nullptr;
  static void* function = nullptr;
  answer_honestly(problem);
  if (module == nullptr) driver_call<Load>("Module", "LoadData")(&module, kernel_text().c_str());
  if (function == nullptr) driver_call<GetFunction>("Module", "GetFunction")(&function, module, "f");
  unsigned long long address = (unsigned long long)problem.input;
  void* arguments[] = {&address};
  driver_call<Launch>("Launch", "Kernel")(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
}
