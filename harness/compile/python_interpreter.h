// Finds the Python interpreter for Python candidates, and asks it for its packages. Its path does not show
// where its packages are, because a `python3` in PATH may be a script that starts another interpreter.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

struct PythonInterpreter {
  std::filesystem::path program;   // the interpreter's own path, not that of a version manager's script
  std::string version;             // "3.11.7"
  std::string torch_version;       // "2.11.0"; empty: not installed
  std::string torch_cuda_version;  // "13.0"; empty: a build without CUDA
  std::string triton_version;      // "3.6.0"; empty: not installed
  // .../site-packages/torch, or in the user's own site-packages, which `python -I` leaves out of sys.path.
  std::filesystem::path torch_folder;
  std::filesystem::path include_folder;  // for Python.h, which may be missing
  // The folders that a sandboxed interpreter must see, with the base of a virtual environment. They are
  // absolute, without links, and none lies below another. Folders that .pth files add elsewhere are not
  // included.
  std::vector<std::filesystem::path> readable;
};

// How long an interpreter may take to answer. The first start from a file server is slow.
inline constexpr std::chrono::seconds python_patience{30};

// Finds the interpreter: `chosen`, which is the value of --python (a path or a name in PATH), or else
// $KGRADE_PYTHON, or else python3 in PATH. PyTorch is not imported, so this takes about 0.05 s. An Error is a
// fault of the machine: there is no interpreter, or it does not answer as Python 3 does.
Result<PythonInterpreter> find_python(const std::filesystem::path& chosen = {},
                                      std::chrono::seconds patience = python_patience);

// Whether --python (`chosen`) or $KGRADE_PYTHON names an interpreter. If so, no other interpreter is used.
bool is_python_named(const std::filesystem::path& chosen);

// Like find_python(), for an interpreter that can run Python candidates. Also an Error if Python is older
// than 3.9, or if PyTorch is missing or older than 2.0. The Error names the interpreter and the command that
// installs what is missing.
Result<PythonInterpreter> find_python_with_torch(const std::filesystem::path& chosen = {});

// What an interpreter lacks to run Python candidates. Empty if nothing is missing.
Errors lacks_of(const PythonInterpreter& python);

// Compares the CUDA versions of PyTorch and nvcc ("13.0.88").
enum class CudaMatch {
  same,         // major and minor
  other_minor,  // works
  other_major,  // extensions that need PyTorch's own headers do not work: PyTorch refuses to build them
  unknown       // a version is missing or not understood
};
CudaMatch match_cuda(const PythonInterpreter& python, const std::string& nvcc_version);

// A cache of Python bytecode, for packages that have none. Some installers and read-only images leave
// packages without bytecode, and then every worker takes four times as long to import PyTorch.
//
// The folder in the user's cache with the bytecode for this interpreter. Workers may read it. The first call
// fills it, which takes as long as one import of PyTorch. Empty if the packages have their own bytecode, or
// if the folder cannot be made. A process tries to make it only once.
std::filesystem::path bytecode_of(const PythonInterpreter& python);

}  // namespace kgrade
