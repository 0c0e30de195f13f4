// A lane is a process that grades batches of candidates on one device, one candidate at a time, and reports
// over a socket. If it dies, the candidate that it was grading is tried once more, alone.
// SweepQueue::failed() and LaneHealth (sweep/queue.h) decide about the rest.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/unique_fd.h"
#include "grade/grade.h"
#include "grade/settings.h"

namespace kgrade {

// How all candidates of a sweep are graded.
struct LaneOptions : GradeSettings {
  std::string device = "auto";  // the value of --device
};

// What a lane does with a job. Builders fill the cache: build_for() in lane_worker.cc.
enum class LaneWork { grade, build_candidates, build_trusted };

// The most bytes that the source of a candidate may have if it is not a user's file, but an answer that a
// service was sent.
inline constexpr std::size_t longest_candidate = std::size_t{1} << 20;

// A job for a lane.
struct LaneJob {
  LaneOptions options;
  std::string problem;  // path of the file
  std::string dtype;
  std::string precision;  // the class that candidates have to reach; empty, with as_declared: the problem's
  std::vector<std::string> candidates;
  std::vector<std::size_t> numbers = {};  // of the candidates in the sweep
  LaneWork work = LaneWork::grade;
  // The candidates are answers to a service. They declare their type if `dtype` is empty, and may differ.
  bool as_declared = false;
  std::vector<std::string> cases = {};  // as for --case; empty: the usual ones
  std::string lease = {};               // repeated in each answer to this job
};

// The lane's answers, in this order: begun, doing (any number of times) and graded for each candidate, and
// ended last. If the job has a lease, also spent at any time, twice a second.
struct LaneMessage {
  enum class Kind { begun, doing, graded, spent, ended };
  Kind kind = Kind::ended;
  std::size_t candidate = 0;  // index in the job
  std::string text;           // doing: the action; graded: the record; ended: why it ended early, or empty
  int exit_code = 0;          // if it ended early: the exit code that `kgrade grade` would have
  std::uint64_t bytes = 0;    // when a job that builds has ended: bytes now in the cache
  std::string lease = {};     // of the job
  // spent: what the candidate has caused so far, before it began too: its build, loading, rehearsal and
  // calls. When a job that builds has ended: what compilers took; 0 if all came from the cache.
  double seconds = 0;
};

// The settings that change verdicts and times, except problem, candidate, effort and device, as text to
// compare.
std::string conditions_of(const LaneOptions& options);
// The line of a result: the record, with its conditions under "options".
std::string result_line_of(Record record, const LaneOptions& options);

// A job for this problem, type and class, without candidates.
LaneJob job_for(const LaneOptions& options, const Problem& problem);

// Writes one line of JSON without a line break, and reads it back. Nothing for any other line.
std::string to_line(const LaneJob& job);
std::string to_line(const LaneMessage& message);
std::optional<LaneJob> read_job(const std::string& line);
std::optional<LaneMessage> read_message(const std::string& line);

// One end of a connection over which two processes exchange lines.
class LineSocket {
 public:
  explicit LineSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // Sends a line. False if the other side is gone. `line` has no line break.
  bool send(const std::string& line) const;
  // Waits until something arrives. False at the end, when the other side is gone.
  bool receive();
  // The next complete line that has arrived.
  std::optional<std::string> next();

 private:
  UniqueFd socket_;
  std::string received_;
};

// How a lane's process ended.
struct LaneEnd {
  std::string description;  // "ended with signal 9 (Killed)"
  // By SIGKILL that we did not send: the kernel sends it when memory runs out.
  bool was_killed = false;
};

// The parent's side of a lane.
class Lane {
 public:
  // Starts `command` with the socket as descriptor 3. Its last argument and TMPDIR name a folder for
  // temporary files. The destructor removes the folder, however the process ended.
  static Result<Lane> start(const std::vector<std::string>& command);

  int descriptor() const { return socket_.descriptor(); }
  // False if the process is gone.
  bool give(const LaneJob& job);
  // Call when the descriptor is readable. Reads what is available. False at the end, when the process is
  // gone.
  bool read();
  std::optional<LaneMessage> next();
  // Call after the end of the connection: ends the process if it goes on without it.
  LaneEnd end();

 private:
  Lane(std::unique_ptr<TemporaryDirectory> folder, ChildProcess child, LineSocket socket)
      : folder_(std::move(folder)), child_(std::move(child)), socket_(std::move(socket)) {}

  std::unique_ptr<TemporaryDirectory> folder_;
  ChildProcess child_;
  LineSocket socket_;
};

// The lane's own side. Carries out jobs from the socket until it is closed. Then removes the folder, since no
// other process may be left to do so. Returns the exit code.
int run_lane(int socket, const std::filesystem::path& folder);

}  // namespace kgrade
