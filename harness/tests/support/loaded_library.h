// Libraries that are built for the emulated device and loaded into this process. Host memory is the device's
// memory there.
#pragma once

#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "compile/layout.h"
#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::test {

inline EmulatedToolchain emulated_toolchain() {
  const auto compiler = find_host_compiler();
  if (!compiler) throw std::runtime_error(to_string(compiler.errors()));
  const Layout layout = Layout::find();
  return {*compiler, layout.share / "emulated", nullptr, {}, layout.workers / "precompiled"};
}

// Throws with the compiler's log when the file does not build.
inline std::filesystem::path built_library(const EmulatedToolchain& toolchain, const BuildRequest& request) {
  const auto outcome = toolchain.build_library(request);
  if (!outcome) throw std::runtime_error(to_string(outcome.errors()));
  if (outcome->status != BuildStatus::built) throw std::runtime_error(outcome->message + "\n" + outcome->log);
  return outcome->library;
}

class LoadedLibrary {
 public:
  // The file may go once this is made. Throws if it does not load.
  explicit LoadedLibrary(const std::filesystem::path& file)
      : library_(::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(::dlerror());
  }
  ~LoadedLibrary() { ::dlclose(library_); }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  template <class Function>
  Function* function(const char* name) const {
    void* const found = ::dlsym(library_, name);
    if (found == nullptr) throw std::runtime_error(::dlerror());
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* library_;
};

}  // namespace kgrade::test
