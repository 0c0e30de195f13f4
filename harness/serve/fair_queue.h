// Decides which queued jobs a lane grades next. It reads no clock and starts nothing.
//
// Owners share the lanes: the owner whose jobs have used the least lane time is served first. An owner who
// comes back after a pause starts level with the others, so no credit is saved up. Inside an owner, jobs of
// normal priority come first, then the jobs that the lane is warm for, then the oldest.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgrade {

struct QueuedJob {
  std::string id;
  std::string owner;
  std::string batch;      // jobs with the same text may run together
  bool is_low = false;    // priority
  bool is_alone = false;  // not together with others
};

class FairQueue {
 public:
  // The most jobs that a lane gets at once.
  static constexpr std::size_t largest_batch = 32;
  // The most while another owner waits, so that nobody waits for a whole batch of somebody else.
  static constexpr std::size_t largest_shared_batch = 8;

  // `lanes`: a batch is at most the share of one of this number of lanes in the waiting jobs.
  explicit FairQueue(std::size_t lanes) { divide_among(lanes); }
  void divide_among(std::size_t lanes) { lanes_ = lanes == 0 ? 1 : lanes; }

  void add(QueuedJob job);
  // Puts a job back to the front of its owner's jobs.
  void give_back(QueuedJob job);
  // False if the job is not in the queue.
  bool remove(const std::string& id);

  // The next jobs for a lane that graded `last` before, at most `most`. All have the same owner and batch.
  // Empty if none waits.
  std::vector<QueuedJob> take(const std::string& last, std::size_t most = largest_batch);
  // What take() would return.
  std::vector<QueuedJob> next(const std::string& last) const;
  // The owner's jobs have used `seconds` of a lane.
  void charge(const std::string& owner, double seconds);

  std::size_t size() const { return size_; }
  std::size_t size_of(const std::string& owner) const;
  std::map<std::string, std::size_t> by_owner() const;
  // How many jobs are before this one among its owner's, plus the jobs of the other owners if fewer.
  std::optional<std::size_t> position(const std::string& id) const;

 private:
  struct Owner {
    std::list<QueuedJob> jobs;
    double used = 0;  // seconds of lanes
  };

  // The owner who is served next. Null if no job waits.
  const Owner* next_owner() const;
  std::vector<QueuedJob> choose(const std::string& last, std::size_t most) const;
  void level(Owner& owner);

  std::size_t lanes_ = 1;
  std::map<std::string, Owner> owners_;
  std::size_t size_ = 0;
};

}  // namespace kgrade
