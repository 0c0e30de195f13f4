// Which lane grades what next, and whether a failure is the candidate's fault or the lane's. It starts no
// process and reads no clock.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgrade {

// Tasks of one group, by their numbers, for one lane to grade one after the other.
struct SweepBatch {
  std::size_t group = 0;
  std::vector<std::size_t> tasks;
};

// A task that cannot be graded, through no fault of the candidate: `kgrade` or the machine is to blame.
struct SweepFailure {
  std::size_t task = 0;
  std::string message;
  int exit_code = 0;  // that says whose fault it is
};

class SweepQueue {
 public:
  static constexpr std::size_t largest_batch = 32;

  // `group_of[task]` is the group of each task that is to be graded; nothing for those that are done.
  SweepQueue(const std::vector<std::optional<std::size_t>>& group_of, std::size_t lanes);

  // For a lane that graded `last` before: more of that group, since its oracle and reference are built then;
  // else the group with the most tasks left; of `avoided` ones only where nothing else waits. A batch is the
  // lane's share of what is left, so that the lanes end together. Nothing when no task waits: others may come
  // back from a lane that fails.
  std::optional<SweepBatch> take(std::optional<std::size_t> last, const std::set<std::size_t>& avoided = {});

  // The tasks that wait and have not been tried, at most so many, as lanes that are at these groups will take
  // them.
  std::vector<std::size_t> upcoming(const std::vector<std::size_t>& current, std::size_t most) const;

  void finished(std::size_t task);
  // The lane could not go on. `graded` tasks of the batch are finished; `begun`: the next one had begun. If
  // it had, or was alone, it is to blame: it is tried once more, alone, and after a second failure given up.
  // Otherwise any task that is left may be to blame, and each is tried alone. If three tasks of a group in a
  // row are refused alone, before they began and with the same message, the group is to blame and all of it
  // is given up.
  void failed(const SweepBatch& batch, std::size_t graded, bool begun, const std::string& message,
              int exit_code = 0);

  // The lane is to blame: what it did not grade waits as before.
  void give_back(const SweepBatch& batch, std::size_t graded);
  // One failure of the task was the lane's.
  void take_back_failure(std::size_t task);

  std::size_t left() const { return left_; }  // tasks without an end, waiting or with a lane
  const std::vector<SweepFailure>& failures() const { return failures_; }

 private:
  struct Group {
    std::deque<std::size_t> fresh;
    std::deque<std::size_t> suspects;  // each to be tried alone
    std::set<std::size_t> refused;     // alone and in a row, with these words
    std::string words;
    int exit_code = 0;  // that came with them
    std::size_t waiting() const { return fresh.size() + suspects.size(); }
  };

  using Groups = std::map<std::size_t, Group>;

  Groups::iterator choose(std::optional<std::size_t> last, const std::set<std::size_t>& avoided);
  void blame(Group& group, std::size_t task, const std::string& message, int exit_code);
  void give_up(std::size_t task, const std::string& message, int exit_code);
  void give_up_group(Group& group);

  std::size_t lanes_;
  Groups groups_;
  std::map<std::size_t, int> attempts_;  // of tasks that failed
  std::size_t left_ = 0;
  std::vector<SweepFailure> failures_;
};

// Tells whether a lane's failures are its own fault, from the sequence of its results and refusals. A
// refusal is a batch that the lane gave back before a candidate had begun, or for a reason that is the
// machine's.
class LaneHealth {
 public:
  static constexpr int most_refusals = 3;

  void succeeded();
  // `blamed`: the task that was blamed for it, if any.
  void refused(std::size_t group, std::optional<std::size_t> blamed);

  // The lane's last answer was a result: a refusal now is the batch's fault, as far as can be known.
  bool is_good() const { return good_; }
  // So many refusals without one result in between.
  bool is_broken() const { return refusals_ >= most_refusals; }
  // Groups that it has ever refused. The lane gets the others first: they show whose fault the refusals were.
  const std::set<std::size_t>& avoided() const { return avoided_; }
  // The task that was blamed since the last result; if the lane is broken, the blame was wrong.
  std::optional<std::size_t> blamed() const { return blamed_; }

 private:
  bool good_ = false;
  int refusals_ = 0;
  std::set<std::size_t> avoided_;
  std::optional<std::size_t> blamed_;
};

}  // namespace kgrade
