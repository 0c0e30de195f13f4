#include "tests/reference/operator_library.h"

#include <dlfcn.h>

#include <map>
#include <stdexcept>

#include "compile/layout.h"
#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::test {
namespace {

const std::string root = KGRADE_SOURCE_DIR;

}  // namespace

const OperatorLibrary& OperatorLibrary::shared(const std::string& file_name) {
  static std::map<std::string, OperatorLibrary> libraries;
  return libraries.try_emplace(file_name, file_name).first->second;
}

OperatorLibrary::OperatorLibrary(const std::string& file_name) {
  const auto compiler = find_host_compiler();
  if (!compiler) throw std::runtime_error(to_string(compiler.errors()));
  BuildRequest request;
  request.source = root + "/harness/tests/reference/" + file_name;
  request.shown_as = file_name;
  request.output_directory = folder_.path();
  request.include_directories = {root + "/reference"};
  request.defines = {{"KGRADE_ACCUMULATOR", "double"}, {"KGRADE_ELEMENT", "float"}};
  const Layout layout = Layout::find();
  const EmulatedToolchain toolchain(*compiler, layout.share / "emulated", nullptr, {},
                                    layout.workers / "precompiled");
  const auto outcome = toolchain.build_library(request);
  if (!outcome) throw std::runtime_error(to_string(outcome.errors()));
  if (outcome->status != BuildStatus::built) throw std::runtime_error(outcome->message + "\n" + outcome->log);
  library_ = ::dlopen(outcome->library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(::dlerror());
}

OperatorLibrary::~OperatorLibrary() { ::dlclose(library_); }

void* OperatorLibrary::symbol(const char* name) const {
  void* const found = ::dlsym(library_, name);
  if (found == nullptr) throw std::runtime_error(::dlerror());
  return found;
}

}  // namespace kgrade::test
