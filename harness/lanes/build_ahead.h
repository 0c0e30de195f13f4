// Builds contestants into the cache while other candidates are graded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lanes/lane.h"

namespace kgrade {

// A candidate that will be graded.
struct BuildTask {
  std::string key;         // of the candidate
  std::string group;       // of candidates that are graded with the same oracle, reference and baselines
  std::string owner = {};  // the owner of the candidate; owners share the builders
};

// Runs lanes that only build. They fill the cache with oracles, references, baselines and candidates just
// before these are needed. Builds stay close ahead of the grading, because a contestant that is built too
// early may be evicted from the cache before it is used. A failed build is reported when the candidate is
// graded. The destructor ends the lanes and their compilers.
//
// Owners share the builders: the owner whose builds have used the least time is served first. An owner with
// no build under way gets a builder even if all are busy, so that nobody waits for the slow compile of
// another.
class BuildAhead {
 public:
  // The job that would grade the task's candidate alone. Nothing if there is no such job.
  using JobOf = std::function<std::optional<LaneJob>(const BuildTask& task)>;

  // The number of upcoming tasks, per builder, whose contestants are built ahead.
  static constexpr std::size_t tasks_per_builder = 4;

  // Uses `builders` builders, or none if there is no cache.
  BuildAhead(int builders, LaneCommand lane_command, JobOf job_of);

  // How many upcoming tasks go_on() considers.
  std::size_t horizon() const { return builders_.size() * tasks_per_builder; }
  // Gives work to idle builders. `upcoming`: tasks in the order in which they will be graded. The first
  // horizon() tasks of each owner are considered.
  void go_on(const std::vector<BuildTask>& upcoming);
  // Call when the task has ended. Its builds may then leave the cache.
  void finished(const std::string& key);

  // True if a builder is building the candidate, and began less than 15 minutes ago.
  bool is_being_built(const std::string& key) const;
  // True if a builder has finished with the candidate, with or without success, and the task has not ended.
  bool was_built(const std::string& key) const { return begun_.contains(key) && !is_being_built(key); }
  // How long a builder took to build the candidate. 0 if the builder compiled nothing or has not ended.
  double seconds_of(const std::string& key) const;

  // No builder has work.
  bool is_idle() const;
  // Descriptors to wait for. When one is readable, call hear().
  std::vector<int> descriptors() const;
  // Takes what the builders have said. Does not wait for more.
  void hear();

 private:
  struct Builder {
    std::optional<Lane> lane;
    std::optional<std::string> task;  // the task for which it builds
    std::string owner;                // of the task
    bool is_trusted = false;          // it builds oracle, reference and baselines
    std::chrono::steady_clock::time_point since = {};
    bool is_over = false;  // the task has ended meanwhile
  };

  struct Work {
    LaneJob job;
    BuildTask task;
  };

  bool start(Builder& builder, const std::vector<BuildTask>& upcoming, bool is_further);
  std::size_t builds_of(const std::string& owner) const;
  std::vector<std::string> owners_in_turn(const std::vector<BuildTask>& upcoming);
  std::optional<Work> next_of(const std::vector<BuildTask>& upcoming, const std::string& owner,
                              bool also_trusted);
  void end_job(Builder& builder, std::uint64_t bytes, double compiled_s);

  LaneCommand lane_command_;
  JobOf job_of_;
  std::uint64_t cache_limit_ = 0;
  std::vector<Builder> builders_;
  std::vector<Builder> further_;                    // builders for owners with no build under way
  std::map<std::string, double> used_s_;            // of builders, by owner
  std::map<std::string, double> took_s_;            // by candidate; only of those that were compiled
  std::set<std::string> begun_;                     // tasks that have not ended
  std::set<std::string> trusted_begun_;             // groups
  std::map<std::string, std::uint64_t> held_;       // bytes in the cache for each task
  std::uint64_t largest_ = std::uint64_t{1} << 20;  // of one job; a guess until the first job has ended
};

}  // namespace kgrade
