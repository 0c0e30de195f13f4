#include "serve/quotas.h"

#include <algorithm>
#include <cmath>

#include "serve/grade_job.h"

namespace kgrade {
namespace {

constexpr double hour_s = 3600;

}  // namespace

void Quotas::charge(const std::string& owner, double seconds) {
  Used& used = used_[owner];
  if (used.at == 0) used.at = wall_clock();
  used.seconds += seconds;
}

int Quotas::wait_s(const std::string& owner, double quota_s) {
  const auto at = used_.find(owner);
  if (at == used_.end() || quota_s <= 0) return 0;
  Used& used = at->second;
  const double now = wall_clock();
  used.seconds = std::max(0.0, used.seconds - (now - used.at) * quota_s / hour_s);
  used.at = now;
  if (used.seconds <= quota_s) return 0;
  return static_cast<int>(std::min(hour_s, std::ceil((used.seconds - quota_s) * hour_s / quota_s)));
}

}  // namespace kgrade
