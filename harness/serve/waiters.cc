#include "serve/waiters.h"

#include <algorithm>
#include <utility>

namespace kgrade {

void Waiters::add(const std::vector<std::string>& ids, bool all, double until, Call then) {
  const auto waiter = all_.insert(all_.end(), Waiter{all ? ids.size() : 1, until, std::move(then), {}});
  for (const std::string& id : ids) waiter->places.push_back(by_id_.emplace(id, waiter));
}

Waiters::Call Waiters::remove(All::iterator waiter) {
  for (const auto& place : waiter->places) by_id_.erase(place);
  Call then = std::move(waiter->then);
  all_.erase(waiter);
  return then;
}

void Waiters::ended(const std::string& id) {
  // A waiter may have named the job twice, so those that are ready are removed only afterwards.
  std::vector<All::iterator> ready;
  const auto [first, last] = by_id_.equal_range(id);
  for (auto at = first; at != last; ++at) {
    if (at->second->left > 0 && --at->second->left == 0) ready.push_back(at->second);
  }
  std::vector<Call> calls;
  for (const auto& waiter : ready) calls.push_back(remove(waiter));
  for (const Call& then : calls) then();
}

std::vector<Waiters::Call> Waiters::take_late(double now) {
  std::vector<Call> calls;
  for (auto at = all_.begin(); at != all_.end();) {
    const auto waiter = at++;
    if (now > waiter->until) calls.push_back(remove(waiter));
  }
  return calls;
}

}  // namespace kgrade
