// Clients that wait for jobs to end.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace kgrade {

// Removes the elements whose time `until` is before `now`, and returns them in their order.
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
  // There must be at least one job, and none may have ended yet.
  void add(const std::vector<std::string>& ids, bool all, double until, Call then);

  // To be called when a job has ended. Calls the waiting clients for whom this was the last job.
  void ended(const std::string& id);

  // Removes the waiting clients whose time is over at `now`, and returns the functions to call for them.
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
