#include "base/usable_cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/own_control_group.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;

// Processor time in each period, both in microseconds: a limit of quota / period processors. Without a limit,
// version 2 has "max" in the place of the quota, and version 1 has -1.
double limit_of(std::istream& quota, std::istream& period) {
  double of_each_period = 0;
  double length = 0;
  if (!(quota >> of_each_period) || !(period >> length) || of_each_period <= 0 || length <= 0) return 0;
  return of_each_period / length;
}

double limit_of(const fs::path& group) {
  std::ifstream both(group / "cpu.max");  // version 2
  if (both) return limit_of(both, both);
  std::ifstream quota(group / "cpu.cfs_quota_us");  // version 1
  std::ifstream period(group / "cpu.cfs_period_us");
  return limit_of(quota, period);
}

void lower(double& least, double limit) {
  if (limit > 0 && (least <= 0 || limit < least)) least = limit;
}

int cores_of_affinity() {
  // A machine may have more processors than the usual set has room for.
  for (int most = CPU_SETSIZE; most <= CPU_SETSIZE * 64; most *= 4) {
    cpu_set_t* const set = CPU_ALLOC(most);
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    const int count = ::sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return count;
  }
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace

double processor_limit(const fs::path& hierarchy, const fs::path& group) {
  double least = 0;
  for (fs::path path = group.relative_path();; path = path.parent_path()) {
    lower(least, limit_of(hierarchy / path));
    if (path.empty()) return least;
  }
}

int usable_cores() {
  const int cores = cores_of_affinity();
  double limit = 0;
  // A machine may have both versions of control groups, with the limits in one of them.
  for (const char* controller : {"", "cpu"}) {
    const auto top = control_groups(controller);
    const auto own = own_control_group(controller);
    if (top && own) lower(limit, processor_limit(*top, own->lexically_relative(*top)));
  }
  return limit > 0 ? std::clamp(static_cast<int>(std::lround(limit)), 1, cores) : cores;
}

}  // namespace kgrade
