#include "profile/kernel_profile.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <utility>

namespace kgrade {
namespace {

constexpr std::array<FactKind, 37> kinds = {{
    {"duration_us", "time", "us", Combine::sum},
    {"time_share", "share of the time", "share", Combine::sum},
    {"sm_pct", "busiest part of the SMs", "%"},
    {"memory_pct", "busiest part of the memory", "%"},
    {"dram_pct", "device memory, of its peak", "%"},
    {"dram_ceiling_pct", "device memory, of a copy's rate", "%"},
    {"dram_read_b", "read from device memory", "bytes", Combine::sum},
    {"dram_write_b", "written to device memory", "bytes", Combine::sum},
    {"arithmetic_ceiling_pct", "arithmetic, of its ceiling", "%"},
    {"fp32_flops", "fp32 operations", "", Combine::sum},
    {"fp64_flops", "fp64 operations", "", Combine::sum},
    {"fp16_flops", "fp16 operations", "", Combine::sum},
    {"tensor_pipe_pct", "tensor cores", "%"},
    {"occupancy_pct", "occupancy", "%"},
    {"theoretical_occupancy_pct", "occupancy, at most", "%"},
    {"waves", "waves of blocks", "", Combine::greatest},
    {"registers", "registers a thread", "", Combine::greatest},
    {"shared_static_b", "shared memory, static", "bytes", Combine::greatest},
    {"shared_dynamic_b", "shared memory, dynamic", "bytes", Combine::greatest},
    {"local_b", "local memory a thread", "bytes", Combine::greatest},
    {"local_sectors", "sectors of local memory", "", Combine::sum},
    {"local_pct", "local memory, of all L1 sectors", "%"},
    {"l1_hit_pct", "L1 hits", "%"},
    {"l2_hit_pct", "L2 hits", "%"},
    {"load_sectors_per_request", "sectors a load", ""},
    {"store_sectors_per_request", "sectors a store", ""},
    {"load_bytes_per_sector", "bytes used of a sector, loads", ""},
    {"store_bytes_per_sector", "bytes used of a sector, stores", ""},
    {"shared_conflicts", "bank conflicts", "", Combine::sum},
    {"shared_conflict_pct", "bank conflicts, of all passes", "%"},
    {"threads_per_instruction", "threads an instruction, of 32", ""},
    {"partial_request_pct", "requests by part of a warp", "%"},
    {"issue_pct", "cycles that issue", "%"},
    {"warp_latency", "cycles between instructions of a warp", ""},
    {"accesses", "accesses of threads", "", Combine::sum},
    {"atomics", "atomics", "", Combine::sum},
    {"barriers", "barriers of blocks", "", Combine::sum},
}};

// A fact that is one counter times a factor.
struct Copied {
  const char* fact;
  const char* metric;
  double factor = 1;
};
constexpr std::array<Copied, 20> copied = {{
    {"duration_us", "gpu__time_duration.sum", 1e-3},
    {"sm_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"memory_pct", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram_pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"dram_read_b", "dram__bytes_read.sum"},
    {"dram_write_b", "dram__bytes_write.sum"},
    {"tensor_pipe_pct", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    {"occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    {"theoretical_occupancy_pct", "sm__maximum_warps_per_active_cycle_pct"},
    {"waves", "launch__waves_per_multiprocessor"},
    {"registers", "launch__registers_per_thread"},
    {"shared_static_b", "launch__shared_mem_per_block_static"},
    {"shared_dynamic_b", "launch__shared_mem_per_block_dynamic"},
    {"l1_hit_pct", "l1tex__t_sector_hit_rate.pct"},
    {"l2_hit_pct", "lts__t_sector_hit_rate.pct"},
    {"load_bytes_per_sector", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio"},
    {"store_bytes_per_sector", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio"},
    {"threads_per_instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"},
    {"issue_pct", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    {"warp_latency", "smsp__average_warp_latency_per_inst_issued.ratio"},
}};

constexpr const char* load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* store_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr const char* load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* store_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr const char* local_loads = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
constexpr const char* local_stores = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";
constexpr const char* load_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
constexpr const char* store_conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
constexpr const char* load_passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr const char* store_passes = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
constexpr std::array<const char*, 10> counted_facts = {
    load_sectors, store_sectors,  load_requests,   store_requests, local_loads,
    local_stores, load_conflicts, store_conflicts, load_passes,    store_passes};

constexpr const char* stall_prefix = "smsp__average_warps_issue_stalled_";
constexpr const char* stall_suffix = "_per_issue_active.ratio";
constexpr std::array<const char*, 18> stall_reasons = {
    "barrier",        "branch_resolving", "dispatch_stall",     "drain",    "gmma",         "imc_miss",
    "lg_throttle",    "long_scoreboard",  "math_pipe_throttle", "membar",   "mio_throttle", "misc",
    "no_instruction", "not_selected",     "short_scoreboard",   "sleeping", "tex_throttle", "wait"};

struct Limit {
  const char* name;
  const char* metric;
};
constexpr std::array<Limit, 4> limits = {{{"registers", "launch__occupancy_limit_registers"},
                                          {"shared_memory", "launch__occupancy_limit_shared_mem"},
                                          {"warps", "launch__occupancy_limit_warps"},
                                          {"blocks", "launch__occupancy_limit_blocks"}}};

// The number of operations in an instruction of a thread. Half-precision instructions work on pairs.
struct Operation {
  const char* name;
  double operations;
};
constexpr std::array<Operation, 3> fp32_operations = {{{"fadd", 1}, {"fmul", 1}, {"ffma", 2}}};
constexpr std::array<Operation, 3> fp64_operations = {{{"dadd", 1}, {"dmul", 1}, {"dfma", 2}}};
constexpr std::array<Operation, 3> fp16_operations = {{{"hadd", 2}, {"hmul", 2}, {"hfma", 4}}};

std::string metric_of(const Operation& operation) {
  return fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", operation.name);
}

using Value = std::optional<double>;

const Value* find(const Counters& counters, std::string_view name) {
  const auto found = counters.find(name);
  return found != counters.end() ? &found->second : nullptr;
}

// Sets a fact that is computed from counters. It is null if one of the counters is null. It is not set if one
// is absent.
template <class Function, class... Names>
void set(Counters& facts, const char* fact, const Counters& counters, Function function, Names... names) {
  const std::array<const Value*, sizeof...(names)> values = {find(counters, names)...};
  if (std::any_of(values.begin(), values.end(), [](const Value* value) { return value == nullptr; })) return;
  if (std::any_of(values.begin(), values.end(), [](const Value* value) { return !value->has_value(); })) {
    facts[fact] = std::nullopt;
    return;
  }
  const Value result = std::apply([&](auto*... each) { return function(**each...); }, values);
  if (result) facts[fact] = *result;
}

// Null if the divisor is not positive.
Value ratio(double a, double b) { return b > 0 ? Value(a / b) : std::nullopt; }

void set_flops(Counters& facts, const char* fact, const Counters& counters,
               const std::array<Operation, 3>& operations) {
  double total = 0;
  for (const Operation& operation : operations) {
    const Value* const count = find(counters, metric_of(operation));
    if (count == nullptr) return;
    if (!*count) {
      facts[fact] = std::nullopt;
      return;
    }
    total += **count * operation.operations;
  }
  facts[fact] = total;
}

double weight_of(const KernelProfile& kernel) {
  const double time = kernel.fact("duration_us").value_or(0);
  return time > 0 ? time : 1;
}

// Merges `other` into `into`. Each side has the weight of its launches.
void merge(Counters& into, const Counters& other, double weight, double other_weight) {
  for (const FactKind& kind : kinds) {
    const auto theirs = other.find(kind.name);
    if (theirs == other.end()) continue;
    Value& ours = into.try_emplace(std::string(kind.name), theirs->second).first->second;
    if (!ours || !theirs->second) continue;
    if (kind.combine == Combine::sum) *ours += *theirs->second;
    if (kind.combine == Combine::greatest) *ours = std::max(*ours, *theirs->second);
    if (kind.combine == Combine::mean)
      *ours = (*ours * weight + *theirs->second * other_weight) / (weight + other_weight);
  }
}

}  // namespace

std::optional<double> KernelProfile::fact(std::string_view fact_name) const {
  const Value* const value = find(facts, fact_name);
  return value != nullptr ? *value : std::nullopt;
}

bool KernelProfile::is_like(const KernelProfile& other) const {
  return name == other.name && grid == other.grid && block == other.block;
}

void KernelProfile::scale_sums(int of_launches) {
  if (launches <= 0 || launches == of_launches) return;
  for (const FactKind& kind : kinds) {
    const auto found = facts.find(kind.name);
    if (kind.combine == Combine::sum && kind.name != "duration_us" && found != facts.end() && found->second)
      *found->second *= static_cast<double>(of_launches) / launches;
  }
}

std::span<const FactKind> fact_kinds() { return kinds; }

std::vector<std::string> ncu_metrics(bool with_instructions) {
  std::vector<std::string> names;
  for (const Copied& one : copied) names.emplace_back(one.metric);
  names.insert(names.end(), counted_facts.begin(), counted_facts.end());
  for (const char* const reason : stall_reasons)
    names.push_back(fmt::format("{}{}{}", stall_prefix, reason, stall_suffix));
  for (const Limit& limit : limits) names.emplace_back(limit.metric);
  for (const auto& operations : {fp32_operations, fp64_operations, fp16_operations}) {
    for (const Operation& operation : operations) names.push_back(metric_of(operation));
  }
  if (!with_instructions) {
    std::erase_if(names, [](const std::string& name) { return name.starts_with("smsp__sass_"); });
  }
  return names;
}

Counters facts_of(const Counters& counters) {
  Counters facts;
  for (const Copied& one : copied) {
    const Value* const value = find(counters, one.metric);
    if (value != nullptr) facts[one.fact] = *value ? Value(**value * one.factor) : std::nullopt;
  }
  set(facts, "load_sectors_per_request", counters, ratio, load_sectors, load_requests);
  set(facts, "store_sectors_per_request", counters, ratio, store_sectors, store_requests);
  const auto sum = [](double a, double b) { return Value(a + b); };
  set(facts, "local_sectors", counters, sum, local_loads, local_stores);
  set(facts, "shared_conflicts", counters, sum, load_conflicts, store_conflicts);
  set(
      facts, "shared_conflict_pct", counters,
      [](double a, double b, double c, double d) { return ratio(100 * (a + b), c + d); }, load_conflicts,
      store_conflicts, load_passes, store_passes);
  set(
      facts, "local_pct", counters,
      [](double a, double b, double c, double d) { return ratio(100 * (a + b), a + b + c + d); }, local_loads,
      local_stores, load_sectors, store_sectors);
  set_flops(facts, "fp32_flops", counters, fp32_operations);
  set_flops(facts, "fp64_flops", counters, fp64_operations);
  set_flops(facts, "fp16_flops", counters, fp16_operations);
  return facts;
}

Counters stalls_of(const Counters& counters) {
  Counters stalls;
  for (const char* const reason : stall_reasons) {
    const Value* const value = find(counters, fmt::format("{}{}{}", stall_prefix, reason, stall_suffix));
    if (value != nullptr) stalls[reason] = *value;
  }
  return stalls;
}

std::vector<std::string> occupancy_limits_of(const Counters& counters) {
  std::vector<std::string> least;
  double blocks = HUGE_VAL;
  for (const Limit& limit : limits) {
    const Value* const value = find(counters, limit.metric);
    if (value == nullptr || !*value || !(**value <= blocks)) continue;
    if (**value < blocks) least.clear();
    blocks = **value;
    least.emplace_back(limit.name);
  }
  return least;
}

void add_shares(std::vector<KernelProfile>& kernels, const std::optional<Ceilings>& ceilings) {
  double total = 0;
  for (const KernelProfile& kernel : kernels) total += kernel.fact("duration_us").value_or(0);
  for (KernelProfile& kernel : kernels) {
    const auto time = kernel.fact("duration_us");
    if (!time || !(*time > 0)) continue;
    if (total > 0) kernel.facts["time_share"] = *time / total;
    if (!ceilings) continue;
    const double seconds = *time * 1e-6;
    const auto percent = [seconds](double amount, double rate) { return 100 * amount / seconds / rate; };
    const auto read = kernel.fact("dram_read_b");
    const auto written = kernel.fact("dram_write_b");
    if (read && written && ceilings->copy_bytes_per_second > 0)
      kernel.facts["dram_ceiling_pct"] = percent(*read + *written, ceilings->copy_bytes_per_second);
    double arithmetic = 0;
    bool known = false;
    for (const auto& [fact, rate] : {std::pair{"fp32_flops", ceilings->fp32_flops_per_second},
                                     std::pair{"fp64_flops", ceilings->fp64_flops_per_second}}) {
      const auto flops = kernel.fact(fact);
      if (!flops || !(rate > 0)) continue;
      known = true;
      arithmetic = std::max(arithmetic, percent(*flops, rate));
    }
    if (known) kernel.facts["arithmetic_ceiling_pct"] = arithmetic;
  }
}

std::vector<KernelProfile> combined(std::vector<KernelProfile> launches) {
  std::vector<KernelProfile> kernels;
  std::vector<double> weights;
  for (KernelProfile& launch : launches) {
    const auto known = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const KernelProfile& kernel) { return kernel.is_like(launch); });
    const double weight = weight_of(launch);
    if (known == kernels.end()) {
      kernels.push_back(std::move(launch));
      weights.push_back(weight);
      continue;
    }
    double& sum = weights[static_cast<std::size_t>(known - kernels.begin())];
    merge(known->facts, launch.facts, sum, weight);
    for (auto& [reason, cycles] : known->stalls) {
      const Value* const theirs = find(launch.stalls, reason);
      if (cycles && theirs != nullptr && *theirs)
        cycles = (*cycles * sum + **theirs * weight) / (sum + weight);
    }
    known->launches += launch.launches;
    sum += weight;
  }
  return kernels;
}

std::string short_name(const std::string& kernel) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 && text != nullptr ? text.get() : kernel;
  if (name.ends_with(')')) {
    // The parameters: the last parentheses that are not within others or within template arguments.
    int depth = 0;
    std::size_t at = name.size();
    do {
      --at;
      depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
    } while (at > 0 && depth > 0);
    if (at > 0) name.resize(at);
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

}  // namespace kgrade
