// Builds contestants into the cache while other candidates are graded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sweep/lane.h"

namespace kgrade {

// A candidate that will be graded.
struct BuildTask {
  std::string key;    // of the candidate
  std::string group;  // of candidates that are graded with the same oracle, reference and baselines
};

// Runs lanes that only build. They fill the cache with oracles, references, baselines and candidates just
// before these are needed. They stay close ahead of the grading, because a contestant that is built too early
// is evicted from the cache before it is used. A failed build is reported by the grading. The destructor ends
// the lanes and their compilers.
class BuildAhead {
 public:
  // The job that would grade the task's candidate alone. Nothing if there is no such job.
  using JobOf = std::function<std::optional<LaneJob>(const BuildTask& task)>;

  // Tasks whose contestants a builder may have built before they are graded.
  static constexpr std::size_t tasks_per_builder = 4;

  // Has that number of builders, or none if there is no cache.
  BuildAhead(int builders, std::vector<std::string> lane_command, JobOf job_of);

  // How many upcoming tasks go_on() considers.
  std::size_t horizon() const { return builders_.size() * tasks_per_builder; }
  // Gives work to idle builders. `upcoming`: tasks in the order in which they will be graded.
  void go_on(const std::vector<BuildTask>& upcoming);
  // Call when the task has ended: its builds may leave the cache.
  void finished(const std::string& key);

  // A builder has no work.
  bool has_idle() const;
  // No builder has work.
  bool is_idle() const;
  // Descriptors to wait for. When one is readable, call hear().
  std::vector<int> descriptors() const;
  // Takes what the builders have said. Does not wait for more.
  void hear();

 private:
  struct Builder {
    std::optional<Lane> lane;
    std::optional<std::string> task;  // for which it builds
    bool is_over = false;             // the task has ended meanwhile
  };

  std::optional<LaneJob> next_job(const std::vector<BuildTask>& upcoming, std::string& key);
  bool has_room() const;
  void hear(Builder& builder);
  void end_job(Builder& builder, std::uint64_t bytes);

  std::vector<std::string> lane_command_;
  JobOf job_of_;
  std::uint64_t cache_limit_ = 0;
  std::vector<Builder> builders_;
  std::set<std::string> begun_;                     // tasks that have not ended
  std::set<std::string> trusted_begun_;             // groups
  std::map<std::string, std::uint64_t> held_;       // bytes in the cache for each task
  std::uint64_t largest_ = std::uint64_t{1} << 20;  // of one job; a guess until the first job has ended
};

}  // namespace kgrade
