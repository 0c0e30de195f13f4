// Limits how long the lanes (the processes that grade) may work for each owner of jobs in an hour.
#pragma once

#include <map>
#include <string>

namespace kgrade {

// Counts the lane time that each owner has used. The count of an owner decreases steadily, by the owner's
// quota in each hour. `now`: in seconds, by a clock that never runs backwards.
class Quotas {
 public:
  // The owner's jobs have used `seconds` of a lane.
  void charge(const std::string& owner, double seconds, double now);
  // Seconds until the owner may submit again. 0 if the owner may submit now. `quota_s`: seconds of lanes in
  // an hour; 0: no limit.
  int wait_s(const std::string& owner, double quota_s, double now);

 private:
  struct Used {
    double seconds = 0;
    double at = 0;  // the time at which `seconds` was computed
  };
  std::map<std::string, Used> used_;  // by owner
};

}  // namespace kgrade
