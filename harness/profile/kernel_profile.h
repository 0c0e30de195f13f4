// What is known of one kernel of a candidate: facts by name. The names are the same for every source: Nsight
// Compute's counters, CUPTI's records of activity, and the emulated device's counts of accesses. If a source
// does not have a fact, the fact is absent. If a source could not count it (NaN), it is null.
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

// The place in the source with the largest count of something.
struct WorstPlace {
  std::string what;  // "loads", "shared", "stall"
  FindingPlace place;
  double share = 0;  // its share of the whole count
};

struct KernelProfile {
  std::string name;     // demangled, without parameters
  std::string mangled;  // as its binary names it
  bool own = true;      // the candidate's, not a library's
  int launches = 0;     // in the profiled call, with this grid and block
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  Counters facts;  // by the names of facts()
  // The limits that allow the fewest blocks: "registers", "shared_memory", "blocks", "warps". Empty: unknown.
  std::vector<std::string> occupancy_limits;
  Counters stalls;  // by reason: cycles that a warp waited between two instructions
  std::vector<WorstPlace> worst;
  std::vector<Advice> advice;

  bool is_like(const KernelProfile& other) const;
  // Scales the sums to this number of launches, as if all launches were alike.
  void scale_sums(int of_launches);

  // The fact with this name. Nothing if it is absent or null.
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

// The facts that follow from counters of Nsight Compute (ncu_metrics). A fact is left out if its counters are
// absent.
Counters facts_of(const Counters& counters);
// The reasons for stalls, in cycles.
Counters stalls_of(const Counters& counters);
// The limits of occupancy that allow the fewest blocks, from the counters. Several limits can allow the same
// number.
std::vector<std::string> occupancy_limits_of(const Counters& counters);

// The metrics to ask Nsight Compute for: all of them, or only those for which it puts no code into the
// kernel. Each metric is named, because the sets of sections differ between versions of Nsight Compute.
std::vector<std::string> ncu_metrics(bool with_instructions);

// Adds facts that are computed from others: shares of the time, and rates as shares of the device's measured
// ceilings.
void add_shares(std::vector<KernelProfile>& kernels, const std::optional<Ceilings>& ceilings);

// Combines the launches of each kernel with the same grid and block into one profile. Profiles are in the
// order of their first launches.
std::vector<KernelProfile> combined(std::vector<KernelProfile> launches);

// "tile_mm<128>" for "void tile_mm<128>(float const*, float*)" or its mangled form.
std::string short_name(const std::string& kernel);

}  // namespace kgrade
