// Error codes of the runtime API: the numbers and texts of CUDA's driver_types.h and cudaGetErrorString().
#pragma once

#define KGRADE_CUDA_ERRORS(error)                                                                            \
  error(cudaSuccess, 0, "no error") error(cudaErrorInvalidValue, 1, "invalid argument") error(               \
      cudaErrorMemoryAllocation, 2,                                                                          \
      "out of memory") error(cudaErrorInitializationError, 3,                                                \
                             "initialization error") error(cudaErrorCudartUnloading, 4,                      \
                                                           "driver shutting down")                           \
      error(cudaErrorInvalidConfiguration, 9, "invalid configuration argument") error(                       \
          cudaErrorInvalidPitchValue, 12,                                                                    \
          "invalid pitch argument") error(cudaErrorInvalidSymbol, 13,                                        \
                                          "invalid device symbol") error(cudaErrorInvalidDevicePointer, 17,  \
                                                                         "invalid device pointer")           \
          error(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy") error(             \
              cudaErrorInsufficientDriver, 35,                                                               \
              "CUDA driver version is insufficient for CUDA runtime version")                                \
              error(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured") error(  \
                  cudaErrorInvalidDeviceFunction, 98,                                                        \
                  "invalid device function") error(cudaErrorNoDevice, 100,                                   \
                                                   "no CUDA-capable device is detected")                     \
                  error(cudaErrorInvalidDevice, 101, "invalid device ordinal") error(                        \
                      cudaErrorInvalidResourceHandle, 400,                                                   \
                      "invalid resource handle") error(cudaErrorNotReady, 600, "device not ready")           \
                      error(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered") error( \
                          cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")     \
                          error(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")      \
                              error(cudaErrorPeerAccessAlreadyEnabled, 704,                                  \
                                    "peer access is already enabled")                                        \
                                  error(cudaErrorPeerAccessNotEnabled, 705,                                  \
                                        "peer access has not been enabled")                                  \
                                      error(cudaErrorAssert, 710, "device-side assert triggered") error(     \
                                          cudaErrorHostMemoryAlreadyRegistered, 712,                         \
                                          "part or all of the requested memory range is already mapped")     \
                                          error(cudaErrorHostMemoryNotRegistered, 713,                       \
                                                "pointer does not correspond to a registered memory region") \
                                              error(cudaErrorMisalignedAddress, 716, "misaligned address")   \
                                                  error(cudaErrorLaunchFailure, 719,                         \
                                                        "unspecified launch failure")                        \
                                                      error(cudaErrorNotPermitted, 800,                      \
                                                            "operation not permitted")                       \
                                                          error(cudaErrorNotSupported, 801,                  \
                                                                "operation not supported")                   \
                                                              error(cudaErrorUnknown, 999, "unknown error")

#define KGRADE_ENUMERATOR(name, number, text) name = number,
enum cudaError { KGRADE_CUDA_ERRORS(KGRADE_ENUMERATOR) };
#undef KGRADE_ENUMERATOR
typedef cudaError cudaError_t;

// The last error belongs to the calling host thread; reading it with cudaGetLastError() clears it.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

namespace kgrade_emulated {

// Keeps a failure as the calling thread's last error, and returns it.
cudaError_t set_last_error(cudaError_t error);

}  // namespace kgrade_emulated
