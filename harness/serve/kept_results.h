// Decides which ended jobs a service still knows, and which jobs it forgets when there are too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace kgrade {

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

}  // namespace kgrade
