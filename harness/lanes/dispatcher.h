// clang-format off
// Hands jobs to lanes, for a sweep and for a service. Decides which jobs a lane grades next, which candidates
// are built ahead, which job is blamed when a lane cannot go on, and which lane gets no work. Everything runs
// in one thread, and no call blocks. The client keeps a log of its jobs, so that a later run of it can go on.
//
// A lane gets a batch: jobs of one owner and one batch key, which names their problem (lanes/queue.h). "The
// batch ends" below means that the lane dies, says nothing for too long, or says why it gives up. In every
// row the lane gets work again afterwards, unless the text below says otherwise.
//
// | what happens                               | this job        | other jobs of the batch      | the lane     |
// | ------------------------------------------ | --------------- | ---------------------------- | ------------ |
// | a result that the client accepts           | has ended       | -                            | is trusted   |
// | a result that the client refuses           | as the next row | as the next row              | starts again |
// | the batch ends, and a job had begun        | is blamed       | wait as before               | starts again |
// | it ends with exit_usage, none begun        | is blamed, if alone | each is tried alone          | starts again |
// | it ends in another way, none begun: a refusal | see below    | each is tried alone          | has refused  |
// | the lane ends idle, or cannot start        | -               | wait as before               | has refused  |
// | a job is over its run limit                | has ended, if alone, or is tried alone | is each tried alone | starts again |
// | a job is removed                           | has ended       | wait as before               | starts again |
//
// - A job that is blamed is tried once more: alone, and by another lane if one works. The job fails when it
//   is blamed a second time. With exit_usage it fails the first time, since another try would end in the same
//   way.
// - A job that is refused alone goes to another lane. The job is blamed if there is no other lane, or if the
//   lane gave a result just before this refusal.
// - If a lane has refused three jobs of a problem, and begun none, it sets the problem aside and takes other
//   problems. If all lanes that work have set a problem aside, its waiting jobs fail. Ten minutes after its
//   last refusal, a lane tries the problems that it has set aside again.
// - A lane is paused if it refuses three times in a row, either jobs of several problems or because of its
//   machine. The first pause takes a minute, the second two minutes, and no pause more than an hour.
// - A lane elsewhere counts as working during the first ten minutes of its start.
// - When a lane is paused or sets a problem aside, the jobs that must run alone because of its refusals may
//   share a batch again. When a lane is paused, jobs also lose the blame that they got on this lane since its
//   last result.
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
  std::string name;        // by which a job names the lane that it avoids
  std::string device;
  std::optional<std::string> host;  // of a lane that is elsewhere, when it has said so
  std::optional<Lane> process;      // started with its first batch, or before if it is elsewhere
  std::string batch_id;             // 32 random hexadecimal digits: an answer to another batch never counts
  std::vector<QueuedJob> batch;     // empty: the lane has nothing to do
  std::vector<bool> has_begun, is_done;  // for each job of the batch
  Warmth warmth;
  std::string doing;         // what the lane said last, printable
  double since = 0;          // when the lane last got work, ended work or was started
  double heard_at = 0;       // when its process last reported progress
  double charged_until = 0;  // up to this time, owners have been charged
  std::size_t spender = 0;   // the job of the batch that takes the lane's time
  double spent_s = 0;        // what that job's candidate has taken of its run limit
  double away_s = 0;         // how long this process, and perhaps the lane's, was stopped in the batch
  bool is_trusted = false;   // it has given a result, and refused nothing since
  int refusals = 0;          // in a row
  std::set<std::string> refused_problems = {};  // the problems of these refusals
  double refused_at = 0;
  double pause_s = 0;  // length of the present or latest pause
  double paused_until = 0;
  std::vector<std::string> blamed = {};      // jobs that were blamed since its last result
  std::vector<std::string> made_alone = {};  // jobs that must run alone, since the lane refused them together

  // The number of the batch's jobs without a result.
  std::size_t left() const;
  std::optional<std::size_t> index_of(const std::string& job) const;
  // The first job that has begun and has no result. Null before the first one begins.
  const QueuedJob* current() const;
};

// The owner of the dispatcher's jobs: a sweep or a service.
class DispatcherClient {
 public:
  virtual ~DispatcherClient() = default;
  // The message for a lane that grades these jobs together. `batch`: the batch's id, for the name of a
  // folder. An Error if the message cannot be made, which is not the jobs' fault.
  virtual Result<LaneJob> lane_job(const std::vector<std::string>& ids, const std::string& batch) = 0;
  // The lane has nothing more to do with the batch.
  virtual void batch_ended(const std::string& /*batch*/) {}
  // A lane builds the job's candidate. begun() comes later.
  virtual void at_work(const std::string& /*id*/) {}
  virtual void begun(const std::string& /*id*/) {}
  // Whether other users may see what the lane is doing with the job.
  virtual bool shows_doing(const std::string& /*id*/) const { return true; }
  // A job that was in a lane's batch waits in the queue again.
  virtual void waits_again(const std::string& /*id*/) {}
  // Takes a result. Returns what is wrong with it if it is not a result of this job, and otherwise an empty
  // text.
  virtual std::string result(const std::string& id, const std::string& batch, const std::string& text) = 0;
  // The job has ended without a result. `exit_code`: says whose fault it is. `batch`: empty if `why` comes
  // from other jobs of the same problem.
  virtual void failed(const std::string& id, const std::string& batch, const std::string& why,
                      int exit_code) = 0;
  // The job has ended because its candidate took longer than the run limit.
  virtual void overran(const std::string& /*id*/) {}
  // The owner's jobs have used a lane for `seconds`.
  virtual void charged(const std::string& /*owner*/, double /*seconds*/) {}
};

