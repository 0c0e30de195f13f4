#include "tests/device/emulated/loaded_source.h"

#include <dlfcn.h>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/temporary_directory.h"
#include "compile/layout.h"
#include "device/emulated/toolchain/emulated_toolchain.h"

namespace kgrade::test {
namespace {

const std::string harness = std::string(KGRADE_SOURCE_DIR) + "/harness";

std::string library_of(const std::string& file_name) {
  const auto compiler = find_host_compiler();
  if (!compiler) throw std::runtime_error(to_string(compiler.errors()));
  const Layout layout = Layout::find();
  const EmulatedToolchain toolchain(*compiler, layout.share / "emulated", nullptr, {},
                                    layout.workers / "precompiled");
  BuildRequest request;
  request.source = harness + "/tests/fixtures/emulated/" + file_name;
  request.shown_as = file_name;
  const TemporaryDirectory folder;
  request.output_directory = folder.path();
  const auto outcome = toolchain.build_library(request);
  if (!outcome) throw std::runtime_error(to_string(outcome.errors()));
  if (outcome->status != BuildStatus::built) throw std::runtime_error(outcome->message + "\n" + outcome->log);
  std::ostringstream library;
  library << std::ifstream(outcome->library, std::ios::binary).rdbuf();
  return library.str();
}

}  // namespace

LoadedSource::LoadedSource(const std::string& file_name) {
  // Several tests load the same file: it is built once, and each test loads a copy in its first state.
  static std::map<std::string, std::string> libraries;
  std::string& library = libraries[file_name];
  if (library.empty()) library = library_of(file_name);
  const TemporaryDirectory folder;
  const std::filesystem::path copy = folder.path() / "library.so";
  std::ofstream(copy, std::ios::binary) << library;
  library_ = ::dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(::dlerror());
}

LoadedSource::~LoadedSource() { ::dlclose(library_); }

void* LoadedSource::symbol(const char* name) const {
  void* const found = ::dlsym(library_, name);
  if (found == nullptr) throw std::runtime_error(::dlerror());
  return found;
}

}  // namespace kgrade::test
