#include "serve/quotas.h"

#include <algorithm>
#include <cmath>

namespace kgrade {
namespace {

constexpr double hour_s = 3600;

}  // namespace

void Quotas::charge(const std::string& owner, double seconds, double now) {
  used_.try_emplace(owner, Used{0, now}).first->second.seconds += seconds;
}

int Quotas::wait_s(const std::string& owner, double quota_s, double now) {
  const auto at = used_.find(owner);
  if (at == used_.end() || quota_s <= 0) return 0;
  Used& used = at->second;
  used.seconds = std::max(0.0, used.seconds - (now - used.at) * quota_s / hour_s);
  used.at = now;
  if (used.seconds <= quota_s) return 0;
  return static_cast<int>(std::min(hour_s, std::ceil((used.seconds - quota_s) * hour_s / quota_s)));
}

}  // namespace kgrade