struct DispatcherOptions {
  // One device for each lane: "cuda:0". If the lanes are elsewhere, only a name for messages: "lane 1".
  std::vector<std::string> devices;
  LaneCommand lane_command;
  // Starts the lane with that number. Set by tests; if empty, the lane's command is started.
  std::function<Result<Lane>(std::size_t number)> start_lane = nullptr;
  int build_jobs = 0;  // processes that build the next candidates
  // Jobs may come at any time and from any owner. Then lanes elsewhere are started before there is work. A
  // lane gets only jobs that are built: while a compiler works, the lane may get another job.
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
  // The client has ended the job. If a lane is grading the job, the lane's process is ended.
  void remove(const std::string& id);

  // Readable when hear() has something to do. Call hear() and then hand_out() when it is readable, and also
  // ten times a second, because both look at the clock.
  int descriptor() const { return epoll_.get(); }
  // Reads the messages of lanes, and looks at the clock. False if this process was stopped for a while. In
  // that case no deadline may count as missed yet, because messages of lanes may still be unread.
  bool hear();
  // Gives work to builders and lanes.
  void hand_out();

  const JobQueue& queue() const { return queue_; }
  const std::list<LaneSlot>& lanes() const { return lanes_; }
  // Jobs that have not ended. They wait or are in a lane.
  std::size_t left() const;
  // The lane whose batch has the job. Null if the job waits or is unknown.
  const LaneSlot* lane_of(const std::string& id) const;
  // False for a lane elsewhere that has not sent its first message.
  bool is_there(const LaneSlot& lane) const;
  // The lane gets no work, since it has refused too often.
  bool is_paused(const LaneSlot& lane) const;
  // The reason for the latest pause of any lane: "cuda:0: no such device".
  const std::string& last_words() const { return last_words_; }

  bool is_being_built(const std::string& id) const { return ahead_.is_being_built(id); }
  // How long a builder took to build the job's candidate. 0 if the builder compiled nothing or has not ended.
  double build_seconds(const std::string& id) const { return ahead_.seconds_of(id); }
  // The id of the batch in which a builder builds this job.
  static std::string build_id(const std::string& id) { return "build-" + id; }

 private:
  std::vector<QueuedJob> next_batch(const LaneSlot& lane);
  std::vector<BuildTask> upcoming() const;
  void build_ahead();
  // Makes hear() look at the descriptor when it can be read. If the lane has something unsent, also when the
  // descriptor can be written. `lane`: the lane of the descriptor, or null for a builder's.
  void wait_for(int descriptor, LaneSlot* lane);
  // Whether the lane can get a batch. Starts a lane that is elsewhere if it has no process.
  bool is_ready(LaneSlot& lane);
  // True if the lane is not paused, and is there or has been starting for less than ten minutes.
  bool works(const LaneSlot& lane) const;
  Failure start_process(LaneSlot& lane);
  // Gives the lane a batch. False if the lane's process cannot be started, or the message for it cannot be
  // made.
  bool start(LaneSlot& lane, std::vector<QueuedJob> batch);
  void hear(LaneSlot& lane);
  void process_ended(LaneSlot& lane);
  void take(LaneSlot& lane, const LaneMessage& message);
  void keep_result(LaneSlot& lane, std::size_t index, const std::string& text);
  bool look_at_the_clock();
  void charge(LaneSlot& lane, double now);
  // The lane could not go on with its batch. `names_machine`: the lane said that its machine is at fault.
  void batch_failed(LaneSlot& lane, const std::string& why, int exit_code, bool names_machine = false);
  // Counts the refusal of a batch. Returns true if the refused job is blamed.
  bool refuse_batch(LaneSlot& lane, const std::string& why, int exit_code, bool names_machine);
  void blame(LaneSlot& lane, QueuedJob job, const std::string& why, int exit_code);
  // Ends the lane's process. The jobs of its batch wait again. `alone`: each of them must be graded alone.
  void interrupt(LaneSlot& lane, bool alone);
  void give_back(QueuedJob job);
  void ended(const std::string& id);
  void close_batch(LaneSlot& lane);
  void stop_process(LaneSlot& lane);
  // Counts a refusal of that problem. An empty `problem`: the lane could not work at all. True if the lane is
  // paused from now on.
  bool refuse(LaneSlot& lane, const std::string& problem, const std::string& why, bool is_of_machine);
  void let_join(LaneSlot& lane);
  void end_refused_problems();
  // Whether another lane works and has not set the problem aside.
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
  std::map<std::string, int> failures_;  // how often each job was blamed, until the job ends
  // Problems that a lane has set aside, with the reason and the exit code of its last refusal.
  std::map<std::string, std::pair<std::string, int>> refused_problems_;
  // Processes of lanes that have been asked to end, and when they are killed.
  std::list<std::pair<Lane, double>> ending_;
  std::string last_words_;
  BuildAhead ahead_;
  double next_building_ = 0;
  bool is_offered_ = true;  // the builders know of all queued jobs
  double looked_at_ = 0;
  bool was_away_ = false;
};

}  // namespace kgrade
