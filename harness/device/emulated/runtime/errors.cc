#include <algorithm>
#include <iterator>

#include "kgrade_emulated/api_errors.h"

namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

#define KGRADE_ERROR(name, text) \
  { name, #name, text }
// The errors by number.
constexpr ErrorText texts[] = {
    KGRADE_ERROR(cudaSuccess, "no error"),
    KGRADE_ERROR(cudaErrorInvalidValue, "invalid argument"),
    KGRADE_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    KGRADE_ERROR(cudaErrorInitializationError, "initialization error"),
    KGRADE_ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    KGRADE_ERROR(cudaErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    KGRADE_ERROR(cudaErrorProfilerNotInitialized, "profiler not initialized: call cudaProfilerInitialize()"),
    KGRADE_ERROR(cudaErrorProfilerAlreadyStarted, "profiler already started"),
    KGRADE_ERROR(cudaErrorProfilerAlreadyStopped, "profiler already stopped"),
    KGRADE_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    KGRADE_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    KGRADE_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    KGRADE_ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    KGRADE_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    KGRADE_ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
    KGRADE_ERROR(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
    KGRADE_ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    KGRADE_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    KGRADE_ERROR(cudaErrorAddressOfConstant, "invalid address of constant"),
    KGRADE_ERROR(cudaErrorTextureFetchFailed, "fetch from texture failed"),
    KGRADE_ERROR(cudaErrorTextureNotBound, "cannot fetch from a texture that is not bound"),
    KGRADE_ERROR(cudaErrorSynchronizationError, "incorrect use of __syncthreads()"),
    KGRADE_ERROR(cudaErrorInvalidFilterSetting, "linear filtering not supported for non-float type"),
    KGRADE_ERROR(cudaErrorInvalidNormSetting, "read as normalized float not supported for data type"),
    KGRADE_ERROR(cudaErrorMixedDeviceExecution,
                 "device emulation mode and device execution mode cannot be mixed"),
    KGRADE_ERROR(cudaErrorNotYetImplemented, "feature not yet implemented"),
    KGRADE_ERROR(cudaErrorMemoryValueTooLarge, "memory size or pointer value too large to fit in 32 bit"),
    KGRADE_ERROR(cudaErrorStubLibrary, "CUDA driver is a stub library"),
    KGRADE_ERROR(cudaErrorInsufficientDriver, "CUDA driver version is insufficient for CUDA runtime version"),
    KGRADE_ERROR(cudaErrorCallRequiresNewerDriver, "API call is not supported in the installed CUDA driver"),
    KGRADE_ERROR(cudaErrorInvalidSurface, "invalid surface reference"),
    KGRADE_ERROR(cudaErrorDuplicateVariableName, "duplicate global variable looked up by string name"),
    KGRADE_ERROR(cudaErrorDuplicateTextureName, "duplicate texture looked up by string name"),
    KGRADE_ERROR(cudaErrorDuplicateSurfaceName, "duplicate surface looked up by string name"),
    KGRADE_ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    KGRADE_ERROR(cudaErrorIncompatibleDriverContext, "incompatible driver context"),
    KGRADE_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    KGRADE_ERROR(cudaErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    KGRADE_ERROR(cudaErrorLaunchMaxDepthExceeded, "launch would exceed maximum depth of nested launches"),
    KGRADE_ERROR(cudaErrorLaunchFileScopedTex,
                 "launch failed because kernel uses unsupported, file-scoped textures (texture objects are "
                 "supported)"),
    KGRADE_ERROR(cudaErrorLaunchFileScopedSurf,
                 "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are "
                 "supported)"),
    KGRADE_ERROR(
        cudaErrorSyncDepthExceeded,
        "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    KGRADE_ERROR(cudaErrorLaunchPendingCountExceeded,
                 "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    KGRADE_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    KGRADE_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    KGRADE_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    KGRADE_ERROR(cudaErrorDeviceNotLicensed, "device doesn't have valid Grid license"),
    KGRADE_ERROR(cudaErrorSoftwareValidityNotEstablished, "integrity checks failed"),
    KGRADE_ERROR(cudaErrorStartupFailure, "startup failure in cuda runtime"),
    KGRADE_ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    KGRADE_ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    KGRADE_ERROR(cudaErrorMapBufferObjectFailed, "mapping of buffer object failed"),
    KGRADE_ERROR(cudaErrorUnmapBufferObjectFailed, "unmapping of buffer object failed"),
    KGRADE_ERROR(cudaErrorArrayIsMapped, "array is mapped"),
    KGRADE_ERROR(cudaErrorAlreadyMapped, "resource already mapped"),
    KGRADE_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    KGRADE_ERROR(cudaErrorAlreadyAcquired, "resource already acquired"),
    KGRADE_ERROR(cudaErrorNotMapped, "resource not mapped"),
    KGRADE_ERROR(cudaErrorNotMappedAsArray, "resource not mapped as array"),
    KGRADE_ERROR(cudaErrorNotMappedAsPointer, "resource not mapped as pointer"),
    KGRADE_ERROR(cudaErrorECCUncorrectable, "uncorrectable ECC error encountered"),
    KGRADE_ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    KGRADE_ERROR(cudaErrorDeviceAlreadyInUse, "exclusive-thread device already in use by a different thread"),
    KGRADE_ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    KGRADE_ERROR(cudaErrorInvalidPtx, "a PTX JIT compilation failed"),
    KGRADE_ERROR(cudaErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    KGRADE_ERROR(cudaErrorNvlinkUncorrectable, "uncorrectable NVLink error detected during the execution"),
    KGRADE_ERROR(cudaErrorJitCompilerNotFound, "PTX JIT compiler library not found"),
    KGRADE_ERROR(cudaErrorUnsupportedPtxVersion,
                 "the provided PTX was compiled with an unsupported toolchain."),
    KGRADE_ERROR(cudaErrorJitCompilationDisabled, "PTX JIT compilation was disabled"),
    KGRADE_ERROR(cudaErrorUnsupportedExecAffinity, "the provided execution affinity is not supported"),
    KGRADE_ERROR(cudaErrorUnsupportedDevSideSync,
                 "the provided PTX contains unsupported call to cudaDeviceSynchronize"),
    KGRADE_ERROR(cudaErrorContained, "Invalid access of peer GPU memory over nvlink or a hardware error"),
    KGRADE_ERROR(cudaErrorInvalidSource, "device kernel image is invalid"),
    KGRADE_ERROR(cudaErrorFileNotFound, "file not found"),
    KGRADE_ERROR(cudaErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    KGRADE_ERROR(cudaErrorSharedObjectInitFailed, "shared object initialization failed"),
    KGRADE_ERROR(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    KGRADE_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    KGRADE_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    KGRADE_ERROR(cudaErrorLossyQuery, "attempted introspection would be semantically lossy"),
    KGRADE_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    KGRADE_ERROR(cudaErrorNotReady, "device not ready"),
    KGRADE_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    KGRADE_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    KGRADE_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    KGRADE_ERROR(cudaErrorLaunchIncompatibleTexturing, "launch uses incompatible texturing mode"),
    KGRADE_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    KGRADE_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    KGRADE_ERROR(cudaErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    KGRADE_ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
    KGRADE_ERROR(cudaErrorAssert, "device-side assert triggered"),
    KGRADE_ERROR(cudaErrorTooManyPeers, "peer mapping resources exhausted"),
    KGRADE_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                 "part or all of the requested memory range is already mapped"),
    KGRADE_ERROR(cudaErrorHostMemoryNotRegistered,
                 "pointer does not correspond to a registered memory region"),
    KGRADE_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    KGRADE_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    KGRADE_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    KGRADE_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    KGRADE_ERROR(cudaErrorInvalidPc, "invalid program counter"),
    KGRADE_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    KGRADE_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    KGRADE_ERROR(cudaErrorTensorMemoryLeak, "tensor memory not completely freed"),
    KGRADE_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    KGRADE_ERROR(cudaErrorNotSupported, "operation not supported"),
    KGRADE_ERROR(cudaErrorSystemNotReady, "system not yet initialized"),
    KGRADE_ERROR(cudaErrorSystemDriverMismatch,
                 "system has unsupported display driver / cuda driver combination"),
    KGRADE_ERROR(cudaErrorCompatNotSupportedOnDevice,
                 "forward compatibility was attempted on non supported HW"),
    KGRADE_ERROR(cudaErrorMpsConnectionFailed,
                 "MPS client failed to connect to the MPS control daemon or the MPS server"),
    KGRADE_ERROR(cudaErrorMpsRpcFailure,
                 "the remote procedural call between the MPS server and the MPS client failed"),
    KGRADE_ERROR(cudaErrorMpsServerNotReady, "MPS server is not ready to accept new MPS client requests"),
    KGRADE_ERROR(cudaErrorMpsMaxClientsReached,
                 "the hardware resources required to create MPS client have been exhausted"),
    KGRADE_ERROR(cudaErrorMpsMaxConnectionsReached,
                 "the hardware resources required to support device connections have been exhausted"),
    KGRADE_ERROR(cudaErrorMpsClientTerminated, "the MPS client has been terminated by the server"),
    KGRADE_ERROR(
        cudaErrorCdpNotSupported,
        "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"),
    KGRADE_ERROR(cudaErrorCdpVersionMismatch,
                 "unsupported interaction between different versions of CUDA Dynamic Parallelism"),
    KGRADE_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    KGRADE_ERROR(cudaErrorStreamCaptureInvalidated,
                 "operation failed due to a previous error during capture"),
    KGRADE_ERROR(cudaErrorStreamCaptureMerge,
                 "operation would result in a merge of separate capture sequences"),
    KGRADE_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    KGRADE_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    KGRADE_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    KGRADE_ERROR(cudaErrorStreamCaptureImplicit,
                 "operation would make the legacy stream depend on a capturing blocking stream"),
    KGRADE_ERROR(cudaErrorCapturedEvent,
                 "operation not permitted on an event last recorded in a capturing stream"),
    KGRADE_ERROR(cudaErrorStreamCaptureWrongThread,
                 "attempt to terminate a thread-local capture sequence from another thread"),
    KGRADE_ERROR(cudaErrorTimeout, "wait operation timed out"),
    KGRADE_ERROR(cudaErrorGraphExecUpdateFailure,
                 "the graph update was not performed because it included changes which violated constraints "
                 "specific to instantiated graph update"),
    KGRADE_ERROR(cudaErrorExternalDevice, "an async error has occured in external entity outside of CUDA"),
    KGRADE_ERROR(cudaErrorInvalidClusterSize,
                 "a kernel launch error has occurred due to cluster misconfiguration"),
    KGRADE_ERROR(cudaErrorFunctionNotLoaded,
                 "the function handle is not loaded when calling an API that requires a loaded function"),
    KGRADE_ERROR(cudaErrorInvalidResourceType,
                 "one or more resources passed in are not valid resource types for the operation"),
    KGRADE_ERROR(cudaErrorInvalidResourceConfiguration,
                 "one or more resources are insufficient or non-applicable for the operation"),
    KGRADE_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef KGRADE_ERROR

constexpr ErrorText unknown = {cudaErrorUnknown, "unrecognized error code", "unrecognized error code"};

const ErrorText& text_of(cudaError_t error) {
  const auto* const found =
      std::lower_bound(std::begin(texts), std::end(texts), error,
                       [](const ErrorText& text, cudaError_t number) { return text.error < number; });
  return found != std::end(texts) && found->error == error ? *found : unknown;
}

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
const char* cudaGetErrorName(cudaError_t error) { return text_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return text_of(error).text; }
