// Extensions that a candidate in Python wants built (load_inline): what it asks for, checked, and where the
// headers are that they are built against.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "compile/submission_headers.h"
#include "compile/toolchain.h"

namespace kgrade {

// One source of an extension.
struct ExtensionUnit {
  std::string file;  // "cuda.cu": a plain name
  std::string text;
  std::vector<std::string> small_flags;  // only with kgrade's headers

  // By its name, as PyTorch decides it.
  bool is_cuda() const;
};

struct ExtensionRequest {
  std::string name;  // an identifier
  std::vector<ExtensionUnit> units;
  std::vector<std::string> cflags;       // of the host's compiler
  std::vector<std::string> cuda_cflags;  // of nvcc
  std::vector<std::string> ldflags;
  std::vector<std::string> include_paths;
  // Against PyTorch's own headers and libraries, instead of the small ones of kgrade.
  bool torch_headers = false;
  SubmissionHeaders own_headers = {};
  // Those that the request has for units of this one's kind.
  const std::vector<std::string>& flags_of(const ExtensionUnit& unit) const {
    return unit.is_cuda() ? cuda_cflags : cflags;
  }
};

// Where headers and libraries are.
struct ExtensionHeaders {
  std::filesystem::path small;   // harness/python/include
  std::filesystem::path torch;   // the folder of the package
  std::filesystem::path python;  // of Python.h
};

// Reads a request as harness/python/kgrade_python/extension_sources.py makes it. It comes from a candidate:
// an Error says in one line what of it cannot be used. Flags that would run programs or write files elsewhere
// are among that.
Result<ExtensionRequest> parse_extension_request(const std::string& json);

// Writes the units and the submission's own headers into the output folder of `request`, and lets its compilers
// read them and `headers`. Returns the units, in their order. An Error is the machine's.
Result<std::vector<std::filesystem::path>> write_units(const ExtensionRequest& extension,
                                                       const ExtensionHeaders& headers,
                                                       BuildRequest& request);

}  // namespace kgrade
