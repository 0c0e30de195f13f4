// Extensions that a candidate in Python wants built (load_inline): reads and checks the request, and lays out
// its sources and headers for a compiler.
//
// A candidate in Python may write headers for its extensions. A request contains the texts of these headers,
// because compilers cannot see the worker's files. The headers are written into the same folders again, so
// that an include with `../` works.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/toolchain.h"

namespace kgrade {

class JsonReader;

struct SubmissionHeader {
  std::string file;  // "tmp/mine/shared.cuh": its place in the worker, below the root
  std::string text;
};

struct SubmissionHeaders {
  std::vector<std::string> folders;  // the search path, in order, with places like those of files
  std::vector<SubmissionHeader> files;
};

// Reads a request's "own_headers", which come from a candidate.
void fields(JsonReader& archive, SubmissionHeaders& headers);

// A source of an extension.
struct ExtensionUnit {
  std::string file;  // "cuda.cu": a plain name
  std::string text;
  std::vector<std::string> small_flags;  // used only with kgrade's headers

  // Whether the source is CUDA. Its name decides, as in PyTorch.
  bool is_cuda() const;
};

struct ExtensionRequest {
  std::string name;  // an identifier
  std::vector<ExtensionUnit> units;
  std::vector<std::string> cflags;       // for the host's compiler
  std::vector<std::string> cuda_cflags;  // for nvcc
  std::vector<std::string> ldflags;
  std::vector<std::string> include_paths;
  // Whether to build against PyTorch's own headers and libraries instead of kgrade's small ones.
  bool torch_headers = false;
  SubmissionHeaders own_headers = {};
  // The flags for the compiler of this unit.
  const std::vector<std::string>& flags_of(const ExtensionUnit& unit) const {
    return unit.is_cuda() ? cuda_cflags : cflags;
  }
};

// The folders in which headers and libraries are.
struct ExtensionHeaders {
  std::filesystem::path small;   // harness/python/include
  std::filesystem::path torch;   // the folder of the package
  std::filesystem::path python;  // the folder of Python.h
};

// Reads a request as harness/python/kgrade_python/extension_sources.py makes it. The request comes from a
// candidate. An Error says in one line what is not allowed. Examples are flags that would run programs or
// write files elsewhere.
Result<ExtensionRequest> parse_extension_request(const std::string& json);

// Writes the units and the submission's own headers into the output folder of `request`, and lets its
// compilers read them and `headers`. Returns the paths of the units, in their order. An Error is the
// machine's.
Result<std::vector<std::filesystem::path>> write_units(const ExtensionRequest& extension,
                                                       const ExtensionHeaders& headers,
                                                       BuildRequest& request);

}  // namespace kgrade
