// A lane is a process that grades batches of candidates on one device, one candidate at a time: `kgrade
// lane`. It reads jobs from its standard input and writes answers to its standard output. Each job and each
// answer is a line of JSON. So a lane can be started by any command that passes on its input and output, on
// this machine or on another. The end of its input ends the lane. When a lane has ended, the dispatcher
// decides what happens to its jobs (lanes/dispatcher.h).
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

// What a lane does with a job. Lanes that only build fill the cache.
enum class LaneWork { grade, build_candidates, build_trusted };

// The most bytes in the source of a candidate that was sent to a service. A user's own file may be larger.
inline constexpr std::size_t longest_candidate = std::size_t{1} << 20;

// A file of a job for a lane on another machine.
struct LaneFile {
  std::string path;  // as the job names it
  std::string sha256;
  // The file's bytes. Unset if the lane has received a file with this hash before.
  std::optional<std::string> content = {};
};

// A job for a lane.
struct LaneJob {
  LaneOptions options;
  std::string problem;  // path of the file
  std::vector<std::string> candidates;
  std::vector<std::size_t> numbers = {};  // of the candidates in the sweep
  LaneWork work = LaneWork::grade;
  // The candidates were sent to a service. Their options may lack a dtype: then each candidate has the type
  // that it declares. They may also lack a precision: then candidates have to reach the problem's class. The
  // options of other jobs have a dtype and a precision.
  bool as_declared = false;
  std::string batch = {};  // an id, repeated in each answer to this job
  // For a lane that does not see the files of this machine: the working folder, and all files that the job
  // names. For other lanes, these two members are empty.
  std::string folder = {};
  std::vector<LaneFile> files = {};
};

// The first message of a lane. Everything that its command prints before this message is skipped.
struct LaneHello {
  int protocol = 0;    // lane_protocol of the lane
  std::string build;   // its version and commit
  std::string device;  // "cuda:0" or "emulated"
  std::string host;
};

// The version of jobs and answers.
inline constexpr int lane_protocol = 2;

// The first message of a lane of this program.
LaneHello hello_of_this_program(const std::string& device);

// An answer of a lane. For each candidate come `begun`, any number of `doing`, and `graded`. `ended` comes
// last. If the job has a batch id, `spent` comes twice a second. `alive` comes every few seconds, with or
// without a job.
struct LaneMessage {
  enum class Kind { begun, doing, graded, spent, ended, alive };
  Kind kind = Kind::ended;
  std::size_t candidate = 0;  // index in the job
  std::string text;           // doing: the action; graded: the record; ended: why it ended early, or empty
  int exit_code = 0;          // if it ended early: the exit code that `kgrade grade` would have
  std::uint64_t bytes = 0;    // ended, of a job that builds: bytes of its libraries in the cache
  std::string batch = {};     // of the job
  // spent: the time that the candidate has taken so far, for its build, loading, rehearsal and calls. The
  // build is before `begun`. ended, of a job that builds: the time of the compilers. It is 0 if everything
  // came from the cache.
  double seconds = 0;
};

// A text of all options. Equal options have equal texts.
std::string text_of(const LaneOptions& options);
// A text of the options that change verdicts and times, except problem, candidate, effort and device. Equal
// options have equal texts.
std::string conditions_of(const LaneOptions& options);
// The line of a result: the record, with its conditions under "options".
std::string result_line_of(Record record, const LaneOptions& options);

// A job for this problem, type and class, without candidates.
LaneJob job_for(const LaneOptions& options, const Problem& problem);

// The JSON Schema of the lines that a lane reads and writes.
nlohmann::ordered_json lane_schema();
// Each to_line() writes a value as one line of JSON without a line break, and a function below reads it back.
// Reading returns nothing for a line of another kind.
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
  // The command is the user's, and its lane may be on another machine. Such a lane gets its jobs with all
  // files. It chooses the device and the Python itself.
  bool is_elsewhere = false;
};

// The command for a shell that a user has given as one text.
LaneCommand lane_command_of(const std::string& text);

// How a lane's process ended.
struct LaneEnd {
  std::string description;  // "ended with signal 9 (Killed)"
  // Ended by a SIGKILL that we did not send. The kernel sends one when memory runs out.
  bool was_killed = false;
};

// The parent's side of a lane.
class Lane {
 public:
  // A lane that is silent for so long after its first message counts as ended. A lane sends `alive` every few
  // seconds.
  static constexpr double longest_silence_s = 60;

  // Starts `command`, with its standard input and output connected to this object. On this machine, the last
  // argument and TMPDIR name a folder for temporary files. The destructor ends the process and removes the
  // folder, however the process ended. A command of the user gets two seconds to end, because it may first
  // have to end a process on another machine. `number`: the value of $KGRADE_LANE for a command of the user.
  static Result<Lane> start(const LaneCommand& command, std::size_t number = 0);
  // A lane at the other end of the socket that sees the files of this machine. For tests.
  static Lane over(UniqueFd socket) { return {nullptr, {}, std::move(socket), false}; }
  ~Lane();
  Lane(Lane&&) noexcept = default;
  Lane& operator=(Lane&&) noexcept = default;

  // Asks the process to end. The destructor waits for the end, so ask all lanes before one is destroyed.
  void ask_to_end();
  bool has_ended() const { return child_.has_ended(); }
  void kill() { child_.kill_group(); }

  int descriptor() const { return socket_.get(); }
  // The lane's first message. Unset before the message has come. A lane elsewhere may have to wait for a
  // machine before it sends the message.
  const std::optional<LaneHello>& hello() const { return hello_; }
  // Gives the lane a job. False if the process is gone. If the lane is on another machine, the job's files
  // are sent, too. A file that cannot be read is left out, and the lane reports that. This call does not
  // block: see has_unsent().
  bool give(LaneJob job);
  // A part of a job did not fit into the connection. Call send() when the descriptor is writable.
  bool has_unsent() const { return !unsent_.empty(); }
  // False if the process is gone.
  bool send();
  // Call when the descriptor is readable. Reads what has arrived. False if the process is gone.
  bool read();
  std::optional<LaneMessage> next();
  // Call often, with the time in seconds by a clock that never runs backwards. True if the lane has been
  // silent for too long. A long gap between two calls counts as one second.
  bool is_silent(double now);
  // Call after the end of the connection. Ends the process if it still runs.
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

// The arguments of the process that is a lane.
struct LaneArguments {
  std::string device = "auto";
  std::string python;
  std::string folder;  // for temporary files; empty: the lane makes one
};

// Carries out jobs from standard input until the end of the input, and removes the folder. An Error if the
// device is not there. In that case the lane has sent no message. Anything else that the process prints to
// standard output goes to standard error.
Result<bool> run_lane(const LaneArguments& arguments);

}  // namespace kgrade
