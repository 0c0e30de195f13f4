#include "tests/device/emulated/loaded_source.h"

#include <dlfcn.h>

#include <stdexcept>

#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::test {
namespace {

const std::string harness = std::string(KGRADE_SOURCE_DIR) + "/harness";

}  // namespace

LoadedSource::LoadedSource(const std::string& file_name) {
  const auto compiler = find_host_compiler();
  if (!compiler) throw std::runtime_error(to_string(compiler.errors()));
  const Layout layout = Layout::find();
  const EmulatedToolchain toolchain(*compiler, layout.emulated_include, nullptr, {},
                                    layout.emulated_precompiled);
  BuildRequest request;
  request.source = harness + "/tests/fixtures/emulated/" + file_name;
  request.shown_as = file_name;
  const TemporaryDirectory folder;
  request.output_directory = folder.path();
  const auto outcome = toolchain.build_library(request);
  if (!outcome) throw std::runtime_error(to_string(outcome.errors()));
  if (outcome->status != BuildStatus::built) throw std::runtime_error(outcome->message + "\n" + outcome->log);
  library_ = ::dlopen(outcome->library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(::dlerror());
}

LoadedSource::~LoadedSource() { ::dlclose(library_); }

void* LoadedSource::symbol(const char* name) const {
  void* const found = ::dlsym(library_, name);
  if (found == nullptr) throw std::runtime_error(::dlerror());
  return found;
}

}  // namespace kgrade::test
