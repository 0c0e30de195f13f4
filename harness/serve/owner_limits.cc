#include "serve/owner_limits.h"

#include <algorithm>
#include <cmath>

namespace kgrade {

void KeptResults::add(const std::string& owner, const std::string& id, double now, std::uint64_t bytes) {
  Owner& one = owners_[owner];
  one.jobs.emplace(now, id, bytes);
  one.bytes += bytes;
  jobs_ += 1;
  bytes_ += bytes;
}

std::string KeptResults::take_oldest(Owner& owner) {
  const auto [ended_at, id, bytes] = *owner.jobs.begin();
  owner.jobs.erase(owner.jobs.begin());
  owner.bytes -= bytes;
  jobs_ -= 1;
  bytes_ -= bytes;
  return id;
}

std::vector<std::string> KeptResults::take_surplus(const Limits& limits, double now) {
  std::vector<std::string> ids;
  for (auto& [name, owner] : owners_) {
    while (!owner.jobs.empty() && std::get<0>(*owner.jobs.begin()) < now - limits.seconds)
      ids.push_back(take_oldest(owner));
  }
  const auto owner_with_most = [this](auto much) -> Owner& {
    return std::max_element(owners_.begin(), owners_.end(),
                            [&much](const auto& a, const auto& b) { return much(a.second) < much(b.second); })
        ->second;
  };
  while (jobs_ > limits.jobs)
    ids.push_back(take_oldest(owner_with_most([](const Owner& owner) { return owner.jobs.size(); })));
  while (bytes_ > limits.bytes)
    ids.push_back(take_oldest(owner_with_most([](const Owner& owner) { return owner.bytes; })));
  return ids;
}

void Quotas::charge(const std::string& owner, double seconds, double now) {
  used_.try_emplace(owner, Used{0, now}).first->second.seconds += seconds;
}

int Quotas::wait_s(const std::string& owner, double quota_s, double now) {
  constexpr double hour_s = 3600;
  const auto at = used_.find(owner);
  if (at == used_.end() || quota_s <= 0) return 0;
  Used& used = at->second;
  used.seconds = std::max(0.0, used.seconds - (now - used.at) * quota_s / hour_s);
  used.at = now;
  if (used.seconds <= quota_s) return 0;
  return static_cast<int>(std::min(hour_s, std::ceil((used.seconds - quota_s) * hour_s / quota_s)));
}

}  // namespace kgrade
