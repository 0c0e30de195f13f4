// Builds contestants into the cache while other candidates are graded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sweep/lane.h"
#include "sweep/plan.h"

namespace kgrade {

struct SweepOptions;

// Runs lanes that only build. They fill the cache with oracles, references, baselines and candidates just
// before these are needed. They stay close ahead of the grading, because a contestant that is built too early
// is evicted from the cache before it is used. A failed build is reported by the grading. The destructor ends
// the lanes and their compilers.
class BuildAhead {
 public:
  // Tasks whose contestants a builder may have built before they are graded.
  static constexpr std::size_t tasks_per_builder = 4;

  // Has `options.build_jobs` builders, or none if there is no cache. Keeps references to both arguments.
  BuildAhead(const SweepPlan& plan, const SweepOptions& options);

  // How many upcoming tasks go_on() considers.
  std::size_t horizon() const { return builders_.size() * tasks_per_builder; }
  // Gives work to idle builders. `upcoming`: tasks in the order in which they will be graded.
  void go_on(const std::vector<std::size_t>& upcoming);
  // Call when the task has ended: its builds may leave the cache.
  void finished(std::size_t task) { held_.erase(task); }

  // No builder has work.
  bool is_idle() const;
  // Descriptors to wait for. When one is readable, call hear() with it.
  std::vector<int> descriptors() const;
  void hear(int descriptor);

 private:
  struct Builder {
    std::optional<Lane> lane;
    std::optional<std::size_t> task;  // for which it builds
  };

  std::optional<LaneJob> next_job(const std::vector<std::size_t>& upcoming, std::size_t& task);
  bool has_room() const;
  void end_job(Builder& builder, std::uint64_t bytes);

  const SweepPlan& plan_;
  const SweepOptions& options_;
  std::uint64_t cache_limit_ = 0;
  std::vector<Builder> builders_;
  std::vector<bool> begun_;                         // by task
  std::vector<bool> trusted_begun_;                 // by group
  std::map<std::size_t, std::uint64_t> held_;       // bytes in the cache for each task
  std::uint64_t largest_ = std::uint64_t{1} << 20;  // of one job; a guess until the first job has ended
};

}  // namespace kgrade
