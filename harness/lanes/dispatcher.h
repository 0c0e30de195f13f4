// clang-format off
// Hands jobs to lanes, for a sweep and for a service: which lane grades what next, what is built ahead, who is
// blamed when a lane cannot go on, and which lane gets no work. Everything runs in one thread, and nothing
// waits. The client keeps the log from which it goes on after its own end.
//
// A lane gets a batch: jobs of one owner and one batch key, which names their problem (lanes/queue.h). It goes on
// after each row. A lane dies, says nothing for too long, or says why it gives up.
//
// | what happens                               | this job        | the others of the batch      | the lane     |
// | ------------------------------------------ | --------------- | ---------------------------- | ------------ |
// | a result that the client takes             | has ended       | -                            | is trusted   |
// | a result that it does not take             | as the next row | as the next row              | starts again |
// | the batch ends, and a job had begun        | is blamed       | wait as before               | starts again |
// | it ends as wrong (exit_usage), none begun  | is blamed, if alone | each is tried alone          | starts again |
// | it ends in another way, none begun: a refusal | see below    | each is tried alone          | has refused  |
// | the lane ends without work, does not start | -               | wait as before               | has refused  |
// | a job is over its run limit                | has ended, if alone, or is tried alone | is each tried alone | starts again |
// | a job is removed                           | has ended       | wait as before               | starts again |
//
// - A job that is blamed is tried once more: alone, and by another lane if one works. It ends as failed after the
//   second time, and after the first if it was called wrong, since it stays wrong.
// - A job that is refused alone goes to another lane. It is blamed if there is none, or if the last that the lane
//   had said was a result.
// - A problem of which a lane has refused three jobs, and begun none, is set aside: the lane takes others. If all
//   lanes that work have set it aside, its waiting jobs end as failed. After ten minutes a lane tries it again.
// - A lane is paused if it refuses three times in a row, of several problems or because of its machine: for a
//   minute, the next time for two, and for an hour at most.
// - A lane elsewhere that is starting counts as one that works, for ten minutes.
// - When a lane is paused or sets a problem aside, the jobs that it made alone may be together again. A paused lane
//   has also its blame since its last result taken back.
// clang-format on
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "grade/failure.h"
#include "lanes/build_ahead.h"
#include "lanes/lane.h"
#include "lanes/queue.h"

namespace kgrade {

// A lane of a dispatcher, and the batch that it grades. Times are in seconds, by the dispatcher's clock.
struct LaneSlot {
  std::size_t number = 0;  // from 0
  std::string name;        // that jobs avoid
  std::string device;
  std::optional<std::string> host;  // of a lane that is elsewhere, when it has said so
  std::optional<Lane> process;      // started with its first batch, or before if it is elsewhere
  std::string batch_id;             // 32 random hexadecimal digits: an answer to another batch never counts
  std::vector<QueuedJob> batch;     // empty: the lane has nothing to do
  std::vector<bool> has_begun, is_done;  // for each job of the batch
  Warmth warmth;
  std::string doing;         // what the lane said last, printable
  double since = 0;          // when it got work, or ended it, or refused it too often
  double heard_at = 0;       // when its process last said that it got on
  double charged_until = 0;  // up to when its time is charged to owners
  std::size_t spender = 0;   // the job of the batch that takes the lane's time
  double spent_s = 0;        // what that job's candidate has taken of its run limit, as the process says
  double away_s = 0;         // how long this process was away during the batch, and perhaps the lane's too
  bool is_trusted = false;   // the last that it did was to give a result
  int refusals = 0;          // in a row
  std::set<std::string> refused_problems = {};  // by these refusals
  double refused_at = 0;
  double pause_s = 0;  // for which it gets no work, or got none
  double paused_until = 0;
  std::vector<std::string> blamed = {};      // jobs, since its last result
  std::vector<std::string> made_alone = {};  // jobs, by its refusals

  // The number of the batch's jobs without a result.
  std::size_t left() const;
  std::optional<std::size_t> index_of(const std::string& job) const;
  // The first job that has begun and has no result. Null before the first one begins.
  const QueuedJob* current() const;
};

// Whose jobs they are: a sweep or a service.
class DispatcherClient {
 public:
  virtual ~DispatcherClient() = default;
  // The job for a lane that grades these jobs together. `batch`: the batch's id, for a folder. An Error if it
  // cannot be made: it is not the jobs' fault.
  virtual Result<LaneJob> lane_job(const std::vector<std::string>& ids, const std::string& batch) = 0;
  // The lane has nothing more to do with the batch.
  virtual void batch_ended(const std::string& /*batch*/) {}
  // A lane works on the job: it builds it.
  virtual void at_work(const std::string& /*id*/) {}
  virtual void begun(const std::string& /*id*/) {}
  // Whether others may see what the lane says that it does with the job.
  virtual bool shows_doing(const std::string& /*id*/) const { return true; }
  // A job of a batch waits again.
  virtual void waits_again(const std::string& /*id*/) {}
  // Takes a result. Says what is wrong with it, if it is not the job's.
  virtual std::string result(const std::string& id, const std::string& batch, const std::string& text) = 0;
  // The job has ended without a result. `exit_code`: whose fault it is. `batch`: empty if `why` was said of
  // other jobs of its problem.
  virtual void failed(const std::string& id, const std::string& batch, const std::string& why,
                      int exit_code) = 0;
  // The job has ended, since its candidate took longer than its run limit.
  virtual void overran(const std::string& /*id*/) {}
  // The owner's jobs have used a lane for so many seconds.
  virtual void charged(const std::string& /*owner*/, double /*seconds*/) {}
};

struct DispatcherOptions {
  // One for each lane: "cuda:0". If the lanes are elsewhere, only a name for messages: "lane 1".
  std::vector<std::string> devices;
  LaneCommand lane_command;
  // A test's, by the lane's number; empty: starts the command.
  std::function<Result<Lane>(std::size_t number)> start_lane = nullptr;
  int build_jobs = 0;  // processes that build what is graded next
  // Jobs come at any time, of any owner. Lanes elsewhere are started before there is work, and a lane waits
  // for no compiler, since it may get another job.
  bool expects_more = false;
  std::function<double()> clock = [] { return SteadyClock().now(); };
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

class Dispatcher {
 public:
  static constexpr int most_refusals = 3;

