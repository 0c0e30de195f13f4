// A lane is a process that grades batches of candidates on one device, one candidate at a time: `kgrade
// lane`. It reads jobs from its standard input and writes answers to its standard output, each a line of
// JSON. So any command whose two ends are a lane's can start one, on this machine or on another. A lane that
// ends is the end of its output; the end of its input ends a lane. What becomes of its jobs then is decided
// by the dispatcher (lanes/dispatcher.h).
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/unique_fd.h"
#include "grade/grade.h"
#include "record/settings.h"

namespace kgrade {

// How all candidates of a sweep are graded.
struct LaneOptions : GradeSettings {
  std::string device = "auto";  // the value of --device

  bool operator==(const LaneOptions&) const = default;
};

// What a lane does with a job. Builders fill the cache: build_for() in lane_worker.cc.
enum class LaneWork { grade, build_candidates, build_trusted };

// The most bytes that the source of a candidate may have if it is not a user's file, but an answer that a
// service was sent.
inline constexpr std::size_t longest_candidate = std::size_t{1} << 20;

// A file of a job for a lane on another machine.
struct LaneFile {
  std::string path;  // as the job names it
  std::string sha256;
  // The file's bytes. Empty if the lane has got a file with this hash before.
  std::optional<std::string> content = {};
};

// A job for a lane.
struct LaneJob {
  LaneOptions options;
  std::string problem;  // path of the file
  std::vector<std::string> candidates;
  std::vector<std::size_t> numbers = {};  // of the candidates in the sweep
  LaneWork work = LaneWork::grade;
  // The candidates are answers to a service. Without a dtype in the options each has the type that it
  // declares, and without a precision they have to reach the problem's. Other jobs have both.
  bool as_declared = false;
  std::string batch = {};  // an id, repeated in each answer to this job
  // For a lane that does not see the files of this machine: the working folder, and all files that the job
  // names. Otherwise both are empty.
  std::string folder = {};
  std::vector<LaneFile> files = {};
};

// What a lane says first. Everything that its command prints before is skipped.
struct LaneHello {
  int protocol = 0;    // lane_protocol of the lane
  std::string build;   // its version and commit
  std::string device;  // "cuda:0" or "emulated"
  std::string host;
};

// The version of jobs and answers.
inline constexpr int lane_protocol = 2;

// What a lane of this program says first.
LaneHello hello_of_this_program(const std::string& device);

// The lane's answers, in this order: begun, doing (any number of times) and graded for each candidate, and
// ended last. If the job has a batch id, also spent at any time, twice a second. Alive comes every few
// seconds, with or without a job.
struct LaneMessage {
  enum class Kind { begun, doing, graded, spent, ended, alive };
  Kind kind = Kind::ended;
  std::size_t candidate = 0;  // index in the job
  std::string text;           // doing: the action; graded: the record; ended: why it ended early, or empty
  int exit_code = 0;          // if it ended early: the exit code that `kgrade grade` would have
  std::uint64_t bytes = 0;    // when a job that builds has ended: bytes now in the cache
  std::string batch = {};     // of the job
  // spent: what the candidate has caused so far, before it began too: its build, loading, rehearsal and
  // calls. When a job that builds has ended: what compilers took; 0 if all came from the cache.
  double seconds = 0;
};

// All options as text to compare.
std::string text_of(const LaneOptions& options);
// The options that change verdicts and times, except problem, candidate, effort and device, as text to
// compare.
std::string conditions_of(const LaneOptions& options);
// The line of a result: the record, with its conditions under "options".
std::string result_line_of(Record record, const LaneOptions& options);

// A job for this problem, type and class, without candidates.
LaneJob job_for(const LaneOptions& options, const Problem& problem);

// The JSON Schema of all these lines.
nlohmann::ordered_json lane_schema();
// Writes one line of JSON without a line break, and reads it back. Nothing for any other line.
std::string to_line(const LaneJob& job);
std::string to_line(const LaneHello& hello);
std::string to_line(const LaneMessage& message);
std::optional<LaneJob> read_job(const std::string& line);
std::optional<LaneHello> read_hello(const std::string& line);
std::optional<LaneMessage> read_message(const std::string& line);

// The lines of a stream that arrives in pieces.
class LineStream {
 public:
  // The most bytes of a line. A record with all its samples and a compiler's output is far smaller.
  static constexpr std::size_t longest_line = std::size_t{256} << 20;

