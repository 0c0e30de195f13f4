#include "sweep/lane_builds.h"

#include "grade/contestants.h"
#include "grade/run.h"
#include "measure/baselines.h"
#include "record/stage_clock.h"

namespace kgrade {
namespace {

std::uint64_t size_of(Build& build) {
  const Result<BuildOutcome>& outcome = build.finish();
  std::error_code none;
  const auto bytes = outcome ? std::filesystem::file_size(outcome->library, none) : 0;
  return none ? 0 : bytes;
}

}  // namespace

std::uint64_t build_for(const LaneJob& job, const Problem& problem, const DeviceChoice& device) {
  const Layout layout = Layout::find(job.options.problems);
  const Machinery machinery = real_machinery(device, layout);
  const auto toolchain = is_confined(machinery) ? machinery.make_toolchain() : Error{};
  if (!toolchain) return 0;
  StageClock stages(*machinery.clock);
  std::uint64_t bytes = 0;
  const auto build = [&](Role role, const std::filesystem::path& source) {
    Build one(**toolchain, problem, role, source, layout, stages);
    bytes += size_of(one);
  };
  for (const std::string& candidate : job.candidates) build(Role::candidate, candidate);
  if (!job.candidates.empty()) return bytes;
  for (const Role role : {Role::oracle, Role::reference}) build(role, layout.reference_source(problem));
  if (!job.options.baselines || job.options.effort == Effort::quick) return bytes;
  for (const BaselineSource& baseline : baselines_of(problem, layout, machinery.measures_speed)) {
    Build one(**toolchain, problem, baseline, layout, stages);
    bytes += size_of(one);
  }
  return bytes;
}

}  // namespace kgrade
