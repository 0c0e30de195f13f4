#include "sweep/lane_standing.h"

namespace kgrade {

void LaneStanding::result() {
  good_ = true;
  refusals_ = 0;
  charged_.reset();
}

void LaneStanding::refused(std::size_t group, std::optional<std::size_t> charged) {
  good_ = false;
  refusals_ += 1;
  avoided_.insert(group);
  if (charged) charged_ = charged;
}

}  // namespace kgrade
