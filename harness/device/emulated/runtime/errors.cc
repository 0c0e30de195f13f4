#include "kgrade_emulated/api_errors.h"

namespace {

thread_local cudaError_t last_error = cudaSuccess;

}  // namespace

namespace kgrade_emulated {

cudaError_t set_last_error(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace kgrade_emulated

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() { return last_error; }

#define KGRADE_NAME(name, number, text) \
  case name:                            \
    return #name;
#define KGRADE_TEXT(name, number, text) \
  case name:                            \
    return text;

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) { KGRADE_CUDA_ERRORS(KGRADE_NAME) }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) { KGRADE_CUDA_ERRORS(KGRADE_TEXT) }
  return "unrecognized error code";
}
