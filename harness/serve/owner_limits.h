// What each owner may take of a service: results that are kept, lane time in an hour, and bytes in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kgrade {

// Decides which ended jobs a service still knows, and which jobs it forgets when there are too many.
class KeptResults {
 public:
  struct Limits {
    std::size_t jobs = 0;
    std::uint64_t bytes = 0;  // of results and records
    double seconds = 0;       // since the end of the job
  };

  // Adds a job of that owner that ended at `now`, in seconds. Its result and its files have `bytes` bytes.
  void add(const std::string& owner, const std::string& id, double now, std::uint64_t bytes);
  // Removes jobs that are too old at `now`. Then removes the oldest job of the owner who keeps most, until
  // the limits are met. So an owner who floods the service pushes out only results of this owner. Returns the
  // removed ids.
  std::vector<std::string> take_surplus(const Limits& limits, double now);

  std::size_t jobs() const { return jobs_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Owner {
    std::set<std::tuple<double, std::string, std::uint64_t>> jobs;  // when they ended, ids, bytes
    std::uint64_t bytes = 0;
  };

  std::string take_oldest(Owner& owner);

  std::map<std::string, Owner> owners_;
  std::size_t jobs_ = 0;
  std::uint64_t bytes_ = 0;
};

// Limits how long the lanes (the processes that grade) may work for each owner of jobs in an hour. Counts the
// lane time that each owner has used. The count of an owner decreases steadily, by the owner's
// quota in each hour. `now`: in seconds, by a clock that never runs backwards.
class Quotas {
 public:
  // The owner's jobs have used `seconds` of a lane.
  void charge(const std::string& owner, double seconds, double now);
  // Seconds until the owner may submit again. 0 if the owner may submit now. `quota_s`: seconds of lanes in
  // an hour; 0: no limit.
  int wait_s(const std::string& owner, double quota_s, double now);

 private:
  struct Used {
    double seconds = 0;
    double at = 0;  // the time at which `seconds` was computed
  };
  std::map<std::string, Used> used_;  // by owner
};

// Counts the bytes in memory for clients, in total and for each owner.
class ByteBudget {
 public:
  enum class Grant { given, owner_has_too_many, there_are_too_many };

  ByteBudget(std::uint64_t most, std::uint64_t most_of_owner) : most_(most), most_of_owner_(most_of_owner) {}

  // Takes nothing unless it returns `given`.
  Grant take(const std::string& owner, std::uint64_t bytes) {
    const auto at = of_owner_.find(owner);
    const std::uint64_t his = at == of_owner_.end() ? 0 : at->second;
    if (bytes > most_of_owner_ - his) return Grant::owner_has_too_many;
    if (bytes > most_ - all_) return Grant::there_are_too_many;
    if (bytes == 0) return Grant::given;
    of_owner_[owner] = his + bytes;
    all_ += bytes;
    return Grant::given;
  }

  void give_back(const std::string& owner, std::uint64_t bytes) {
    const auto at = of_owner_.find(owner);
    if (bytes == 0 || at == of_owner_.end()) return;
    at->second -= bytes;
    all_ -= bytes;
    if (at->second == 0) of_owner_.erase(at);
  }

  std::uint64_t taken() const { return all_; }

 private:
  std::uint64_t most_;
  std::uint64_t most_of_owner_;
  std::uint64_t all_ = 0;
  std::map<std::string, std::uint64_t> of_owner_;
};

}  // namespace kgrade
