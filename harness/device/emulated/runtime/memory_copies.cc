// Copies and fills. All of them are carried out at once when they are called.
#include <algorithm>
#include <cstring>

#include "device/emulated/checker/checker.h"
#include "device/emulated/runtime/memory.h"
#include "kgrade_emulated/api_memory.h"
#include "kgrade_emulated/api_streams.h"

using kgrade_emulated::active_checker;
using kgrade_emulated::lies_within_its_allocation;
using kgrade_emulated::set_last_error;

namespace {

char* place(const cudaPitchedPtr& memory, cudaPos at) {
  return static_cast<char*>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
}

bool has_rows(const cudaExtent& extent) { return extent.width > 0 && extent.height > 0 && extent.depth > 0; }

// Whether the rows of the extent fit the memory's pitch, and its layers fit the memory's height. A single
// row fits any pitch, and a single layer fits any height. False for a null pointer.
bool rows_fit(const cudaPitchedPtr& memory, const cudaExtent& extent, cudaPos at) {
  const bool one_row = extent.height <= 1 && extent.depth <= 1;
  return memory.ptr != nullptr && (one_row || at.x + extent.width <= memory.pitch) &&
         (extent.depth <= 1 || at.y + extent.height <= memory.ysize);
}

// False if this is a checked run in which the work must not be done. `pc` is the place of the call.
bool begins_work(cudaStream_t stream, const void* pc) {
  const auto checker = active_checker();
  return !checker || checker->begins_work(stream, "", pc);
}

}  // namespace

#define KGRADE_CALLER __builtin_return_address(0)

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return set_last_error(cudaErrorInvalidMemcpyDirection);
  }
  if (bytes == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (!lies_within_its_allocation(to, bytes) || !lies_within_its_allocation(from, bytes)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  std::memmove(to, from, bytes);
  if (const auto checker = active_checker()) checker->copied(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  // The host waits for a copy into memory that is not pinned.
  if (kind == cudaMemcpyDeviceToHost)
    cudaStreamSynchronize(stream);
  else if (!begins_work(stream, KGRADE_CALLER))
    return cudaSuccess;
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return set_last_error(cudaErrorInvalidDevice);
  return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  if (!begins_work(stream, KGRADE_CALLER)) return cudaSuccess;
  return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  if (width_bytes > to_pitch || width_bytes > from_pitch) return set_last_error(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemcpy(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                   width_bytes, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (kind == cudaMemcpyDeviceToHost)
    cudaStreamSynchronize(stream);
  else if (!begins_work(stream, KGRADE_CALLER))
    return cudaSuccess;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width_bytes, height, kind);
}

// Positions and widths are in bytes, since no CUDA array takes part.
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  if (parameters == nullptr) return set_last_error(cudaErrorInvalidValue);
  const cudaMemcpy3DParms& copy = *parameters;
  if (copy.srcArray != nullptr || copy.dstArray != nullptr) return set_last_error(cudaErrorNotSupported);
  if (!has_rows(copy.extent)) return cudaSuccess;
  if (!rows_fit(copy.srcPtr, copy.extent, copy.srcPos) || !rows_fit(copy.dstPtr, copy.extent, copy.dstPos)) {
    return set_last_error(cudaErrorInvalidValue);
  }
  for (std::size_t z = 0; z < copy.extent.depth; ++z) {
    for (std::size_t y = 0; y < copy.extent.height; ++y) {
      const cudaPos to = {copy.dstPos.x, copy.dstPos.y + y, copy.dstPos.z + z};
      const cudaPos from = {copy.srcPos.x, copy.srcPos.y + y, copy.srcPos.z + z};
      const cudaError_t error =
          cudaMemcpy(place(copy.dstPtr, to), place(copy.srcPtr, from), copy.extent.width, copy.kind);
      if (error != cudaSuccess) return error;
    }
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (parameters != nullptr && parameters->kind == cudaMemcpyDeviceToHost)
    cudaStreamSynchronize(stream);
  else if (!begins_work(stream, KGRADE_CALLER))
    return cudaSuccess;
  return cudaMemcpy3D(parameters);
}

cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (memory == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (!lies_within_its_allocation(memory, bytes)) return set_last_error(cudaErrorInvalidValue);
  std::memset(memory, byte, bytes);
  if (const auto checker = active_checker()) checker->written(memory, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream) {
  if (!begins_work(stream, KGRADE_CALLER)) return cudaSuccess;
  return cudaMemset(memory, byte, bytes);
}

cudaError_t cudaMemset3D(cudaPitchedPtr memory, int byte, cudaExtent extent) {
  if (!has_rows(extent)) return cudaSuccess;
  if (!rows_fit(memory, extent, {0, 0, 0})) return set_last_error(cudaErrorInvalidValue);
  for (std::size_t z = 0; z < extent.depth; ++z) {
    for (std::size_t y = 0; y < extent.height; ++y) cudaMemset(place(memory, {0, y, z}), byte, extent.width);
  }
  return cudaSuccess;
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int byte, cudaExtent extent, cudaStream_t stream) {
  if (!begins_work(stream, KGRADE_CALLER)) return cudaSuccess;
  return cudaMemset3D(memory, byte, extent);
}

cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int byte, std::size_t width_bytes,
                         std::size_t height) {
  return cudaMemset3D({memory, pitch, width_bytes, height}, byte, {width_bytes, height, 1});
}

cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int byte, std::size_t width_bytes,
                              std::size_t height, cudaStream_t stream) {
  if (!begins_work(stream, KGRADE_CALLER)) return cudaSuccess;
  return cudaMemset2D(memory, pitch, byte, width_bytes, height);
}
