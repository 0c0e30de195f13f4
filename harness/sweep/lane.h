// A lane is a process that grades batches of candidates on one device, one candidate at a time, and reports
// over a socket. If it dies, only the candidate that it was grading is affected.
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
  std::string device = "auto";  // as --device has it
};

// What a lane is asked for.
struct LaneJob {
  LaneOptions options;
  std::string problem;  // path of the file
  std::string dtype;
  std::string precision;  // the class to be reached
  std::vector<std::string> candidates;
  std::vector<std::size_t> numbers = {};  // of the candidates in the sweep
  bool only_builds = false;               // fills the cache: build_for() in lane_worker.cc
};

// What it answers, in this order: for each candidate begun, doing..., graded; at last ended.
struct LaneMessage {
  enum class Kind { begun, doing, graded, ended };
  Kind kind = Kind::ended;
  std::size_t candidate = 0;  // of the job
  std::string text;           // doing: what; graded: the record; ended: why before its time, or empty
  int exit_code = 0;          // ended before its time: of `kgrade grade` in the same case
  std::uint64_t bytes = 0;    // ended, of a job that only builds: what is in the cache now
};

// What changes verdicts and times beside problem, candidate, effort and device, as text to be compared.
std::string conditions_of(const LaneOptions& options);
// The line of a result: the record, and under "options" the conditions that it was made under.
std::string result_line_of(Record record, const LaneOptions& options);

// A job of that problem, type and class, without candidates.
LaneJob job_for(const LaneOptions& options, const Problem& problem);

// One line of JSON without a break, and back; nothing for any other line.
std::string to_line(const LaneJob& job);
std::string to_line(const LaneMessage& message);
std::optional<LaneJob> read_job(const std::string& line);
std::optional<LaneMessage> read_message(const std::string& line);

// One end of a connection over which two processes exchange lines.
class LineSocket {
 public:
  explicit LineSocket(UniqueFd socket) : socket_(std::move(socket)) {}

  int descriptor() const { return socket_.get(); }
  // False when the other side is gone. `line` has no break.
  bool send(const std::string& line) const;
  // Waits until something comes; false at the end: the other side is gone.
  bool receive();
  // The next line that has come whole.
  std::optional<std::string> next();

 private:
  UniqueFd socket_;
  std::string received_;
};

// The parent's side.
class Lane {
 public:
  // Starts `command`, with the socket as descriptor 3. A folder for its temporary files is its last argument
  // and in TMPDIR; the destructor removes it, however the process ended.
  static Result<Lane> start(const std::vector<std::string>& command);

  int descriptor() const { return socket_.descriptor(); }
  // False when the process is gone.
  bool give(const LaneJob& job);
  // Reads what is there, to be called when the descriptor is readable. False at the end: the process is gone.
  bool read();
  std::optional<LaneMessage> next();
  // After the end: "signal 9 (Killed)".
  std::string describe_end();
  // After the end: by SIGKILL, which the kernel sends for want of memory.
  bool was_killed();

 private:
  Lane(std::unique_ptr<TemporaryDirectory> folder, ChildProcess child, LineSocket socket)
      : folder_(std::move(folder)), child_(std::move(child)), socket_(std::move(socket)) {}

  std::unique_ptr<TemporaryDirectory> folder_;
  ChildProcess child_;
  LineSocket socket_;
};

// The lane's own side: carries out jobs from the socket until it is closed, and then removes the folder,
// since no other process may be left to do so. Returns the exit code.
int run_lane(int socket, const std::filesystem::path& folder);

}  // namespace kgrade
