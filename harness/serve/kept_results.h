// Which ended jobs a service still knows, and which ones it forgets when they are too many.
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

  // A job of that owner ended at `now`, in seconds. What is kept of it has that many bytes.
  void add(const std::string& owner, const std::string& id, double now, std::uint64_t bytes);
  // Removes what is too old at `now`. Then removes the oldest job of the owner who keeps most, until all are
  // within the limits. So an owner who floods the service pushes out only results of this owner. Returns ids.
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