  // The client must outlive the dispatcher. The destructor ends all lanes.
  Dispatcher(DispatcherOptions options, DispatcherClient& client);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void add(QueuedJob job);
  // The client has ended the job. If a lane has it, its process is ended too.
  void remove(const std::string& id);

  // Readable when hear() has something to do. Call hear() and then hand_out() then, and ten times a second
  // for what time brings.
  int descriptor() const { return epoll_.get(); }
  // Takes what lanes have said, and looks at the clock. False after a pause of this process: nobody is late
  // before it is clear what has happened meanwhile, since lanes may have sent what nobody has read yet.
  bool hear();
  // Gives work to builders and lanes.
  void hand_out();

  const JobQueue& queue() const { return queue_; }
  const std::list<LaneSlot>& lanes() const { return lanes_; }
  // Jobs that have not ended. They wait or are in a lane.
  std::size_t left() const;
  // The lane that has the job. Null if it waits, or is unknown.
  const LaneSlot* lane_of(const std::string& id) const;
  // False for a lane elsewhere that has not said that it is there.
  bool is_there(const LaneSlot& lane) const;
  // The lane gets no work, since it has refused too often.
  bool is_paused(const LaneSlot& lane) const;
  // What a lane gave as the reason when it was paused last: "cuda:0: no such device".
  const std::string& last_words() const { return last_words_; }

  bool is_being_built(const std::string& id) const { return ahead_.is_being_built(id); }
  // How long a builder took for the job's candidate. 0 if it compiled nothing, or has not ended.
  double build_seconds(const std::string& id) const { return ahead_.seconds_of(id); }
  // The batch's id for the files of a job that is built.
  static std::string build_id(const std::string& id) { return "build-" + id; }

 private:
  std::vector<QueuedJob> next_batch(const LaneSlot& lane);
  std::vector<BuildTask> upcoming() const;
  std::optional<LaneJob> job_of(const BuildTask& task);
  void build_ahead();
  // hear() looks when the descriptor can be read, or written if the lane is to be sent something. `lane`:
  // whose it is, or null for a builder.
  void wait_for(int descriptor, LaneSlot* lane);
  // Whether the lane is there. Starts one that is elsewhere.
  bool is_ready(LaneSlot& lane);
  // The lane is not paused. It is there, or has been starting for less than ten minutes.
  bool works(const LaneSlot& lane) const;
  Failure start_process(LaneSlot& lane);
  // False if its process cannot be started, or the job cannot be made.
  bool start(LaneSlot& lane, std::vector<QueuedJob> batch);
  void hear(LaneSlot& lane);
  void process_ended(LaneSlot& lane);
  void take(LaneSlot& lane, const LaneMessage& message);
  void keep_result(LaneSlot& lane, std::size_t index, const std::string& text);
  bool look_at_the_clock();
  void look_at_run_limits();
  void look_at_silence(double now);
  void charge(LaneSlot& lane, double now);
  // The lane could not go on with its batch. `names_machine`: it said that its machine is at fault.
  void batch_failed(LaneSlot& lane, const std::string& why, int exit_code, bool names_machine = false);
  // Returns true if the refused job is blamed.
  bool refuse_batch(LaneSlot& lane, const std::string& why, int exit_code, bool names_machine);
  void blame(LaneSlot& lane, QueuedJob job, const std::string& why, int exit_code);
  // Its jobs wait as before, and alone if asked.
  void interrupt(LaneSlot& lane, bool alone);
  void give_back(QueuedJob job);
  void ended(const std::string& id);
  void close_batch(LaneSlot& lane);
  void stop_process(LaneSlot& lane);
  void end_processes(double now);
  // Counts a refusal of that problem, or of the lane as such. True if the lane gets no work from now on.
  bool refuse(LaneSlot& lane, const std::string& problem, const std::string& why, bool is_of_machine);
  void let_join(LaneSlot& lane);
  void end_refused_problems();
  // Whether another lane works, and takes the problem.
  bool has_other(const LaneSlot& lane, const std::string& problem) const;
  double now() const { return options_.clock(); }

  // The process looks at the clock ten times a second. After a longer gap between two looks, the process or
  // the whole machine must have been stopped in between.
  static constexpr double longest_tick_s = 5;

  DispatcherOptions options_;
  DispatcherClient& client_;
  UniqueFd epoll_;
  JobQueue queue_;
  std::list<LaneSlot> lanes_;
  std::map<std::string, int> failures_;  // of jobs that have not ended
  // Problems that a lane has set aside, with what it said last, and the exit code.
  std::map<std::string, std::pair<std::string, int>> refused_problems_;
  // Processes of lanes that are to end, and until when.
  std::list<std::pair<Lane, double>> ending_;
  std::string last_words_;
  BuildAhead ahead_;
  double next_building_ = 0;
  bool is_offered_ = true;  // the builders know of all queued jobs
  double looked_at_ = 0;
  bool was_away_ = false;
};

}  // namespace kgrade
