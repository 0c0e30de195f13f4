// The Python that runs Python candidates: which one it is, and what it has. It is asked and not guessed: an
// interpreter in PATH may be a script that starts another one.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade {

struct PythonInterpreter {
  std::filesystem::path program;       // as it names itself, which a version manager's script does not
  std::string version;                 // "3.11.7"
  std::string torch_version;           // "2.11.0"; empty: not installed
  std::string torch_cuda_version;      // "13.0"; empty: a build without CUDA
  std::string triton_version;          // "3.6.0"; empty: not installed
  std::filesystem::path torch_folder;  // .../site-packages/torch; in the user's own site-packages where only
                                       // they have it, which `python -I` leaves out of sys.path
  std::filesystem::path include_folder;  // of Python.h, which need not be there
  // What a sandboxed interpreter must see, of a virtual environment also its base: absolute, without links,
  // none below another. Folders that .pth files add elsewhere are not among them.
  std::vector<std::filesystem::path> readable;
};

// How long an interpreter may take to answer; one on a file server that is asked for the first time is slow.
inline constexpr std::chrono::seconds python_patience{30};

// `chosen`: what --python names, a path or a name in PATH; else $KGRADE_PYTHON, else python3 in PATH. Nothing
// of PyTorch is imported, so that it takes some 0.05 s. An Error, which is the machine's, where there is
// none, or where what there is does not answer as Python 3 does.
Result<PythonInterpreter> find_python(const std::filesystem::path& chosen = {},
                                      std::chrono::seconds patience = python_patience);

// Whether --python (`chosen`) or $KGRADE_PYTHON names an interpreter: then no other one will do.
bool is_python_named(const std::filesystem::path& chosen);

// The same, fit for Python candidates. An Error also where Python is older than 3.9, or PyTorch than 2.0, or
// missing: names the interpreter and the command that installs what it lacks.
Result<PythonInterpreter> find_python_with_torch(const std::filesystem::path& chosen = {});

// What is wrong with an interpreter for Python candidates; empty: nothing.
Errors lacks_of(const PythonInterpreter& python);

// How the CUDA versions of PyTorch and nvcc ("13.0.88") go together.
enum class CudaMatch {
  same,         // major and minor
  other_minor,  // works
  other_major,  // extensions that need PyTorch's own headers do not work: PyTorch refuses to build them
  unknown       // one of the two is missing, or is not understood
};
CudaMatch match_cuda(const PythonInterpreter& python, const std::string& nvcc_version);

}  // namespace kgrade
