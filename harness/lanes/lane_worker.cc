// The process of a lane.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/text.h"
#include "base/unique_fd.h"
#include "check/second_look.h"
#include "compile/declarations.h"
#include "compile/module_file.h"
#include "device/registry.h"
#include "grade/contestants.h"
#include "grade/run.h"
#include "lanes/lane.h"
#include "lanes/lane_files.h"
#include "measure/baselines.h"
#include "record/stage_clock.h"

namespace kgrade {
namespace {

// The cost of a job that only builds.
struct Built {
  std::uint64_t bytes = 0;  // of built libraries; failed builds count as 0
  double seconds = 0;       // of compilers; builds from the cache count as 0

  void add(Build& build) {
    const Result<BuildOutcome>& outcome = build.finish();
    if (!outcome) return;
    std::error_code none;
    const auto size = std::filesystem::file_size(outcome->library, none);
    bytes += none ? 0 : size;
    seconds += outcome->cached ? 0 : outcome->seconds;
  }
};

void build_candidate(Built& built, const LaneJob& job, const Problem& problem,
                     const CandidateSource& candidate, const Layout& layout, Bench& bench,
                     StageClock& stages) {
  if (!candidate.fault.empty()) return;
  std::optional<PythonTools> tools;
  if (candidate.is_python()) {
    // The bench's tools are not used here: they come with a process that imports PyTorch, and a build needs
    // no PyTorch.
    auto found = find_python_tools(job.options.python, layout.python, bench.machinery().sandbox);
    if (!found) return;
    tools = std::move(*found);
  }
  Build one(bench.toolchain(), problem, candidate, layout, stages, false, tools ? &*tools : nullptr);
  built.add(one);
}

// Builds oracle, reference and baselines into the cache.
void build_trusted(Built& built, const LaneJob& job, const Problem& problem, const Layout& layout,
                   Bench& bench, StageClock& stages) {
  for (const Role role : {Role::oracle, Role::reference}) {
    Build one(bench.toolchain(), problem, role, layout.reference_source(problem), layout, stages);
    built.add(one);
  }
  const WantedBaselines wanted = job.options.baselines;
  const bool in_a_hurry = job.options.effort == Effort::quick && wanted == WantedBaselines::usual;
  if (wanted == WantedBaselines::none || in_a_hurry) return;
  for (const BaselineSource& baseline : baselines_of(problem, layout, bench.machinery().measures_speed)) {
    Build one(bench.toolchain(), problem, baseline, layout, stages);
    built.add(one);
  }
}

// Calls a function again and again, on its own thread, until the destructor.
class Repeated {
 public:
  Repeated(std::chrono::milliseconds pause, std::function<void()> call)
      : pause_(pause), call_(std::move(call)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

 private:
  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, stop, pause_, [] { return false; }) && !stop.stop_requested()) call_();
  }

  std::chrono::milliseconds pause_;
  std::function<void()> call_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it ends first
};

// The jobs that arrive. They are read on a separate thread. If the input ends during a job, nobody wants the
// job's result, and SIGTERM ends this process with everything that it has started.
class Jobs {
 public:
  explicit Jobs(UniqueFd input) : input_(std::move(input)), thread_([this] { read(); }) {}

  // The next line. Nothing at the end of the input. The destructor must not run before that end.
  std::optional<std::string> next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !lines_.empty() || is_over_; });
    if (is_over_) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    is_busy_ = true;
    return line;
  }

  // Call when only the last answer of a job is still to be sent. From then on, the end of the input does not
  // end this process by a signal: a client that has read the answer may close the input.
  void finish() {
    const std::lock_guard lock(mutex_);
    is_busy_ = false;
  }

 private:
  void read() {
    LineStream stream;
    while (stream.receive(input_.get())) {
      while (auto line = stream.next()) {
        const std::lock_guard lock(mutex_);
        lines_.push_back(*std::move(line));
        arrived_.notify_one();
      }
    }
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    if (is_busy_) ::kill(::getpid(), SIGTERM);
    arrived_.notify_one();
  }

  UniqueFd input_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> lines_;
  bool is_busy_ = false;
  bool is_over_ = false;
  std::jthread thread_;  // last: it ends first
};

// How often a lane says that it lives. See Lane::longest_silence_s.
constexpr std::chrono::seconds between_signs{5};
// How often a lane says how much time a candidate has spent.
constexpr std::chrono::milliseconds between_reports{500};

class LaneWorker {
 public:
  LaneWorker(const LaneArguments& arguments, UniqueFd output, const std::filesystem::path& folder)
      : arguments_(arguments), output_(std::move(output)), files_(folder / "files") {}

