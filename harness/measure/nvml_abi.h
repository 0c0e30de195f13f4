// The few declarations of NVML's C interface that we need, so that the harness builds without NVIDIA's header
// and runs without its library. Names in comments, values and layouts are those of NVIDIA's NVML API
// reference (docs.nvidia.com/deploy/nvml-api): they are part of a binary interface that stays as it is.
#pragma once

namespace kgrade::nvml {

// nvmlReturn_t
using Return = int;
constexpr Return success = 0;
constexpr Return not_supported = 3;
constexpr Return no_permission = 4;
constexpr Return not_found = 6;
constexpr Return insufficient_size = 7;

// nvmlDevice_t
struct OpaqueDevice;
using Device = OpaqueDevice*;

// nvmlClockType_t
constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;

// nvmlTemperatureSensors_t: NVML_TEMPERATURE_GPU
constexpr unsigned sensor_gpu = 0;

// nvmlTemperature_v1_t
struct Temperature {
  unsigned version;
  unsigned sensor;
  int celsius;
};
// NVML_STRUCT_VERSION(Temperature, 1): the size, and the version in the highest byte.
constexpr unsigned temperature_version = sizeof(Temperature) | 1U << 24;

// Entries of the lists of processes begin with the process id. nvmlProcessInfo_v1_t has 16 bytes,
// nvmlProcessInfo_v2_t 24 and nvmlProcessDetail_v1_t 32.
constexpr unsigned process_entry_sizes[] = {16, 24, 32};
constexpr unsigned largest_process_entry = 32;

// A null pointer is a function that the library does not have.
struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*device_by_uuid)(const char*, Device*) = nullptr;
  Return (*clock)(Device, unsigned type, unsigned* mhz) = nullptr;
  Return (*power)(Device, unsigned* milliwatts) = nullptr;
  Return (*power_limit)(Device, unsigned* milliwatts) = nullptr;
  Return (*temperature)(Device, Temperature*) = nullptr;
  Return (*temperature_before_v1)(Device, unsigned sensor, unsigned* celsius) = nullptr;
  Return (*clock_event_reasons)(Device, unsigned long long* reasons) = nullptr;
  // `count`: how many entries there is room for, then how many there are.
  Return (*compute_processes)(Device, unsigned* count, void* entries) = nullptr;
};

}  // namespace kgrade::nvml
