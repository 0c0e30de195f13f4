// Fills the cache of built contestants while others grade.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sweep/lane.h"
#include "sweep/plan.h"

namespace kgrade {

struct SweepOptions;

// Lanes that only build: they fill the cache with oracles, references, baselines and candidates just before
// those are needed. They stay close ahead of the grading, since what is built too early is evicted from the
// cache before it is used. The destructor ends them and their compilers. The grading reports what does not
// build.
class BuildAhead {
 public:
  // Tasks whose contestants a builder may have built before they are graded.
  static constexpr std::size_t tasks_per_builder = 4;

  // `options.build_jobs` builders; none where there is no cache to fill. Keeps references.
  BuildAhead(const SweepPlan& plan, const SweepOptions& options);

  // How many upcoming tasks go_on() considers.
  std::size_t horizon() const { return builders_.size() * tasks_per_builder; }
  // Gives work to builders that have none. `upcoming`: tasks in the order in which they will be graded.
  void go_on(const std::vector<std::size_t>& upcoming);
  // The task has its end: what was built for it need not stay.
  void finished(std::size_t task) { held_.erase(task); }

  // No builder has work.
  bool is_idle() const;
  // To be waited for, and what to do when they are readable.
  std::vector<int> descriptors() const;
  void hear(int descriptor);

 private:
  struct Builder {
    std::optional<Lane> lane;
    std::optional<std::size_t> task;  // that it builds for
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
  std::map<std::size_t, std::uint64_t> held_;       // bytes in the cache, by the task that they are for
  std::uint64_t largest_ = std::uint64_t{1} << 20;  // of one job; a guess before the first has ended
};

}  // namespace kgrade