  void run(Jobs& jobs, const std::string& device) {
    // The message begins a new line, even if a shell has printed half a line before.
    write("\n" + to_line(hello_of_this_program(device)));
    const Repeated signs(between_signs, [this] { send({LaneMessage::Kind::alive, 0, ""}); });
    while (const auto line = jobs.next()) {
      auto job = read_job(*line);
      if (!job) {
        // No answer is sent, because it could not name the job to which it belongs.
        fmt::print(stderr, "error: this is no job for a lane\n");
        ::kill(::getpid(), SIGTERM);
        continue;
      }
      Failure failure;
      try {
        failure = carry_out(*job);
      } catch (const std::exception& thrown) {
        failure = errors_of(thrown);
      }
      jobs.finish();
      LaneMessage ended;
      ended.bytes = built_.bytes;
      ended.seconds = built_.seconds;
      for (const Error& error : failure.value_or(Errors()))
        ended.text += (ended.text.empty() ? "" : "\n") + to_string(error);
      if (failure) ended.exit_code = exit_code_of(*failure);
      send(ended);
    }
  }

 private:
  Failure carry_out(LaneJob& job) {
    {
      const std::lock_guard lock(sending_);
      batch_ = job.batch;
    }
    if (!job.folder.empty()) {
      if (const auto received = files_.receive(job); !received) return received.errors();
    }
    if (job.options.device.empty()) job.options.device = arguments_.device;
    if (job.options.python.empty()) job.options.python = arguments_.python;
    const auto device = parse_device_choice(job.options.device);
    if (!device) return device.errors();
    const Layout layout = Layout::find(job.options.problems);
    auto problem = load_problem_file(job.problem, job.options.python, layout, job.options.inputs);
    if (!problem) return problem.errors();
    built_ = {};
    const std::vector<std::filesystem::path> paths(job.candidates.begin(), job.candidates.end());
    auto candidates = read_candidates(paths, layout);
    if (!candidates) return candidates.errors();
    auto groups = groups_of(job, *std::move(problem), *std::move(candidates));
    if (!groups) return groups.errors();
    // A lane that builds gets low priority, because processes that grade on this machine must not wait for a
    // core. The priority stays low: such a lane does nothing else.
    if (job.work != LaneWork::grade) ::setpriority(PRIO_PROCESS, 0, 19);
    for (CandidateGroup& group : *groups) {
      if (job.work != LaneWork::grade) {
        Bench& bench = *bench_for(job, *device, layout);
        if (bench.open_toolchain(true)) continue;
        StageClock stages(bench.clock());
        if (job.work == LaneWork::build_trusted) {
          build_trusted(built_, job, group.problem, layout, bench, stages);
          continue;
        }
        for (const CandidateSource& candidate : group.candidates)
          build_candidate(built_, job, group.problem, candidate, layout, bench, stages);
      } else if (const Failure failure = run(job, *device, std::move(group))) {
        return failure;
      }
    }
    return std::nullopt;
  }

  // The candidates by type and class.
  static Result<std::vector<CandidateGroup>> groups_of(const LaneJob& job, Problem problem,
                                                       std::vector<CandidateSource> candidates) {
    if (job.as_declared) {
      for (CandidateSource& candidate : candidates) {
        std::error_code none;
        if (std::filesystem::file_size(candidate.path, none) <= longest_candidate || none) continue;
        candidate.fault =
            fmt::format("the candidate is larger than {}, which is the most that a text to grade may have",
                        format_bytes(longest_candidate));
      }
      return group_candidates(problem, std::move(candidates), job.options.dtype,
                              job.options.precision.value_or(std::string(own_class)));
    }
    const std::string dtype = job.options.dtype.value_or("");
    const auto typed = with_dtype(problem, dtype);
    auto asked = as_asked(std::move(problem), dtype, job.options.precision.value_or(""));
    if (!asked) return asked.errors();
    for (CandidateSource& candidate : candidates) {
      const auto declared = as_declared(*asked, candidate, std::nullopt);
      if (!declared) candidate.fault = in_one_line(declared.error());
      candidate.reference_class = typed->precision;
    }
    return std::vector<CandidateGroup>{{*std::move(asked), std::move(candidates)}};
  }

