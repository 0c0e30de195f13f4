// Decides which queued jobs a lane grades next. It reads no clock and starts nothing.
//
// Owners share the lanes: the owner whose jobs have used the least lane time is served first. An owner who
// comes back after a pause starts level with the others, so no credit is saved up. Among the jobs of one
// owner, normal priority goes before low priority, then jobs of the problem that the lane has loaded, then
// older jobs. After some batches of one problem the lane takes the oldest job, so that no problem waits
// forever. Jobs of a problem that the lane has refused come last, after those of all owners. Jobs of a
// problem that it has refused too often are never given to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kgrade {

struct QueuedJob {
  std::string id;
  std::string owner;
  std::string batch;      // jobs with the same text may run together
  bool is_low = false;    // priority
  bool is_alone = false;  // not together with others
  // The lane that could not grade the job. This lane gets the job again only if no other lane can grade it.
  // Empty: no lane has failed.
  std::string avoided = {};
  std::size_t bytes = 0;  // of the candidate, or of the request
  // The time that the candidate may take, as the lane counts it (LaneMessage::seconds).
  double run_limit_s = std::numeric_limits<double>::infinity();
};

// What a queue has to know of a lane: the problem that the lane graded last and still has loaded, and the
// problems of which it refused jobs. A problem is named by the batch key of its jobs.
class Warmth {
 public:
  // The lane prefers one problem for at most this many batches in a row.
  static constexpr int most_batches = 8;
  // A lane sets a problem aside after it has refused this many of its jobs, without one begun in between.
  static constexpr std::size_t most_refused = 3;

  Warmth() = default;
  // The lane has graded one batch with this key.
  explicit Warmth(const std::string& batch) { took(batch); }

  // The batch key that the lane prefers. Empty: the lane takes the oldest job.
  std::string preferred() const { return in_a_row_ < most_batches ? batch_ : ""; }
  bool has_refused(const std::string& batch) const { return refused_.contains(batch); }
  bool is_set_aside(const std::string& batch) const {
    const auto at = refused_.find(batch);
    return at != refused_.end() && at->second.size() >= most_refused;
  }
  // The lane gets a batch with this key.
  void took(const std::string& batch) {
    in_a_row_ = batch == preferred() ? in_a_row_ + 1 : 1;
    batch_ = batch;
  }
  // The lane refused a job, or several jobs together. `job`: the job's id, or empty for several jobs.
  void refused(const std::string& batch, const std::string& job) { refused_[batch].insert(job); }
  void forget_refusals(const std::string& batch) { refused_.erase(batch); }
  void forget_refusals() { refused_.clear(); }
  // The lane's process has ended, so the next process has to load each problem anew.
  void cool_down() { in_a_row_ = most_batches; }

 private:
  std::map<std::string, std::set<std::string>> refused_;
  std::string batch_;
  int in_a_row_ = most_batches;
};

class JobQueue {
 public:
  // The most jobs that a lane gets at once.
  static constexpr std::size_t largest_batch = 32;
  // The most jobs in a batch while another owner waits, so that no owner waits for a full batch of another.
  static constexpr std::size_t largest_shared_batch = 8;

  // Waiting jobs are shared among `lanes` lanes: a batch is at most the share of one lane.
  explicit JobQueue(std::size_t lanes) { divide_among(lanes); }
  void divide_among(std::size_t lanes) { lanes_ = lanes == 0 ? 1 : lanes; }

  void add(QueuedJob job);
  // Puts a job back to the front of its owner's jobs.
  void give_back(QueuedJob job);
  // False if the job is not in the queue.
  bool remove(const std::string& id);
  // The job may share a batch with other jobs again.
  void join(const std::string& id);

  // The next jobs for a lane, at most `most`. All have the same owner and batch. `most_bytes`: the limit of
  // the jobs' texts together; the first job may be larger. `is_ready`: says which jobs the lane may get now;
  // null: all. Empty if there is no job for the lane.
  using IsReady = std::function<bool(const QueuedJob& job)>;
  std::vector<QueuedJob> take(const Warmth& warmth, std::size_t most = largest_batch,
                              std::size_t most_bytes = SIZE_MAX, const IsReady& is_ready = nullptr);
  // All jobs with this batch key.
  std::vector<QueuedJob> with_batch(const std::string& batch) const;
  // The first job of each owner.
  std::vector<QueuedJob> firsts() const;
  // The jobs that a lane is likely to get next, at most `most`: first those of its next batch, then later
  // ones. For the later jobs, owners take turns, since it is unknown how much time each of them will use.
  std::vector<QueuedJob> upcoming(const Warmth& warmth, std::size_t most) const;
  // The owner's jobs have used `seconds` of a lane.
  void charge(const std::string& owner, double seconds);

  std::size_t size() const { return places_.size(); }
  std::size_t bytes() const { return bytes_; }
  std::size_t size_of(const std::string& owner) const;
  std::map<std::string, std::size_t> by_owner() const;
  // The number of jobs that may run before this one: n earlier jobs of its owner, and at most n jobs of each
  // other owner.
  std::optional<std::size_t> position(const std::string& id) const;
  // The positions of all jobs of that owner, by id.
  std::unordered_map<std::string, std::size_t> positions(const std::string& owner) const;

 private:
  struct Owner {
    std::list<QueuedJob> jobs;
    double used = 0;  // seconds of lanes
  };

  std::vector<QueuedJob> choose(const Warmth& warmth, std::size_t most, const IsReady& is_ready) const;
  void insert(QueuedJob job, bool at_front);
  std::size_t position_of(const Owner& owner, std::size_t before) const;

  std::size_t lanes_ = 1;
  std::size_t bytes_ = 0;
  std::map<std::string, Owner> owners_;
  std::unordered_map<std::string, std::pair<Owner*, std::list<QueuedJob>::iterator>> places_;  // by id
};

}  // namespace kgrade
