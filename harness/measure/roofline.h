// What a device's rates say about the time of a case, and where these rates, its ceilings, are kept. The
// roofline model: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model
// for Multicore Architectures", CACM 52(4), 2009. Bytes of a case are Case::bytes, or all tensors once;
// operations are Case::flops. Times are in milliseconds.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "problem/case.h"
#include "record/record.h"

namespace kgrade {

// Operations per second of an answer that reaches a class of precision, by the fastest unit that can give it:
//   fp32: fp32, or a third of tf32 or fp16, since three products of their 11 significant bits add up to one
//         of nearly fp32 accuracy (H. Ootomo, R. Yokota, "Recovering single precision accuracy from Tensor
//         Cores", IJHPCA 36(4), 2022)
//   tf32: tf32 or fp16, which has as many significant bits; what it lacks in range, powers of two make up for
//   bf16: bf16
//   none: whatever is fastest
// and never less than of a stricter class.
double arithmetic_rate(const Ceilings& ceilings, Precision precision);
// The same of operands of a type: the products of 16-bit ones are exact in fp32, so that their matrix units
// give answers of any class.
double arithmetic_rate(const Ceilings& ceilings, Precision precision, Dtype dtype);

// Nothing where a case has neither bytes nor operations.
std::optional<Floor> roofline_floor(const Case& bound, const Ceilings& ceilings, Precision precision);

// Which part of a time the floor is: 1 is as fast as the roofline allows. It exceeds 1, without anything
// being wrong, for an algorithm with fewer operations than the problem counts (Winograd's convolutions), for
// one that reads much more than it writes (memory is read faster than it is copied), and where outputs stay
// in the L2. 0 for a time of 0.
double share(double floor_ms, double time_ms);

// The floor of the class that the candidate reaches, and how near to it each arm comes. Nothing where the
// ceilings are not known, or the case says too little.
std::optional<CaseRoofline> roofline_of(const Case& bound, const CaseRecord& record,
                                        const std::optional<Ceilings>& ceilings);

// The least time that the hardware allows for a case, whatever the algorithm: inputs come from memory, where
// calls begin with a cold cache; as much as the L2 holds of the outputs, and with a warm cache of the inputs,
// need not; the operations are a quarter of those that the problem counts (Winograd's F(2x2, 3x3) needs
// 1/2.25 of the multiplications, F(4x4, 3x3) a quarter: A. Lavin, S. Gray, "Fast Algorithms for Convolutional
// Neural Networks", CVPR 2016), at the rate of the device's fastest unit. Of the nominal peak of a unit and
// its measured ceiling, each where it is known, the higher one sets the rate, so that neither a wrong peak
// nor a disturbed measurement makes the bound larger. The ceiling counts with a margin, since memory is read
// faster than it is copied: 1.15. Where there is no peak to hold it against, the margin is 2 for memory and 4
// for arithmetic: the device may have been shared, and may have units that are faster than those that were
// measured. 0 where nothing is known.
double hardware_bound_ms(const Case& bound, const std::optional<Ceilings>& ceilings, const DeviceInfo& device,
                         CacheState cache = CacheState::cold);

// Of the hardware's bound, what clocks above the nominal ones leave of it. No honest time is below the bound
// times this.
inline constexpr double clock_slack = 0.9;

// Why these cannot be the ceilings of a device, in words, or nothing: a rate that is not finite or not
// positive, that no device has (memory beyond 10^9 to 10^15 bytes a second, arithmetic beyond 10^8 to 10^18
// operations), or that lies over 20 % above the device's nominal peak.
std::optional<std::string> why_implausible(const Ceilings& ceilings, const DeviceInfo& device);

// The ceilings of devices are kept in files so that each is measured once: <folder>/<uuid>.json, with the
// versions of the file's schema, of the driver and of how kgrade measures. Several runs may read and write
// there at once. A file is believed only if all of it fits the device at hand.

// Goes up with every change of what measure_ceilings() of a device measures, or how.
inline constexpr int ceilings_protocol = 1;

// Of this user (base/user_cache.h); empty when there is none.
std::filesystem::path ceilings_folder();

struct CachedCeilings {
  std::optional<Ceilings> ceilings;  // nothing: the device has none to measure, or no room to
  bool measured_now = false;
  // Why a file was not believed, why ceilings cannot be kept, why a measurement was not believed. None of
  // them ends a run.
  Errors warnings;
};

// What the file says, or else what the device now measures; that is then kept. With `remeasure` the file is
// not read. An empty folder keeps nothing, which is a warning if something was measured.
CachedCeilings load_or_measure(Device& device, const std::filesystem::path& folder, bool remeasure = false);

}  // namespace kgrade