  // Grades candidates of one type and class.
  Failure run(const LaneJob& job, const DeviceChoice& device, CandidateGroup group) {
    indices_.clear();
    GradeOptions options;
    static_cast<GradeSettings&>(options) = job.options;
    options.layout = Layout::find(options.problems);
    options.second_look = &look_with_checker;
    options.progress = [this](const std::string& what) { send({LaneMessage::Kind::doing, 0, what}); };
    options.on_start = [this](std::size_t number) { send({LaneMessage::Kind::begun, indices_[number], ""}); };
    options.on_verdict = [this, &job](std::size_t number, const Record& record) {
      send({LaneMessage::Kind::graded, indices_[number], result_line_of(record, job.options)});
    };
    for (const CandidateSource& candidate : group.candidates) {
      const auto at = std::find(job.candidates.begin(), job.candidates.end(), candidate.path.string());
      indices_.push_back(static_cast<std::size_t>(at - job.candidates.begin()));
      if (!job.numbers.empty()) options.numbers.push_back(job.numbers[indices_.back()]);
    }
    options.candidates = std::move(group.candidates);
    const std::shared_ptr<Bench> bench = bench_for(job, device, options.layout);
    bench->begin_run();
    CandidateTime time;
    std::optional<Repeated> reports;
    if (!job.batch.empty()) {
      options.candidate_time = &time;
      reports.emplace(between_reports, [this, &time] {
        const CandidateTime::Spent spent = time.spent();
        if (spent.candidate >= indices_.size()) return;  // no candidate is being built yet
        LaneMessage message{LaneMessage::Kind::spent, indices_[spent.candidate], ""};
        message.seconds = spent.seconds;
        send(message);
      });
    }
    Failure failure = grade(group.problem, options, bench).failure;
    reports.reset();
    // A new context may cure a fault of the device.
    if (failure) bench_.reset();
    return failure;
  }

  // All jobs of a sweep share one bench.
  std::shared_ptr<Bench> bench_for(const LaneJob& job, const DeviceChoice& device, const Layout& layout) {
    const std::pair key{job.options.device, job.options.problems};
    if (bench_ == nullptr || bench_of_ != key) bench_ = real_bench(device, layout, FailedBuilds::are_kept);
    bench_of_ = key;
    return bench_;
  }

  void send(LaneMessage message) {
    {
      const std::lock_guard lock(sending_);
      message.batch = batch_;
    }
    message.text = files_.as_sent(std::move(message.text));
    write(to_line(message));
  }

  // Writes a line. Ends this process if nobody reads its output any more.
  void write(std::string line) {
    line += '\n';
    const std::lock_guard lock(sending_);
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t count = ::write(output_.get(), rest.data(), rest.size());
      if (count < 0 && errno == EAGAIN) {  // another process may have set O_NONBLOCK
        pollfd entry{output_.get(), POLLOUT, 0};
        ::poll(&entry, 1, -1);
      } else if (count < 0 && errno != EINTR) {
        ::kill(::getpid(), SIGTERM);
        return;
      }
      if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  const LaneArguments& arguments_;
  UniqueFd output_;
  ReceivedFiles files_;
  std::mutex sending_;                // one line at a time: see Repeated
  std::string batch_;                 // the batch id of the last job
  std::vector<std::size_t> indices_;  // in the job, of the candidates that are being graded
  Built built_;                       // the cost of the last job's builds
  std::shared_ptr<Bench> bench_;
  std::pair<std::string, std::string> bench_of_;  // its device and problems
};

// The device that a lane grades on unless its jobs name one: "cuda:0". A lane elsewhere does not fall back to
// the emulated device, because its results would be mixed with those of GPUs.
Result<std::string> device_of(const LaneArguments& arguments) {
  const auto choice = parse_device_choice(arguments.device);
  if (!choice) return choice.errors();
  if (!arguments.folder.empty() || choice->kind == DeviceChoice::Kind::emulated) return arguments.device;
  if (choice->kind == DeviceChoice::Kind::automatic && probe_cuda().devices.empty())
    return machine_error("this machine has no GPU for a lane",
                         "`kgrade doctor` there says why; --device emulated grades without one");
  const auto found = find_cuda_device(choice->ordinal);
  if (!found) return found.errors();
  return fmt::format("cuda:{}", choice->ordinal);
}

// A copy of a standard stream, which no child inherits.
UniqueFd taken(int descriptor) { return UniqueFd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)); }

}  // namespace

Result<bool> run_lane(const LaneArguments& arguments) {
  // Only a lane on the parent's machine is given a folder. When the parent dies, SIGTERM leaves time to
  // remove temporary files (base/cleanup.h).
  if (!arguments.folder.empty()) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGPIPE, SIG_IGN);
  const auto device = device_of(arguments);
  if (!device) return device.errors();
  const auto own = arguments.folder.empty() ? std::make_unique<TemporaryDirectory>()
                                            : std::make_unique<TemporaryDirectory>(arguments.folder);
  UniqueFd input = taken(STDIN_FILENO);
  UniqueFd output = taken(STDOUT_FILENO);
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  Jobs jobs(std::move(input));
  LaneWorker(arguments, std::move(output), own->path()).run(jobs, *device);
  return true;
}

}  // namespace kgrade
