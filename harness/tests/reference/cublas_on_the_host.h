// A cuBLAS of a few lines, in double and on the host, in the place of the library and of the CUDA runtime:
// what the baselines ask of them is carried out as their manuals define it.
#pragma once

#include <cublas_v2.h>

#include <set>
#include <string>

namespace kgrade::test {

struct HostCublas {
  std::string fastest;           // the call that takes the least time: "gemm", "gemv", "trmm", "cublasLt"
  std::set<std::string> called;  // all that were made
  std::string last;              // the last one
  std::set<cublasComputeType_t> compute_types;
  int searches = 0;     // calls of cublasLtMatmulAlgoGetHeuristic
  bool failed = false;  // a baseline said so
};
HostCublas& host_cublas();

// Of the handle, which there is one of in a process.
cublasMath_t math_mode();

}  // namespace kgrade::test
