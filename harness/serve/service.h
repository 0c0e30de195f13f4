// A service that grades jobs on lanes: it accepts jobs durably, queues them fairly, and keeps their results.
// The service knows nothing of HTTP. Everything runs in one thread. No call blocks except commit(), which
// waits for the disk.
//
// The service itself holds no GPU and runs no candidate. Its lanes do, on this machine or on others
// (lanes/dispatcher.h).
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "grade/failure.h"
#include "lanes/dispatcher.h"
#include "problem/problem.h"
#include "serve/boards.h"
#include "serve/contest.h"
#include "serve/events.h"
#include "serve/grade_job.h"
#include "serve/journal.h"
#include "serve/owner_limits.h"
#include "serve/uploads.h"

namespace kgrade {

struct ServiceLimits {
  std::size_t queued = 10'000;                // jobs of all owners
  std::size_t queued_of_owner = 2'000;        // jobs of one owner
  std::size_t bytes = std::size_t{1} << 30;   // texts of all queued jobs
  double keep_seconds = 86'400;               // how long a result is kept
  std::size_t kept = 50'000;                  // results of jobs that have ended
  std::uint64_t kept_bytes = 10'000'000'000;  // of the kept results, with records and sources
  // How long a result of a contest is kept. Results of contests have limits of their own. The limits of their
  // number and bytes are as large as `kept` and `kept_bytes`.
  double keep_contest_seconds = 366 * 86'400.0;
};

struct ServiceOptions : DispatcherOptions {
  std::filesystem::path state;              // its folder: the journal, records, and files of running jobs
  LaneOptions lane;                         // all but the device and a request's options
  std::map<std::string, Problem> problems;  // for requests, by slug; empty: those of the folders
  bool shows_boards = false;                // each owner sees the best speeds of the others
  std::optional<Competition> contest;       // if set, only teachers can send other problems
  ServiceLimits limits;
};

// A client of the service, with its rights.
struct Client {
  std::string owner;
  bool may_seed = false;
  bool may_upload = false;             // problems
  bool is_teacher = false;             // sees what students send in a contest, and is not bound by it
  Feedback feedback = Feedback::full;  // the most that it may learn of its jobs
  double quota_s = 0;                  // seconds of lane time in an hour; 0: no limit
};

// Why a request was not carried out. The answer in HTTP is made from this (RFC 9457).
struct Refusal {
  int status = 400;
  std::string detail;
  int retry_after_s = 0;   // 0: trying again does not help
  std::string allow = {};  // the methods that the path takes, with 405
};

enum class View { reward, agent, record, source };

class Service : private DispatcherClient {
 public:
  // The rate of grades is measured over this time, or over the time since the service began if that is
  // shorter.
  static constexpr double rate_seconds = 300;

  // Opens the state folder, and goes on with the jobs in its journal. Errors if the folder cannot be used.
  static Result<std::unique_ptr<Service>> open(ServiceOptions options);
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Readable when go_on() has something to do. Call go_on() when it is readable, and also ten times a second,
  // because go_on() looks at the clock.
  int descriptor() const { return dispatcher_.descriptor(); }
  void go_on();
  // The service's clock, in seconds.
  double now() const { return options_.clock(); }

  // Calls `then` after the next commit, when all that has happened so far is durable. An answer to a client
  // is sent only then.
  void after_commit(std::function<void()> then) { after_commit_.push_back(std::move(then)); }
  bool has_to_commit() const { return journal_.has_pending() || !after_commit_.empty(); }
  // Writes the journal to the disk, then calls the functions that after_commit() was given. If the journal
  // cannot be written, returns false and keeps these functions for a later commit.
  bool commit();

  // Accepts a job. `body`: the request's text. `key`: an Idempotency-Key, or empty. Returns the job's id. If
  // the owner has sent the same key and body before, this is the earlier job's id.
  std::variant<std::string, Refusal> submit(const Client& client, const std::string& key,
                                            const std::string& body);
  // The job of that owner. Null if there is none.
  const GradeJob* find(const std::string& owner, const std::string& id) const;
  // Like find() for the client's own jobs. A teacher also finds the jobs of students in a contest.
  const GradeJob* find_for(const Client& client, const std::string& id) const;
  // Up to `most` jobs of that owner that find_for() finds for the client, the newest first. `before`: the id
  // of a job; only older jobs are returned. An empty `before` begins with the newest job.
  std::vector<const GradeJob*> jobs_of(const Client& client, const std::string& owner,
                                       const std::string& before, std::size_t most) const;
  // Cancels a job. False if it had ended.
  bool cancel(const std::string& owner, const std::string& id);
  // Calls `then` once: when one job (`all`: every job) has ended durably, or after `seconds`. If `seconds` is
  // 0, `then` is called after the next commit. Jobs that do not exist count as ended.
  void wait(const std::string& owner, const std::vector<std::string>& ids, bool all, double seconds,
            std::function<void()> then);

  // The recent and coming events of all jobs.
  Events& events() { return events_; }

