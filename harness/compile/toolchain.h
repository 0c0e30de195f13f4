// From a .cu file to a contestant: one shared library that offers `kgrade_entry`.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/own_files.h"
#include "problem/problem.h"

namespace kgrade {

// A shared library of a vendor's, found again where it is now when the contestant is loaded.
struct LinkedLibrary {
  std::filesystem::path folder;  // absolute
  std::string file;              // "libcudnn.so.9"
};

struct BuildRequest {
  std::filesystem::path source;  // the .cu file; of our own also a .cc file, host code alone
  // The .cu files that hold the kernels of a .cc file; nvcc compiles all of them at once.
  std::vector<std::filesystem::path> kernels;
  std::string shown_as;                    // its name in messages: the path as the user gave it
  std::filesystem::path output_directory;  // private; everything that the build writes goes there
  std::vector<std::filesystem::path> include_directories;
  // What beside the toolchain may be read: files, and folders with all below; absolute. Nothing at all for a
  // source of our own, which is built without a sandbox.
  std::optional<std::vector<std::filesystem::path>> readable;
  // Of a candidate in Python: what lies beside it and is not there for it.
  std::vector<RefusedFile> refused = {};
  // Of `readable`, the folders of a vendor's: too much to be read through, and known by their names.
  std::vector<std::filesystem::path> vendor_folders;
  // Not to be seen in any case, although it may lie below something that the toolchain needs.
  std::vector<std::filesystem::path> hidden;
  Dtype dtype = Dtype::float32;                // what [VAR] is
  std::map<std::string, std::string> defines;  // KGRADE_ACCUMULATOR=double for the oracle
  // Of contestants of our own. The emulated device has none of them, and its toolchain passes them over.
  std::vector<LinkedLibrary> libraries;
  // Its host code does next to nothing in a call: better to have it soon than to have it fast.
  bool plain_host_code = false;
  std::chrono::seconds time_limit{120};
  // For a checked run: accesses report themselves and know their lines. Slower by far.
  bool checked = false;
  // Not out of a cache, and not into it: to see whether the machine can build now.
  bool anew = false;
};

enum class BuildStatus { built, compile_error, signature_mismatch, unsupported };

struct BuildOutcome {
  BuildStatus status = BuildStatus::compile_error;
  std::filesystem::path library;  // when built
  std::string message;            // one line: the first thing that is wrong
  std::string log;                // what the compiler wrote, with paths as the user knows them
  std::vector<std::string> command;
  double seconds = 0;   // that the compiler took, now or when the contestant was cached
  bool cached = false;  // it was built before (compile/caching_toolchain.h)
  // Of a candidate in Python. A module keeps its weights from call to call; and what returns its outputs
  // leaves the lent ones as they are.
  std::string python_entry = {};  // "ModelNew"
  bool is_module = false;
  bool returns_outputs = false;
  // Of a build that failed as builds fail where the machine lacks something: what to report if that is so.
  // The build itself cannot tell (grade/control_build.h).
  std::optional<Error> machine_fault = {};
};

struct ExtensionRequest;
struct ExtensionHeaders;

// Builds contestants for one device. Safe to use from several threads at once.
class Toolchain {
 public:
  virtual ~Toolchain() = default;
  // "nvcc 13.0.88 -O3 ...": what the record keeps.
  virtual std::string describe() const = 0;
  // Changes with everything that a build depends on and that no request names: compilers, their versions and
  // flags, headers of our own.
  virtual std::string identity() const = 0;
  // An Error only when the compiler itself is missing or cannot be started.
  virtual Result<BuildOutcome> build(const Problem& problem, const BuildRequest& request) const = 0;
  // An extension of a candidate in Python, with what a build may read and where it writes from `request`,
  // whose source plays no part (compile/extension.h).
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
