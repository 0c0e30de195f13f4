#include "profile/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kgrade {
namespace {

// NVIDIA's documents: "CUDA C++ Best Practices Guide" and Nsight Compute's "Profiling Guide".
#define KGRADE_BEST_PRACTICES(section) "CUDA C++ Best Practices Guide, \"" section "\""
#define KGRADE_PROFILING_GUIDE(section) "Nsight Compute Profiling Guide, \"" section "\""

// The number of sectors of 32 bytes that a warp touches when it loads adjacent 4-byte words.
constexpr double coalesced_sectors = 4;
constexpr double half_a_sector = 16;
// A part of the device that is busier than the first number limits the kernel. A part that is less busy than
// the second number does not. Nsight Compute's section "GPU Speed Of Light Throughput" has a rule with the
// same thresholds.
constexpr double busy_pct = 80;
constexpr double idle_pct = 60;
// No kernel is expected to come nearer to a measured ceiling than this.
constexpr double ceiling_pct = 85;
constexpr double few_conflicts_pct = 20;
constexpr double few_local_pct = 5;
constexpr double low_occupancy_pct = 50;
// A share of all blocks that the device holds at once.
constexpr double few_waves = 0.75;
constexpr double full_warp = 32;
constexpr double divergent_threads = 24;
constexpr double partial_requests_pct = 50;
constexpr double top_stall_share = 0.3;
// A share of a kernel's time for arithmetic that is not on tensor cores.
constexpr double much_arithmetic_pct = 30;
// A multiprocessor that issues in at least this share of its cycles has little time left to issue more.
constexpr double many_issues_pct = 65;

using Text = std::optional<std::string>;

struct Rule {
  const char* name;
  const char* source;
  const char* worst;  // whose place in the source is shown: WorstPlace::what; null: none
  Text (*apply)(const KernelProfile& kernel, const ProfiledProblem& problem);
};

// True if no part of the device that could limit the kernel is busy. Then the kernel waits.
bool is_waiting(const KernelProfile& kernel) {
  const auto sm = kernel.fact("sm_pct");
  const auto memory = kernel.fact("memory_pct");
  return sm && memory && *sm < idle_pct && *memory < idle_pct;
}

Text uncoalesced(const KernelProfile& kernel, const char* sectors_fact, const char* bytes_fact,
                 const char* what, const char* whose) {
  const auto sectors = kernel.fact(sectors_fact);
  const auto bytes = kernel.fact(bytes_fact);
  if (!sectors || !bytes || *sectors <= coalesced_sectors * 1.25 || *bytes >= half_a_sector)
    return std::nullopt;
  return fmt::format(
      "a warp's {} touches {:.1f} sectors and uses {:.1f} of the 32 bytes of each: let threads next to each "
      "other {} addresses next to each other, or go through shared memory",
      what, *sectors, *bytes, whose);
}

Text bank_conflicts(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto share = kernel.fact("shared_conflict_pct");
  if (!share || *share < few_conflicts_pct) return std::nullopt;
  return fmt::format(
      "{:.0f} % of the passes over shared memory are bank conflicts: pad rows by one element, or swizzle the "
      "index",
      *share);
}

Text local_memory(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto share = kernel.fact("local_pct");
  if (share && *share >= few_local_pct)
    return fmt::format(
        "{:.0f} % of the L1's sectors are local memory: registers spill, or an array is indexed by a "
        "variable; "
        "use fewer live values, allow more registers, or unroll the loop",
        *share);
  const auto bytes = kernel.fact("local_b");
  if (share || !bytes || *bytes <= 0) return std::nullopt;
  return fmt::format(
      "each thread has {:.0f} bytes of local memory: registers spill, or an array is indexed by a variable",
      *bytes);
}

Text at_memory_ceiling(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto share = kernel.fact("dram_ceiling_pct");
  if (!share || *share < ceiling_pct) return std::nullopt;
  return fmt::format(
      "it moves {:.0f} % of what a copy moves in that time: only fewer bytes make it faster (reuse, fusion, "
      "narrower types)",
      *share);
}

Text at_arithmetic_ceiling(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto share = kernel.fact("arithmetic_ceiling_pct");
  if (!share || *share < ceiling_pct) return std::nullopt;
  return fmt::format(
      "it does {:.0f} % of the arithmetic that the units can: only fewer operations, or tensor cores, make "
      "it "
      "faster",
      *share);
}

Text busy_memory(const KernelProfile& kernel, const ProfiledProblem& problem) {
  const auto memory = kernel.fact("memory_pct");
  const auto dram = kernel.fact("dram_pct");
  if (!memory || !dram || *memory < busy_pct || *dram >= idle_pct || at_memory_ceiling(kernel, problem))
    return std::nullopt;
  return fmt::format(
      "the caches or shared memory are busy for {:.0f} % of the time, device memory for {:.0f} %: keep more "
      "in "
      "registers, and load wider words",
      *memory, *dram);
}

Text no_tensor_cores(const KernelProfile& kernel, const ProfiledProblem& problem) {
  const auto tensor = kernel.fact("tensor_pipe_pct");
  const auto arithmetic = kernel.fact("arithmetic_ceiling_pct");
  if (!problem.has_narrow_type || !tensor || *tensor >= 1 || !arithmetic || *arithmetic < much_arithmetic_pct)
    return std::nullopt;
  return fmt::format(
      "fp32 units do the arithmetic ({:.0f} % of their ceiling) and tensor cores none: they multiply this "
      "type "
      "faster (mma, wmma, wgmma)",
      *arithmetic);
}

Text small_grid(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto waves = kernel.fact("waves");
  if (!waves || *waves >= few_waves) return std::nullopt;
  return fmt::format(
      "the grid fills {:.0f} % of the places for blocks that the device has: use more, smaller blocks, or "
      "give "
      "each thread less work",
      100 * *waves);
}

struct LimitWords {
  const char* limit;
  const char* name;
  const char* remedy;
};
// There is no advice for "warps", because then a multiprocessor already holds as many warps as it can.
constexpr std::array<LimitWords, 3> limit_words = {{
    {"registers", "registers", "__launch_bounds__, or fewer live values"},
    {"shared_memory", "shared memory", "smaller tiles, or fewer stages"},
    {"blocks", "the number of blocks", "use larger blocks"},
}};

Text low_occupancy(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto most = kernel.fact("theoretical_occupancy_pct");
  // Few warps do no harm to a kernel that keeps a part of the device busy.
  if (!most || *most >= low_occupancy_pct || !is_waiting(kernel)) return std::nullopt;
  std::vector<std::string> names, remedies;
  for (const LimitWords& words : limit_words) {
    const auto& limits = kernel.occupancy_limits;
    if (std::find(limits.begin(), limits.end(), words.limit) == limits.end()) continue;
    names.emplace_back(words.name);
    remedies.emplace_back(words.remedy);
  }
  if (names.empty()) return std::nullopt;
  // If several limits are equal, a remedy for only one of them does not change the number of blocks.
  return fmt::format("a multiprocessor holds {:.0f} % of its warps, limited by {}: {}", *most,
                     fmt::join(names, " and by "), fmt::join(remedies, "; and "));
}

Text uneven_work(const KernelProfile& kernel, const ProfiledProblem&) {
  const auto most = kernel.fact("theoretical_occupancy_pct");
  const auto now = kernel.fact("occupancy_pct");
  const auto waves = kernel.fact("waves");
  if (!most || !now || !waves || *waves < 1 || *now >= 0.6 * *most || !is_waiting(kernel))
    return std::nullopt;
  return fmt::format(
      "{:.0f} % of the warps are there, and {:.0f} % would fit: blocks differ in length, or the last wave of "
      "blocks is small",
      *now, *most);
}

Text divergence(const KernelProfile& kernel, const ProfiledProblem&) {
  if (const auto threads = kernel.fact("threads_per_instruction"); threads && *threads < divergent_threads)
    return fmt::format(
        "an instruction runs for {:.1f} of a warp's {:.0f} threads: let the threads of a warp take the same "
        "branch",
        *threads, full_warp);
  const auto partial = kernel.fact("partial_request_pct");
  if (!partial || *partial < partial_requests_pct) return std::nullopt;
  return fmt::format(
      "{:.0f} % of the memory requests come from part of a warp: let the threads of a warp take the same "
      "branch",
      *partial);
}

Text many_instructions(const KernelProfile& kernel, const ProfiledProblem& problem) {
  const auto issues = kernel.fact("issue_pct");
  // The share of arithmetic is unknown for a long kernel, because its instructions are not counted by kind.
  const double arithmetic = kernel.fact("arithmetic_ceiling_pct").value_or(0);
  const double tensor = kernel.fact("tensor_pipe_pct").value_or(0);
  // If warps are half empty, that explains the large number of instructions.
  if (divergence(kernel, problem)) return std::nullopt;
  if (!issues || *issues < many_issues_pct || arithmetic >= much_arithmetic_pct ||
      tensor >= much_arithmetic_pct)
    return std::nullopt;
  return fmt::format(
      "a multiprocessor issues instructions in {:.0f} % of its cycles, so only fewer instructions make it "
      "faster: "
      "compute several outputs in each thread, move index arithmetic and conditions out of loops, load wider "
      "words",
      *issues);
}

struct StallWords {
  const char* reason;
  const char* words;
};
// The reasons for stalls for which there is advice. Other reasons are normal for a busy kernel.
constexpr std::array<StallWords, 10> stall_words = {{
    {"long_scoreboard", "data of global or local memory: load earlier, load more at once, or reuse it"},
    {"short_scoreboard", "data of shared memory or of special functions: use fewer, wider accesses"},
    {"lg_throttle", "the queue of global and local accesses: use fewer, wider accesses"},
    {"mio_throttle", "the queue of shared memory and special functions: use fewer, wider accesses"},
    {"barrier", "other warps at a barrier: use smaller blocks, or fewer barriers"},
    {"math_pipe_throttle", "a busy arithmetic unit: use other units, or fewer operations"},
    {"membar", "memory fences: use fewer or narrower ones"},
    {"branch_resolving", "the target of a branch: use fewer branches"},
    {"no_instruction", "instructions: the code is larger than the cache, or jumps far"},
    {"wait", "fixed latencies of instructions: use more independent operations, or more warps"},
}};

Text top_stall(const KernelProfile& kernel, const ProfiledProblem& problem) {
  const auto latency = kernel.fact("warp_latency");
  if (!latency || !(*latency > 0)) return std::nullopt;
  // A unit at its ceiling makes warps wait, and the kernel would not become faster with less waiting.
  if (at_memory_ceiling(kernel, problem) || at_arithmetic_ceiling(kernel, problem)) return std::nullopt;
  const auto top = std::max_element(
      kernel.stalls.begin(), kernel.stalls.end(),
      [](const auto& a, const auto& b) { return a.second.value_or(0) < b.second.value_or(0); });
  if (top == kernel.stalls.end() || top->second.value_or(0) < top_stall_share * *latency) return std::nullopt;
  const auto words = std::find_if(stall_words.begin(), stall_words.end(),
                                  [&](const StallWords& one) { return top->first == one.reason; });
  if (words == stall_words.end()) return std::nullopt;
  return fmt::format("{:.0f} % of a warp's time goes to waiting for {}", 100 * *top->second / *latency,
                     words->words);
}

const std::array<Rule, 14> rules = {{
    {"memory-ceiling", KGRADE_BEST_PRACTICES("Effective Bandwidth Calculation"), nullptr, &at_memory_ceiling},
    {"arithmetic-ceiling", KGRADE_PROFILING_GUIDE("Roofline Charts"), nullptr, &at_arithmetic_ceiling},
    {"uncoalesced-loads", KGRADE_BEST_PRACTICES("Coalesced Access to Global Memory"), "loads",
     [](const KernelProfile& kernel, const ProfiledProblem&) {
       return uncoalesced(kernel, "load_sectors_per_request", "load_bytes_per_sector", "load", "read");
     }},
    {"uncoalesced-stores", KGRADE_BEST_PRACTICES("Coalesced Access to Global Memory"), "stores",
     [](const KernelProfile& kernel, const ProfiledProblem&) {
       return uncoalesced(kernel, "store_sectors_per_request", "store_bytes_per_sector", "store", "write");
     }},
    {"bank-conflicts", KGRADE_BEST_PRACTICES("Shared Memory and Memory Banks"), "shared", &bank_conflicts},
    {"local-memory", KGRADE_BEST_PRACTICES("Local Memory"), nullptr, &local_memory},
    {"no-tensor-cores", KGRADE_PROFILING_GUIDE("Pipelines"), nullptr, &no_tensor_cores},
    {"busy-caches", KGRADE_PROFILING_GUIDE("Memory Chart"), nullptr, &busy_memory},
    {"many-instructions", KGRADE_BEST_PRACTICES("Instruction Optimization"), nullptr, &many_instructions},
    {"small-grid", KGRADE_BEST_PRACTICES("Thread and Block Heuristics"), nullptr, &small_grid},
    {"low-occupancy", KGRADE_BEST_PRACTICES("Occupancy"), nullptr, &low_occupancy},
    {"uneven-work", KGRADE_PROFILING_GUIDE("Sections and Rules"), nullptr, &uneven_work},
    {"divergence", KGRADE_BEST_PRACTICES("Branching and Divergence"), nullptr, &divergence},
    {"top-stall", KGRADE_PROFILING_GUIDE("Warp Stall Reasons"), "stall", &top_stall},
}};

}  // namespace

std::vector<Advice> advice_on(const KernelProfile& kernel, const ProfiledProblem& problem) {
  std::vector<Advice> all;
  for (const Rule& rule : rules) {
    auto text = rule.apply(kernel, problem);
    if (!text) continue;
    Advice advice{rule.name, std::move(*text), rule.source, std::nullopt};
    if (rule.worst != nullptr) {
      const auto worst = std::find_if(kernel.worst.begin(), kernel.worst.end(),
                                      [&](const WorstPlace& place) { return place.what == rule.worst; });
      if (worst != kernel.worst.end()) advice.place = worst->place;
    }
    all.push_back(std::move(advice));
  }
  return all;
}

std::vector<Advice> all_rules() {
  std::vector<Advice> all;
  for (const Rule& rule : rules) all.push_back({rule.name, "", rule.source, std::nullopt});
  return all;
}

}  // namespace kgrade
