// How many seconds of lanes owners have used, against what each may use in an hour.
#pragma once

#include <map>
#include <string>

namespace kgrade {

// What an owner has used is forgotten steadily: at the rate at which the owner may use it. `now`: in seconds,
// by a clock that never runs backwards.
class Quotas {
 public:
  // The owner's jobs have used `seconds` of a lane.
  void charge(const std::string& owner, double seconds, double now);
  // Seconds until the owner may submit again: 0 if now. `quota_s`: seconds of lanes in an hour; 0: no limit.
  int wait_s(const std::string& owner, double quota_s, double now);

 private:
  struct Used {
    double seconds = 0;
    double at = 0;  // when that was so
  };
  std::map<std::string, Used> used_;  // by owner
};

}  // namespace kgrade
