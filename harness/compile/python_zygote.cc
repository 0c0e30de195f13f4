#include "compile/python_zygote.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compile/bytecode_cache.h"

namespace kgrade {
namespace {

// The loader reads LD_LIBRARY_PATH when the zygote starts. The rest of the environment is replaced in each
// worker.
std::vector<std::string> environment_of_zygote() {
  std::vector<std::string> environment = {"LC_ALL=C", "HOME=/tmp", "TMPDIR=/tmp"};
  if (const char* folders = std::getenv("LD_LIBRARY_PATH"))
    environment.push_back(fmt::format("LD_LIBRARY_PATH={}", folders));
  return environment;
}

ZygoteSetup setup_of(const PythonTools& tools) {
  ZygoteSetup setup;
  setup.interpreter = {tools.interpreter.program.string(), "-I", "-B"};
  if (const auto bytecode = bytecode_of(tools.interpreter); !bytecode.empty())
    setup.interpreter.insert(setup.interpreter.end(), {"-X", "pycache_prefix=" + bytecode.string()});
  setup.script = tools.folder / "zygote.py";
  setup.launcher = tools.sandbox->launcher();
  setup.library = setup.launcher.parent_path() / "libkgrade-zygote.so";
  setup.programs = {tools.folder / "worker.py", tools.folder / "describe_module.py"};
  setup.environment = environment_of_zygote();
  return setup;
}

}  // namespace

std::shared_ptr<Zygote> zygote_for(const PythonTools& tools) {
  if (tools.sandbox == nullptr || !tools.sandbox->makes_namespaces()) return nullptr;
  using Key = std::pair<std::filesystem::path, std::filesystem::path>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<Zygote>> known;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Zygote>& zygote = known[{tools.interpreter.program, tools.sandbox->launcher()}];
  if (zygote == nullptr || zygote->has_broken()) zygote = std::make_shared<Zygote>(setup_of(tools));
  return zygote;
}

}  // namespace kgrade
