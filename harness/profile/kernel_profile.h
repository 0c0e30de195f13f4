// What is known of one kernel of a candidate: facts by name, with the same names from every source (Nsight
// Compute's counters, CUPTI's records of activity, the emulated device's counts of accesses). A fact that a
// source does not have is absent, and one that a source could not count (NaN) is a null.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/finding.h"
#include "record/device_info.h"

namespace kgrade {

// Null: the counter exists and counted nothing (NaN).
using Counters = std::map<std::string, std::optional<double>, std::less<>>;

// One line of advice, from the table in advice.cc.
struct Advice {
  std::string rule;     // "uncoalesced-loads"
  std::string message;  // what was counted, and what to do
  std::string source;   // the section of NVIDIA's document that the rule comes from
  std::optional<FindingPlace> place;
};

// The place in the source with the most of something.
struct WorstPlace {
  std::string what;  // "loads", "shared", "stall"
  FindingPlace place;
  double share = 0;  // of all of it
};

struct KernelProfile {
  std::string name;     // demangled, without parameters
  std::string mangled;  // as its binary names it
  bool own = true;      // the candidate's, not a library's
  int launches = 0;     // in the profiled call, with this grid and block
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  Counters facts;  // by the names of facts()
  // Those that allow the fewest blocks: "registers", "shared_memory", "blocks", "warps". Empty: unknown.
  std::vector<std::string> occupancy_limits;
  Counters stalls;  // by reason: cycles between two instructions of a warp that it waited
  std::vector<WorstPlace> worst;
  std::vector<Advice> advice;

  bool is_like(const KernelProfile& other) const;
  // Makes the sums those of so many launches, as far as the launches are alike.
  void scale_sums(int of_launches);

  // Nothing if it is absent or null.
  std::optional<double> fact(std::string_view fact_name) const;
};

// How the facts of several launches become one.
enum class Combine { sum, mean, greatest };

struct FactKind {
  std::string_view name;   // in the record
  std::string_view label;  // in the table
  std::string_view unit;   // "us", "bytes", "%", ""
  Combine combine = Combine::mean;
};

// All facts, in the order in which they are printed.
std::span<const FactKind> fact_kinds();

// The facts that follow from counters of Nsight Compute (ncu_metrics). Counters that are absent leave their
// facts out.
Counters facts_of(const Counters& counters);
// The reasons for stalls, in cycles.
Counters stalls_of(const Counters& counters);
// Which of the limits that the counters name are the least. Several can allow the same number of blocks.
std::vector<std::string> occupancy_limits_of(const Counters& counters);

// All metrics that Nsight Compute is asked for, or those for which it puts no code into the kernel. Each is
// named, so that a version of its own sets of sections changes nothing.
std::vector<std::string> ncu_metrics(bool with_instructions);

// Adds what follows from the facts and the measured ceilings of the device: shares of the time, and rates
// as shares of the ceilings.
void add_shares(std::vector<KernelProfile>& kernels, const std::optional<Ceilings>& ceilings);

// Makes one of the launches of each kernel with the same grid and block, in the order of their first ones.
std::vector<KernelProfile> combined(std::vector<KernelProfile> launches);

// "tile_mm<128>" for "void tile_mm<128>(float const*, float*)" or its mangled form.
std::string short_name(const std::string& kernel);

}  // namespace kgrade