  // A view of a job as JSON. Null if the job has no such view. `is_teacher`: nothing is left out because of
  // the feedback level.
  nlohmann::ordered_json view_of(const GradeJob& job, View view, bool is_teacher = false) const;
  // {"id", "state", "position", "estimate_s", "doing"}. `positions`: the positions of the owner's jobs, for
  // an answer about many jobs. A job in a lane's batch also counts as queued until the lane begins it.
  using Positions = std::unordered_map<std::string, std::size_t>;
  nlohmann::ordered_json status_of(const GradeJob& job, const Positions* positions = nullptr) const;
  Positions positions(const std::string& owner) const;
  // The state of each lane. Only the owner of a job sees the job's id and problem.
  nlohmann::ordered_json capacity(const std::string& owner) const;
  std::string metrics() const;  // in Prometheus's text format
  // The last message of the program when a signal ends it. Says how many jobs wait for the next start, and in
  // which folder.
  std::string farewell() const;
  // True if a lane is idle, or has given a result or begun a job in the last ten minutes.
  bool is_healthy() const;
  // Writes a line to the service's own log.
  const std::function<void(const std::string&)>& note() const { return options_.note; }
  // The refusal of a slug of which the client sees no problem. Names the most similar slug.
  Refusal no_problem(const std::string& slug, const Client& client) const;
  // The service's contest. Null if there is none.
  const Competition* contest() const { return options_.contest ? &*options_.contest : nullptr; }
  // Whether the client takes part in the contest, and is bound by its rules.
  bool is_contestant(const Client& client) const { return options_.contest && !client.is_teacher; }
  // Whether the client sees this problem. False if it does not exist.
  bool shows(const Client& client, const std::string& slug) const;
  // The standings of the contest, which must exist. `students`: the owners who may take part.
  nlohmann::ordered_json standings(const Client& client, const std::vector<std::string>& students) const;
  std::string standings_csv(const Client& client, const std::vector<std::string>& students,
                            std::size_t longest) const;
  // The best results of that problem, for that owner (serve/boards.h).
  nlohmann::ordered_json board_of(const std::string& slug, const std::string& owner) const;
  Uploads& uploads() { return uploads_; }
  // The problems that a request may name, by slug.
  const std::map<std::string, Problem>& problems() const { return problems_; }

 private:
  Service(ServiceOptions options, Journal journal);

  Failure read_problems();
  Failure restore();
  void restore_line(const nlohmann::json& line);
  static std::string begun_line(const std::string& id);
  void compact();

  void enqueue(GradeJob& job);
  // The service as the dispatcher's client, in service_lanes.cc.
  Result<LaneJob> lane_job(const std::vector<std::string>& ids, const std::string& batch) override;
  void batch_ended(const std::string& batch) override;
  void at_work(const std::string& id) override;
  void begun(const std::string& id) override;
  bool shows_doing(const std::string& id) const override;
  void waits_again(const std::string& id) override;
  std::string result(const std::string& id, const std::string& batch, const std::string& text) override;
  void failed(const std::string& id, const std::string& batch, const std::string& why,
              int exit_code) override;
  void overran(const std::string& id) override;
  void charged(const std::string& owner, double seconds) override;
  // The folder of a batch's files.
  std::filesystem::path folder_of(const std::string& batch) const;
  std::string why_not_of(const GradeJob& job, const Record& record) const;
  // The recent rate of grades, per second. 0 if there were none.
  double rate() const;
  void forget_surplus(double now);
  void keep(const GradeJob& job, double ended_at);
  // In service_contest.cc. Writes the options that the contest decides into a contestant's request. Returns a
  // Refusal if the contest does not accept the request.
  std::optional<Refusal> bind(nlohmann::json& request) const;
  Standings::View standings_view(const Client& client, const std::vector<std::string>& students) const;
  // The candidate of a request, {"name", "source", "headers"}.
  nlohmann::ordered_json source_of(const GradeJob& job) const;
  // Writes the candidate of a job that ends into a file.
  void keep_source(GradeJob& job) const;
  std::filesystem::path source_file(const std::string& id) const;
  // Sends an event to the job's owner after the next commit.
  void tell(const GradeJob& job, const char* kind, nlohmann::ordered_json data);
  void end(GradeJob& job, JobState state, const std::function<answers::Grade()>& view);
  // The number of the batch's jobs in that state.
  std::size_t count(const LaneSlot& lane, JobState state) const;
  // The number of the owner's jobs that are in a lane's batch and not yet begun.
  std::size_t handed_out(const std::string& owner) const;
  std::filesystem::path record_file(const std::string& id) const;

  ServiceOptions options_;
  Journal journal_;
  std::map<std::string, Problem> problems_;                            // by slug
  std::map<std::string, GradeJob> jobs_;                               // by id
  std::map<std::pair<std::string, std::string>, std::string> by_key_;  // owner and key; ids
  Boards boards_;
  Standings standings_;
  Uploads uploads_;
  Events events_;
  Quotas quotas_;
  std::map<std::string, std::string> shown_problems_;  // by batch, as the client named the problem
  std::vector<std::function<void()>> after_commit_;
  Waiters waiters_;
  std::set<std::pair<double, std::string>> deadlines_;  // time and id of jobs that have not ended
  KeptResults kept_;
  KeptResults kept_of_contests_;
  std::map<std::string, std::size_t> ended_as_;  // how many jobs ended, by verdict or fault
  double began_at_ = 0;
  std::deque<double> graded_at_;  // times of grades in the last five minutes
  double next_compaction_ = 0;
  std::uint64_t compact_bytes_ = 0;  // the journal's size after the last compaction
  Dispatcher dispatcher_;            // the last member, so that the lanes end first
};

}  // namespace kgrade
