#include "sweep/build_ahead.h"

#include <algorithm>

#include "grade/baselines.h"
#include "grade/contestants.h"
#include "grade/stage_clock.h"

namespace kgrade {

BuildAhead::BuildAhead(const SweepPlan& plan, std::vector<std::size_t> wanted, const Layout& layout,
                       const Machinery& machinery, bool baselines, int threads)
    : plan_(plan),
      layout_(layout),
      clock_(machinery.clock),
      measures_speed_(machinery.measures_speed),
      baselines_(baselines),
      wanted_(std::move(wanted)),
      trusted_begun_(plan.groups.size()) {
  const auto cache = contestant_cache();
  if (!cache || !cache->problem().empty() || !is_confined(machinery)) return;
  auto toolchain = machinery.make_toolchain();
  if (!toolchain) return;
  toolchain_ = std::move(*toolchain);
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

BuildAhead::~BuildAhead() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
}

void BuildAhead::work() {
  while (!stop_) {
    const std::size_t index = next_++;
    if (index >= wanted_.size()) return;
    try {
      build_task(wanted_[index]);
    } catch (const std::exception&) {
      return;  // no room, no processes: the grading meets that too, and says so
    }
  }
}

void BuildAhead::build_task(std::size_t task) {
  const std::size_t group = plan_.tasks[task].group;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = !trusted_begun_[group];
    trusted_begun_[group] = true;
  }
  if (first) build_trusted(group);
  StageClock stages(*clock_);
  Build(*toolchain_, plan_.groups[group].problem, Role::candidate, plan_.tasks[task].candidate, layout_,
        stages)
      .finish();
}

void BuildAhead::build_trusted(std::size_t group) {
  const Problem& problem = plan_.groups[group].problem;
  const std::filesystem::path source = layout_.reference_source(problem);
  StageClock stages(*clock_);
  for (const Role role : {Role::oracle, Role::reference})
    Build(*toolchain_, problem, role, source, layout_, stages).finish();
  if (!baselines_) return;
  for (const BaselineSource& baseline : baselines_of(problem, layout_, measures_speed_))
    Build(*toolchain_, problem, baseline, layout_, stages).finish();
}

}  // namespace kgrade
