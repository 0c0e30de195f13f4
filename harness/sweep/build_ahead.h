// Fills the cache of built contestants while others grade.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "grade/machinery.h"
#include "sweep/plan.h"

namespace kgrade {

// Builds oracles, references, baselines and candidates of a plan on threads of its own, in the plan's order.
// Does nothing where there is no cache to fill. What does not build is left for the grading to tell.
class BuildAhead {
 public:
  // `wanted`: the tasks to build; with `baselines`, those of their problems too. Keeps references to plan and
  // layout.
  BuildAhead(const SweepPlan& plan, std::vector<std::size_t> wanted, const Layout& layout,
             const Machinery& machinery, bool baselines, int threads);
  // Ends after the builds that run now.
  ~BuildAhead();
  BuildAhead(const BuildAhead&) = delete;
  BuildAhead& operator=(const BuildAhead&) = delete;

 private:
  void work();
  void build_task(std::size_t task);
  void build_trusted(std::size_t group);

  const SweepPlan& plan_;
  const Layout& layout_;
  std::shared_ptr<const Clock> clock_;
  std::unique_ptr<Toolchain> toolchain_;
  bool measures_speed_;
  bool baselines_;
  std::vector<std::size_t> wanted_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::vector<bool> trusted_begun_;  // by group
  std::vector<std::thread> threads_;
};

}  // namespace kgrade
