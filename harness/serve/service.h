// A service that grades jobs on lanes: it accepts jobs durably, queues them fairly, and keeps their results.
// It knows nothing of HTTP. Everything runs in one thread, and nothing waits except commit(), for the disk.
//
// The service itself holds no GPU and runs no candidate. Lanes do (lanes/dispatcher.h), on this machine or on
// others.
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
#include "serve/kept_results.h"
#include "serve/quotas.h"
#include "serve/standings.h"
#include "serve/uploads.h"

namespace kgrade {

struct ServiceLimits {
  std::size_t queued = 10'000;                // jobs of all owners
  std::size_t queued_of_owner = 2'000;        // jobs of one owner
  std::size_t bytes = std::size_t{1} << 30;   // texts of all queued jobs
  double keep_seconds = 86'400;               // how long a result is kept
  std::size_t kept = 50'000;                  // results of jobs that have ended
  std::uint64_t kept_bytes = 10'000'000'000;  // of these results, their records and sources
  // The same for what was sent in a contest. It has limits of its own, as large as those of other results.
  double keep_contest_seconds = 366 * 86'400.0;
};

struct ServiceOptions : DispatcherOptions {
  std::filesystem::path state;              // its folder: the journal, records, and files of running jobs
  LaneOptions lane;                         // except the device, and what a request says
  std::map<std::string, Problem> problems;  // that a request may name, by slug; empty: those of the folders
  bool shows_boards = false;                // each owner sees the best speeds of the others
  std::optional<Contest> contest;           // then only teachers can send anything else
  ServiceLimits limits;
};

// Who asks.
struct Client {
  std::string owner;
  bool may_seed = false;
  bool may_upload = false;             // problems
  bool is_teacher = false;             // sees what students send in a contest, and is not bound by it
  Feedback feedback = Feedback::full;  // the most that it may learn of its jobs
  double quota_s = 0;                  // seconds of lanes in an hour; 0: as many as there are
};

// Why a request was not carried out, for an answer in HTTP (RFC 9457).
struct Refusal {
  int status = 400;
  std::string detail;
  int retry_after_s = 0;   // 0: trying again does not help
  std::string allow = {};  // the methods that the path takes, with 405
};

enum class View { reward, agent, record, source };

class Service : private DispatcherClient {
 public:
  // Grades are counted over this time for their rate, or since the service began.
  static constexpr double rate_seconds = 300;

  // Opens the state folder, and goes on with the jobs in its journal. Errors: the folder cannot be used.
  static Result<std::unique_ptr<Service>> open(ServiceOptions options);
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Readable when go_on() has something to do. Call it then, and ten times a second for what time brings.
  int descriptor() const { return dispatcher_.descriptor(); }
  void go_on();
  // The service's clock, in seconds.
  double now() const { return options_.clock(); }

  // Calls `then` after the next commit, when all that has happened so far is durable. An answer to a client
  // is sent only then.
  void after_commit(std::function<void()> then) { after_commit_.push_back(std::move(then)); }
  bool has_to_commit() const { return journal_.has_pending() || !after_commit_.empty(); }
  // Writes the journal to the disk, then calls what after_commit() was given. False if the journal could not
  // be written; the calls then wait for a later commit.
  bool commit();

  // Accepts a job. `body`: the request's text. `key`: an Idempotency-Key, or empty. Returns the id, which is
  // that of an earlier job if the owner has sent the same key and body before.
  std::variant<std::string, Refusal> submit(const Client& client, const std::string& key,
                                            const std::string& body);
  // The job of that owner. Null if there is none.
  const GradeJob* find(const std::string& owner, const std::string& id) const;
  // The same, and for a teacher also the job of a student in a contest.
  const GradeJob* find_for(const Client& client, const std::string& id) const;
  // Up to `most` jobs of that owner, the newest first, which find_for() finds. `before`: the id of a job, to
  // go on behind it; empty: from the newest.
  std::vector<const GradeJob*> jobs_of(const Client& client, const std::string& owner,
                                       const std::string& before, std::size_t most) const;
  // Cancels a job. False if it had ended.
  bool cancel(const std::string& owner, const std::string& id);
  // Calls `then` once: when one job (`all`: every job) has ended durably, or after `seconds`; at once if that
  // is 0. Jobs that do not exist count as ended.
  void wait(const std::string& owner, const std::vector<std::string>& ids, bool all, double seconds,
            std::function<void()> then);

