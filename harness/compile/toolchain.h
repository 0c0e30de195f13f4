// Toolchains: build a contestant from a .cu file. A contestant is one shared library that exports
// `kgrade_entry`.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/own_files.h"
#include "problem/problem.h"

namespace kgrade {

// A vendor's shared library, which is found in the same folder when the contestant is loaded.
struct LinkedLibrary {
  std::filesystem::path folder;  // absolute
  std::string file;              // "libcudnn.so.9"
};

// The time limits of a compiler. Measured times of honest builds: 1 s for most kernels, about 60 s for an
// extension with PyTorch's headers on a slow machine, about 120 s for CUTLASS in nvcc.
struct BuildTime {
  // Processor time of each program that the compiler runs. Other programs on the machine do not increase it,
  // so this limit usually decides.
  std::chrono::seconds processor{180};
  // Elapsed time. This limit ends a compiler that waits instead of computing, or that runs many programs one
  // after the other. A build can also reach this limit because other programs keep the machine busy.
  std::chrono::seconds wall{360};
};

struct BuildRequest {
  std::filesystem::path source;  // the .cu file; contestants of our own may be a .cc file with host code only
  // The .cu files with the kernels of a .cc file. nvcc compiles all of them at once.
  std::vector<std::filesystem::path> kernels;
  std::string shown_as;                    // the source's name in messages: the path that the user gave
  std::filesystem::path output_directory;  // private; the build writes only here
  std::vector<std::filesystem::path> include_directories;
  // Absolute paths that the build may read besides the toolchain: files, and folders with everything below.
  // Unset for one of kgrade's own sources, which are built without a sandbox.
  std::optional<std::vector<std::filesystem::path>> readable;
  // For a candidate in Python: files beside it that its worker does not get.
  std::vector<RefusedFile> refused = {};
  // The folders in `readable` that belong to a vendor's library. They are too large to hash, so they are
  // identified by their names.
  std::vector<std::filesystem::path> vendor_folders;
  // Paths to hide, even if they lie below a folder that the toolchain needs.
  std::vector<std::filesystem::path> hidden;
  Dtype dtype = Dtype::float32;                // the type of [VAR]
  std::map<std::string, std::string> defines;  // KGRADE_ACCUMULATOR=double for the oracle
  // Libraries for kgrade's own contestants. A toolchain that builds for the host ignores them.
  std::vector<LinkedLibrary> libraries;
  // The host code does next to nothing in a call, so it should compile fast rather than run fast.
  bool plain_host_code = false;
  BuildTime time_limit = {};
  // For a checked run: memory accesses are reported with their lines, so the contestant is much slower.
  bool checked = false;
  // Bypasses the cache, to see whether the machine can build now.
  bool anew = false;
};

enum class BuildStatus { built, compile_error, signature_mismatch, unsupported };

struct BuildOutcome {
  BuildStatus status = BuildStatus::compile_error;
  std::filesystem::path library;  // if built
  std::string message;            // one line: the first thing that is wrong
  std::string log;                // of the compiler, with paths as the user knows them
  std::vector<std::string> command;
  double seconds = 0;   // time of the compiler, now or when the cache entry was made
  bool cached = false;  // taken from the cache (compile/caching_toolchain.h)
  // The next four members are for a candidate in Python. A module keeps its weights from call to call. A
  // candidate that returns its outputs does not write the outputs that the harness lends.
  std::string python_entry = {};  // "ModelNew"
  bool is_module = false;
  bool gets_forward = false;  // it is called with the arguments of the problem's forward(), as a module is
  bool returns_outputs = false;
  // Set if the failure may be the machine's fault: the error to report in that case. A control build decides
  // whether the machine or the candidate is to blame (grade/contestants.h).
  std::optional<Error> machine_fault = {};
  // The build reached BuildTime::wall. It might succeed when the machine is less busy.
  bool ran_out_of_time = false;
  // An extension was built with PyTorch's own headers, and not with kgrade's small ones.
  bool torch_headers = false;
};

struct ExtensionRequest;
struct ExtensionHeaders;

// Builds contestants for one device. Safe to use from several threads at once.
class Toolchain {
 public:
  virtual ~Toolchain() = default;
  // "nvcc 13.0.88 -O3 ...", for the record.
  virtual std::string describe() const = 0;
  // Identifies everything outside of a request that a build depends on: compilers, their versions and flags,
  // and kgrade's own headers.
  virtual std::string identity() const = 0;
  // The folder of the CUDA Toolkit that builds use. Empty for a device that cannot run a GPU's machine code,
  // and so cannot run the kernels that Python frameworks compile.
  virtual std::filesystem::path cuda_toolkit() const { return {}; }
  // Whether checked builds may be cached. True if their debug information does not depend on the folder in
  // which they were built.
  virtual bool keeps_checked_builds() const { return false; }
  // An Error only if the compiler itself is missing or cannot be started.
  virtual Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const = 0;
  // Builds an extension of a candidate in Python (compile/extension.h). `request` says what the build may
  // read and where it writes; the source in `request` is ignored.
  virtual Result<BuildOutcome> build_extension(const ExtensionRequest& /*extension*/,
                                               const ExtensionHeaders& /*headers*/,
                                               const BuildRequest& /*request*/) const {
    BuildOutcome outcome;
    outcome.status = BuildStatus::unsupported;
    outcome.message = "this toolchain builds no extensions";
    return outcome;
  }
};

}  // namespace kgrade
