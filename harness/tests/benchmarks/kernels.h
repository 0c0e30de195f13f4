// A file of kernels/, built and loaded.
#pragma once

#include <string>

#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::benchmark {

class Kernels {
 public:
  // Throws std::runtime_error with the compiler's log when the file does not build.
  Kernels(const EmulatedToolchain& toolchain, const std::string& file);
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* library_ = nullptr;
};

}  // namespace kgrade::benchmark
