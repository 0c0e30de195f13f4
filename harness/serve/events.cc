#include "serve/events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "serve/grade_job.h"

namespace kgrade {
namespace {

constexpr const char* comment = ": still here\n\n";

}  // namespace

void Events::add(const std::string& owner, const std::string& kind, const nlohmann::ordered_json& data) {
  last_ += 1;
  kept_.push_back(
      {last_, owner, fmt::format("id: {}\nevent: {}\ndata: {}\n\n", last_, kind, json_text(data))});
  if (kept_.size() > most_kept) kept_.pop_front();
  std::vector<Call> informed;
  for (auto at = followers_.begin(); at != followers_.end();) {
    const auto follower = at++;
    if (follower->owner != owner) continue;
    informed.push_back(std::move(follower->then));
    followers_.erase(follower);
  }
  for (const Call& then : informed) then(kept_.back().text, last_);
}

void Events::follow(const std::string& owner, std::uint64_t after, double until, Call then) {
  std::string text;
  const bool is_gap = after < last_ && (kept_.empty() || after + 1 < kept_.front().number);
  if (is_gap) text = "event: gap\ndata: {}\n\n";
  std::uint64_t up_to = last_;
  for (const Event& event : kept_) {
    if (event.number <= after || event.owner != owner) continue;
    text += event.text;
    if (text.size() < large_text) continue;
    up_to = event.number;
    break;
  }
  if (!text.empty()) return then(text, up_to);
  followers_.push_back({owner, until, std::move(then)});
}

void Events::look_at_the_clock(double now) {
  for (const Follower& follower : take_late(followers_, now)) follower.then(comment, last_);
}

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
  // A waiting client may have named the job twice, so ready clients are removed only after the loop.
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
