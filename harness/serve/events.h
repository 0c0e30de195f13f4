// The events of each owner's jobs, as a stream of server-sent events (the WHATWG's HTML standard).
//
// Also lets clients wait for the end of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <nlohmann/json_fwd.hpp>
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

  // Call when a job has ended. Calls `then` for those clients that were waiting for this job last.
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

class Events {
 public:
  // Gets whole events as text, or a comment if nothing has happened for a while. `up_to`: the number of the
  // last event that the client then knows.
  using Call = std::function<void(const std::string& text, std::uint64_t up_to)>;

  // Events that are kept for clients that lost their connection.
  static constexpr std::size_t most_kept = 10'000;
  // Events are put together up to this size in bytes. The rest comes with the next call of follow().
  static constexpr std::size_t large_text = std::size_t{256} << 10;

  // `first`: the number before the first event's. It must be larger than all numbers of earlier runs.
  explicit Events(std::uint64_t first) : last_(first) {}

  // Something has happened to a job of that owner: "queued", "started" or "finished".
  void add(const std::string& owner, const std::string& kind, const nlohmann::ordered_json& data);

  // Calls `then` once: with the owner's events after the one with the number `after`, or with a comment at
  // the time `until` (by the service's clock). The first event is `gap` if events after that number may be
  // lost.
  void follow(const std::string& owner, std::uint64_t after, double until, Call then);
  // Calls the waiting functions whose time is over at `now`.
  void look_at_the_clock(double now);

  std::uint64_t last() const { return last_; }

 private:
  struct Event {
    std::uint64_t number;
    std::string owner;
    std::string text;
  };
  struct Follower {
    std::string owner;
    double until;
    Call then;
  };

  std::uint64_t last_;
  std::deque<Event> kept_;
  std::list<Follower> followers_;
};

}  // namespace kgrade
