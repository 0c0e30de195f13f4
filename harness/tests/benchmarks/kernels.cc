#include "kernels.h"

#include <dlfcn.h>

#include <stdexcept>

#include "base/temporary_directory.h"

namespace kgrade::benchmark {

Kernels::Kernels(const EmulatedToolchain& toolchain, const std::string& file) {
  const TemporaryDirectory folder;
  BuildRequest request;
  request.source = std::string(KGRADE_SOURCE_DIR) + "/harness/tests/benchmarks/kernels/" + file;
  request.shown_as = file;
  request.include_directories = {request.source.parent_path()};
  request.output_directory = folder.path();
  const auto outcome = toolchain.build_library(request);
  if (!outcome) throw std::runtime_error(to_string(outcome.errors()));
  if (outcome->status != BuildStatus::built) throw std::runtime_error(outcome->message + "\n" + outcome->log);
  library_ = ::dlopen(outcome->library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(::dlerror());
}

Kernels::~Kernels() { ::dlclose(library_); }

void* Kernels::symbol(const char* name) const {
  void* const found = ::dlsym(library_, name);
  if (found == nullptr) throw std::runtime_error(::dlerror());
  return found;
}

}  // namespace kgrade::benchmark