  // What happens to jobs from now on, and did lately.
  Events& events() { return events_; }

  // Null if there is no such view. `is_teacher`: feedback hides nothing.
  nlohmann::ordered_json view_of(const GradeJob& job, View view, bool is_teacher = false) const;
  // {"id", "state", "position", "estimate_s", "doing"}. `positions`: those of the owner's jobs, for an answer
  // about many. A job whose turn in the batch of its lane has not come is queued, too.
  using Positions = std::unordered_map<std::string, std::size_t>;
  nlohmann::ordered_json status_of(const GradeJob& job, const Positions* positions = nullptr) const;
  Positions positions(const std::string& owner) const;
  // What each lane does. Only the owner of a job sees which job and problem it is.
  nlohmann::ordered_json capacity(const std::string& owner) const;
  std::string metrics() const;  // in Prometheus's text format
  // What the program says when a signal ends it: how many jobs wait for the next start, and where.
  std::string farewell() const;
  // A lane is idle, or has given a result or begun a job in the last ten minutes.
  bool is_healthy() const;
  // For the service's own log.
  const std::function<void(const std::string&)>& note() const { return options_.note; }
  // There is no problem with this slug that the client sees: says so, and names the nearest one.
  Refusal no_problem(const std::string& slug, const Client& client) const;
  // The contest that this service holds. Null if there is none.
  const Contest* contest() const { return options_.contest ? &*options_.contest : nullptr; }
  // Whether the client takes part in the contest, and is bound by it.
  bool is_contestant(const Client& client) const { return options_.contest && !client.is_teacher; }
  // Whether the client sees this problem, which may not exist.
  bool shows(const Client& client, const std::string& slug) const;
  // `students`: who may take part. There is a contest.
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
  // What the dispatcher asks, and says of its jobs: service_lanes.cc.
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
  // Ends the job with the figures of a record. Returns what is wrong if this is no record of the job's
  // candidate and problem; then the job has not ended.
  std::string finish(GradeJob& job, const std::string& record);
  std::string why_not_of(const GradeJob& job, const Record& record) const;
  void look_at_the_clock();
  // The grades of a second, lately. 0 if there was none.
  double rate() const;
  void expire(GradeJob& job);
  void forget_surplus(double now);
  void keep(const GradeJob& job, double ended_at);
  // In service_contest.cc.
  // Writes into a contestant's request what the contest decides. Or says why the contest does not take it.
  std::optional<Refusal> bind(nlohmann::json& request) const;
  Standings::View standings_view(const Client& client, const std::vector<std::string>& students) const;
  // The candidate of a request, {"name", "source", "headers"}.
  nlohmann::ordered_json source_of(const GradeJob& job) const;
  // Keeps the candidate of a job that ends.
  void keep_source(GradeJob& job) const;
  std::filesystem::path source_file(const std::string& id) const;
  // An event for the job's owner, when what has happened so far is durable.
  void tell(const GradeJob& job, const char* kind, nlohmann::ordered_json data);
  void end(GradeJob& job, JobState state, const std::function<answers::Grade()>& view);
  // The number of the batch's jobs in that state.
  std::size_t count(const LaneSlot& lane, JobState state) const;
  // The owner's jobs that lanes have in their batches and whose turn has not come.
  std::size_t handed_out(const std::string& owner) const;
  std::size_t position_of(const GradeJob& job) const;
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
  std::map<std::string, std::string> shown_problems_;  // of batches, as their client named them
  std::vector<std::function<void()>> after_commit_;
  Waiters waiters_;
  std::set<std::pair<double, std::string>> deadlines_;  // of jobs that have not ended; time and id
  KeptResults kept_;
  KeptResults kept_of_contests_;
  std::map<std::string, std::size_t> ended_as_;  // counts for metrics, by verdict or fault
  double began_at_ = 0;
  std::deque<double> graded_at_;  // in the last five minutes
  double next_compaction_ = 0;
  std::uint64_t compact_bytes_ = 0;  // the journal's size after the last compaction
  Dispatcher dispatcher_;            // last: it ends the lanes first
};

}  // namespace kgrade
