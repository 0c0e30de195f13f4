// Decides which lane grades what next, and whether a failure is the candidate's fault or the lane's. It
// starts no process and reads no clock.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kgrade {

// Tasks of one group, by number. One lane grades them in sequence.
struct SweepBatch {
  std::size_t group = 0;
  std::vector<std::size_t> tasks;
};

// A task that cannot be graded through no fault of the candidate: kgrade or the machine failed.
struct SweepFailure {
  std::size_t task = 0;
  std::string message;
  int exit_code = 0;  // says whose fault it is
};

class SweepQueue {
 public:
  static constexpr std::size_t largest_batch = 32;

  // `group_of[task]` is the group of each task to grade. It is empty for tasks that are done.
  SweepQueue(const std::vector<std::optional<std::size_t>>& group_of, std::size_t lanes);

  // Takes a batch for a lane that graded the group `last` before. Prefers more tasks of that group, since its
  // oracle and reference are built, and otherwise the group with the most tasks left. Takes from `avoided`
  // groups only if nothing else waits. A batch is the lane's share of the remaining tasks, so that all lanes
  // end together. Returns nothing if no task waits. Later a failing lane may give tasks back. `is_late`: says
  // which tasks are still being built; null: none. They are taken only if nothing else waits.
  using IsLate = std::function<bool(std::size_t task)>;
  std::optional<SweepBatch> take(std::optional<std::size_t> last, const std::set<std::size_t>& avoided = {},
                                 const IsLate& is_late = nullptr);

  // Up to `most` waiting tasks that have not been tried, in the order in which lanes at these groups will
  // take them.
  std::vector<std::size_t> upcoming(const std::vector<std::size_t>& current, std::size_t most) const;

  void finished(std::size_t task);
  // The lane could not continue. `graded` tasks of the batch are finished. `begun`: the next task had begun.
  // If that task had begun or was alone, it is blamed: it is tried once more, alone, and given up after a
  // second failure. Otherwise any remaining task may be to blame, and each is tried alone. A whole group is
  // given up if three of its tasks in a row are refused alone, before they began, with the same message.
  void failed(const SweepBatch& batch, std::size_t graded, bool begun, const std::string& message,
              int exit_code = 0);

  // The lane is blamed: its ungraded tasks wait as before.
  void give_back(const SweepBatch& batch, std::size_t graded);
  // Forgets one failure of the task, because it was the lane's fault.
  void take_back_failure(std::size_t task);

  std::size_t left() const { return left_; }  // tasks that have not ended; they wait or are in a lane
  const std::vector<SweepFailure>& failures() const { return failures_; }

 private:
  struct Group {
    std::deque<std::size_t> fresh;
    std::deque<std::size_t> suspects;  // each to be tried alone
    std::set<std::size_t> refused;     // alone and in a row, with the message `words`
    std::string words;
    int exit_code = 0;  // of these refusals
    std::size_t waiting() const { return fresh.size() + suspects.size(); }
  };

  using Groups = std::map<std::size_t, Group>;

  Groups::iterator choose(std::optional<std::size_t> last, const std::set<std::size_t>& avoided,
                          const IsLate& is_late);
  void blame(Group& group, std::size_t task, const std::string& message, int exit_code);
  void give_up(std::size_t task, const std::string& message, int exit_code);
  void give_up_group(Group& group);

  std::size_t lanes_;
  Groups groups_;
  std::map<std::size_t, int> attempts_;  // of tasks that failed
  std::size_t left_ = 0;
  std::vector<SweepFailure> failures_;
};

// Decides whether a lane's failures are its own fault, from the sequence of its results and refusals. In a
// refusal, the lane gave a batch back or died before a candidate had begun, or gave it back because of a
// fault of the machine. Sweep::clean_up_after() and Sweep::blame() in sweep.cc decide which it was.
class LaneHealth {
 public:
  static constexpr int most_refusals = 3;

  void succeeded();
  // `blamed`: the task that was blamed for the refusal, if any.
  void refused(std::size_t group, std::optional<std::size_t> blamed);
  // The lane ended without work.
  void did_not_start() { refusals_ += 1; }

  // True if the lane's last answer was a result. Then a refusal is assumed to be the batch's fault.
  bool is_good() const { return good_; }
  // True after most_refusals refusals without a result in between.
  bool is_broken() const { return refusals_ >= most_refusals; }
  // The groups that the lane has ever refused. It gets other groups first, which shows whose fault the
  // refusals were.
  const std::set<std::size_t>& avoided() const { return avoided_; }
  // The task that was blamed since the last result. If the lane is broken, the blame was wrong.
  std::optional<std::size_t> blamed() const { return blamed_; }

 private:
  bool good_ = false;
  int refusals_ = 0;
  std::set<std::size_t> avoided_;
  std::optional<std::size_t> blamed_;
};

}  // namespace kgrade
