// Clients that wait for jobs to end.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace kgrade {

// Removes those whose time, `until`, is over at `now`, and returns them in their order.
template <class Waiting>
std::list<Waiting> take_late(std::list<Waiting>& all, double now) {
  std::list<Waiting> late;
  for (auto at = all.begin(); at != all.end();) {
    const auto one = at++;
    if (now > one->until) late.splice(late.end(), all, one);
  }
  return late;
}

class Waiters {
 public:
  using Call = std::function<void()>;

  // Has `then` called once: when one of the jobs (`all`: each of them) has ended, or after the time `until`.
  // None of the jobs has ended yet, and there is at least one.
  void add(const std::vector<std::string>& ids, bool all, double until, Call then);

  // A job has ended. Calls those who waited only for it.
  void ended(const std::string& id);

  // Removes those whose time is over at `now`, and returns what to call.
  std::vector<Call> take_late(double now);

 private:
  struct Waiter;
  using All = std::list<Waiter>;
  using ById = std::multimap<std::string, All::iterator>;

  struct Waiter {
    std::size_t left = 1;  // jobs that have to end
    double until = 0;
    Call then;
    std::vector<ById::iterator> places;  // in by_id_
  };

  Call remove(All::iterator waiter);

  All all_;
  ById by_id_;
};

}  // namespace kgrade
