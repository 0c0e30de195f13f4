#include "compile/bytecode_cache.h"

#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "base/subprocess.h"
#include "base/text.h"
#include "base/user_cache.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// What a worker imports (harness/python/kgrade_python/frameworks.py), and what the first calls of PyTorch do.
constexpr const char* imports = R"(
import torch, torch.utils.cpp_extension
try:
    import triton, triton.language
except ImportError:
    pass
)";

constexpr std::chrono::seconds patience{120};

bool fill(const fs::path& folder, const PythonInterpreter& python) {
  ProcessRequest request;
  // Not -B: this is the process that writes.
  request.command = {python.program.string(), "-I", "-X", "pycache_prefix=" + folder.string(), "-c", imports};
  request.environment = whole_environment();
  request.limits.wall = patience;
  const auto outcome = run_process(request);
  return outcome && !outcome->timed_out && outcome->signal == 0 && outcome->exit_code == 0;
}

}  // namespace

fs::path bytecode_of(const PythonInterpreter& python) {
  std::error_code failure;
  if (python.torch_folder.empty() || fs::exists(python.torch_folder / "__pycache__", failure)) return {};
  const fs::path all = user_cache_folder("bytecode");
  if (all.empty()) return {};
  // Python itself looks whether a file is older than its source.
  const std::string name = sha256_hex(
      fmt::format("{}\n{}\n{}", python.torch_folder.string(), python.version, python.torch_version));
  const fs::path folder = all / name;
  const fs::path filled = folder / "filled";
  if (fs::exists(filled, failure)) return folder;
  fs::create_directories(folder, failure);
  if (failure || !fill(folder, python)) return {};
  return std::ofstream(filled) ? folder : fs::path();
}

}  // namespace kgrade
