#include "compile/bytecode_cache.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <utility>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/user_cache.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// The imports of a worker (harness/python/kgrade_python/frameworks.py) and of the description of a problem's
// file. Computing with tensors that have no memory imports more of PyTorch.
constexpr const char* imports = R"(
import torch, torch.utils.cpp_extension
from torch._subclasses import FakeTensorMode
with FakeTensorMode(), torch.no_grad():
    torch.nn.BatchNorm1d(3)(torch.nn.Linear(2, 3)(torch.empty(4, 2))).sum()
try:
    import triton, triton.language
except ImportError:
    pass
)";

constexpr std::chrono::seconds patience{120};

bool fill(const fs::path& folder, const PythonInterpreter& python) {
  ProcessRequest request;
  // -B is left out, because this process has to write the bytecode.
  request.command = {python.program.string(), "-I", "-X", "pycache_prefix=" + folder.string(), "-c", imports};
  // PyTorch makes a folder for compiled code and does not remove it.
  const TemporaryDirectory temporary;
  request.environment = whole_environment(temporary.path());
  request.limits.wall = patience;
  const auto outcome = run_process(request);
  return outcome && !outcome->timed_out && outcome->signal == 0 && outcome->exit_code == 0;
}

}  // namespace

namespace {

fs::path find_or_fill(const PythonInterpreter& python) {
  std::error_code failure;
  if (python.torch_folder.empty() || fs::exists(python.torch_folder / "__pycache__", failure)) return {};
  const fs::path all = user_cache_folder("bytecode");
  if (all.empty()) return {};
  // The key does not contain file times, because Python itself checks whether bytecode is older than its
  // source.
  const std::string name = sha256_hex(fmt::format("{}\n{}\n{}\n{}", python.torch_folder.string(),
                                                  python.version, python.torch_version, imports));
  const fs::path folder = all / name;
  const fs::path filled = folder / "filled";
  if (fs::exists(filled, failure)) return folder;
  fs::create_directories(folder, failure);
  if (failure || !fill(folder, python)) return {};
  return std::ofstream(filled) ? folder : fs::path();
}

}  // namespace

fs::path bytecode_of(const PythonInterpreter& python) {
  static std::mutex mutex;
  static std::map<std::pair<fs::path, std::string>, fs::path> known;
  const std::scoped_lock lock(mutex);
  const auto [place, is_new] = known.try_emplace({python.torch_folder, python.torch_version});
  if (is_new) place->second = find_or_fill(python);
  return place->second;
}

}  // namespace kgrade
