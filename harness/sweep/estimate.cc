#include "sweep/estimate.h"

#include <fmt/format.h>

#include <cmath>

namespace kgrade {

void TimeLeft::result_at(double now) {
  times_.push_back(now);
  if (times_.size() > window + 1) times_.pop_front();
}

std::optional<double> TimeLeft::seconds(std::size_t left, double now) const {
  if (times_.size() < 3) return std::nullopt;
  const double per_result = (times_.back() - times_.front()) / static_cast<double>(times_.size() - 1);
  const double since_last = now - times_.back();
  return std::fmax(per_result * static_cast<double>(left) - since_last, 0);
}

bool Seldom::is_due(double now) {
  if (now - last_ < seconds) return false;
  last_ = now;
  return true;
}

std::string describe_time_left(double seconds) {
  if (seconds < 60) return "less than a minute left";
  if (seconds < 5400) return fmt::format("about {:.0f} min left", seconds / 60);
  if (seconds < 172800) return fmt::format("about {:.1f} h left", seconds / 3600);
  return fmt::format("about {:.0f} days left", seconds / 86400);
}

}  // namespace kgrade
