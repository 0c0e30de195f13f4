// The roofline: what a device's rates say about the time of a case. These rates are the device's ceilings,
// and are kept in files. The model: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual
// Performance Model for Multicore Architectures", CACM 52(4), 2009. The bytes of a case are Case::bytes, or
// all tensors once; its operations are Case::flops. Times are in milliseconds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "device/device.h"
#include "problem/case.h"
#include "record/record.h"

namespace kgrade {

// Operations per second of an answer that reaches a class of precision, by the fastest unit that can give it:
//   fp32: fp32, or a third of tf32 or fp16, since three products of their 11 significant bits add up to
//   nearly
//         fp32 accuracy (H. Ootomo, R. Yokota, "Recovering single precision accuracy from Tensor Cores",
//         IJHPCA 36(4), 2022)
//   tf32: tf32 or fp16, which has as many significant bits; powers of two make up for its smaller range
//   bf16: bf16
//   none: whatever is fastest
// The rate is never lower than for a stricter class.
double arithmetic_rate(const Ceilings& ceilings, Precision precision);
// The rate for operands of a type. Products of 16-bit operands are exact in fp32, so their matrix units give
// answers of any class.
double arithmetic_rate(const Ceilings& ceilings, Precision precision, Dtype dtype);

// Nothing if a case has neither bytes nor operations.
std::optional<Floor> roofline_floor(const Case& bound, const Ceilings& ceilings, Precision precision);

// The floor's share of a time: 1 is as fast as the roofline allows. It exceeds 1, without any error, for an
// algorithm with fewer operations than the problem counts (Winograd's convolutions), for a kernel that reads
// much more than it writes (memory is read faster than it is copied), and for outputs that stay in the L2. It
// is 0 for a time of 0.
double share(double floor_ms, double time_ms);

// The floor of the candidate's class, and how near to it each arm comes. Nothing if the ceilings are unknown,
// or if the case gives neither bytes nor operations.
std::optional<CaseRoofline> roofline_of(const Case& bound, const CaseRecord& record,
                                        const std::optional<Ceilings>& ceilings);

// The least time that the hardware allows for a case, by any algorithm. Inputs come from memory if calls
// begin with a cold cache. Outputs need no memory as far as the L2 holds them. The same is true of inputs
// with a warm cache. The operations are a quarter of those that the problem counts (Winograd's F(2x2, 3x3)
// needs 1/2.25 of the multiplications, F(4x4, 3x3) a quarter: A. Lavin, S. Gray, "Fast Algorithms for
// Convolutional Neural Networks", CVPR 2016), at the rate of the device's fastest unit.
//
// The rate of a unit is the higher of its nominal peak and its measured ceiling, as far as they are known. So
// neither a wrong peak nor a disturbed measurement makes the bound larger. The ceiling counts with a margin
// of 1.15, since memory is read faster than it is copied. Without a peak to compare it with, the margin is 2
// for memory and 4 for arithmetic: the device may have been shared, and may have faster units than those
// measured. The bound is 0 if nothing is known.
double hardware_bound_ms(const Case& bound, const std::optional<Ceilings>& ceilings, const DeviceInfo& device,
                         CacheState cache = CacheState::cold);

// The share of the hardware's bound that remains when clocks are above the nominal ones. No honest time is
// below the bound times this.
inline constexpr double clock_slack = 0.9;

// Why these cannot be the ceilings of a device, in words, or nothing. A rate is implausible if it is not
// finite or not positive, if no device has it (memory outside 10^9 to 10^15 bytes per second, arithmetic
// outside 10^8 to 10^18 operations), or if it is over 20 % above the device's nominal peak.
std::optional<std::string> why_implausible(const Ceilings& ceilings, const DeviceInfo& device);

// The ceilings of devices are kept in files so that each device is measured once: <folder>/<uuid>.json, with
// the versions of the file's schema, of the driver and of the way that kgrade measures. Several runs may read
// and write there at once. A file is believed only if all of it fits the device at hand.

// Goes up with every change of what a device's measure_ceilings() measures, or how.
inline constexpr int ceilings_protocol = 1;

// This user's folder (base/text.h); empty if there is none.
std::filesystem::path ceilings_folder();

struct CachedCeilings {
  std::optional<Ceilings> ceilings;  // nothing: the device has no ceilings to measure, or no room
  bool measured_now = false;
  // Why a file was not believed, why ceilings cannot be kept, why a measurement was not believed. None of
  // them ends a run.
  Errors warnings;
};

// The ceilings in the file. If there are none, or with `remeasure`, measures the device and keeps the result.
// An empty folder keeps nothing, which is a warning if something was measured.
CachedCeilings load_or_measure(Device& device, const std::filesystem::path& folder, bool remeasure = false);

}  // namespace kgrade