  // Waits until something arrives. False at the end of the stream, and after a line that is too long.
  bool receive(int descriptor);
  // The next complete line that has arrived.
  std::optional<std::string> next();

 private:
  std::string received_;
  std::size_t searched_ = 0;  // bytes of it without a line break
};

// How a lane is started.
struct LaneCommand {
  std::vector<std::string> words;
  // The user's command: its lane may be on another machine. It gets its jobs with all files, and has a device
  // and a Python of its own.
  bool is_elsewhere = false;
};

// The command that a user gives as one text, for a shell.
LaneCommand lane_command_of(const std::string& text);

// How a lane's process ended.
struct LaneEnd {
  std::string description;  // "ended with signal 9 (Killed)"
  // By SIGKILL that we did not send: the kernel sends it when memory runs out.
  bool was_killed = false;
};

// The parent's side of a lane.
class Lane {
 public:
  // Silence after its first word that counts as a lane's end. A lane says every few seconds that it lives.
  static constexpr double longest_silence_s = 60;

  // Starts `command`, with its standard input and output connected to this object. On this machine, its last
  // argument and TMPDIR name a folder for temporary files. The destructor ends the process and removes the
  // folder, however the process ended. A command of the user has two seconds for that, since what it has
  // started elsewhere may have to end, too.
  // `number`: $KGRADE_LANE for a command of the user.
  static Result<Lane> start(const LaneCommand& command, std::size_t number = 0);
  // A lane at the other end of the socket that sees the files of this machine. For tests.
  static Lane over(UniqueFd socket) { return {nullptr, {}, std::move(socket), false}; }
  ~Lane();
  Lane(Lane&&) noexcept = default;
  Lane& operator=(Lane&&) noexcept = default;

  // Begins to end the process. The destructor waits for it, so ask all lanes before one is destroyed.
  void ask_to_end();
  bool has_ended() const { return child_.has_ended(); }
  void kill() { child_.kill_group(); }

  int descriptor() const { return socket_.get(); }
  // What the lane said first. Nothing before it did. A lane on another machine may have to wait for a
  // machine.
  const std::optional<LaneHello>& hello() const { return hello_; }
  // False if the process is gone. Reads the job's files if the lane is on another machine. What cannot
  // be read is missing there too, and the lane reports it. Waits for nothing: see has_unsent().
  bool give(LaneJob job);
  // A part of a job did not fit into the connection. Call send() when the descriptor can be written.
  bool has_unsent() const { return !unsent_.empty(); }
  // False if the process is gone.
  bool send();
  // Call when the descriptor is readable. Reads what is available. False at the end, when the process is
  // gone.
  bool read();
  std::optional<LaneMessage> next();
  // Call often, with the time in seconds by a clock that never runs backwards. True if the lane has said
  // nothing for too long while this process looked.
  bool is_silent(double now);
  // Call after the end of the connection: ends the process if it goes on without it.
  LaneEnd end();

 private:
  Lane(std::unique_ptr<TemporaryDirectory> folder, ChildProcess child, UniqueFd socket, bool is_elsewhere)
      : folder_(std::move(folder)),
        child_(std::move(child)),
        socket_(std::move(socket)),
        is_elsewhere_(is_elsewhere) {}

  std::string last_words() const;

  std::unique_ptr<TemporaryDirectory> folder_;
  ChildProcess child_;
  UniqueFd socket_;
  bool is_elsewhere_ = false;
  LineStream lines_;
  std::optional<LaneHello> hello_;
  bool is_other_ = false;        // it is of another version of this program
  std::set<std::string> known_;  // hashes of the files that the lane has
  std::string unsent_;
  double silence_s_ = 0;
  double looked_at_ = 0;
};

// The lane's own side.
struct LaneArguments {
  std::string device = "auto";
  std::string python;
  std::string folder;  // for temporary files; empty: it makes one
};

// Carries out jobs from standard input until its end, and removes the folder. An Error if the device is not
// there: then nothing was said. What other parts of the process print to standard output
// goes to standard error.
Result<bool> run_lane(const LaneArguments& arguments);

}  // namespace kgrade
