// A lane that grades nothing. It answers with canned records, and misbehaves if the name of a candidate says
// so. What it should do only once, it notes beside the candidate.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "compile/declarations.h"
#include "grade/run_setup.h"
#include "lanes/lane.h"
#include "tests/support/canned_results.h"

namespace {

using namespace kgrade;
namespace fs = std::filesystem;

void say(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count <= 0) ::_exit(0);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string batch;  // of the present job

std::string line_of(LaneMessage message) {
  message.batch = batch;
  return to_line(message) + "\n";
}

void say(const LaneMessage& message) { say(line_of(message)); }

std::optional<std::string> next_line() {
  std::string line;
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) == 1) {
    if (byte == '\n') return line;
    line += byte;
  }
  return std::nullopt;
}

void make_emulated(Record& record) {
  record.device.kind = "emulated";
  record.device.measures_speed = false;
  record.ceilings.reset();
  record.candidates[0].scores.clear();
  record.candidates[0].cases.clear();
}

Record result_of(const LaneJob& job, const fs::path& candidate) {
  const auto problem =
      as_asked(load_problem(job.problem).value(), *job.options.dtype, *job.options.precision).value();
  Record record = test::result_record(candidate.string());
  record.problem_slug = problem.slug;
  record.problem_sha256 = problem.content_sha256;
  record.dtype = problem.dtype;
  record.required_precision = precision_from(problem.precision);
  record.effort = job.options.effort;
  record.reference.sha256 =
      hash_of_reference(Layout::find(fs::path(job.problem).parent_path()).reference_source(problem));
  if (!job.options.device.starts_with("cuda")) make_emulated(record);
  record.candidates[0].sha256 = read_candidates({candidate}, Layout::find())->front().sha256;
  return record;
}

[[noreturn]] void sleep_for_ever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// In a session of its own, so that signals to the lane's group do not reach it.
void leave_a_process_behind(const fs::path& candidate) {
  if (::fork() != 0) return;
  ::setsid();
  ::close(STDIN_FILENO);
  ::close(STDOUT_FILENO);
  std::ofstream(candidate.string() + ".pid.tmp") << ::getpid();
  fs::rename(candidate.string() + ".pid.tmp", candidate.string() + ".pid");
  sleep_for_ever();
}

// Ends the job, and usually the process with it.
void go_wrong(const std::string& how, const fs::path& candidate, const std::string& answer) {
  if (how == "killed") ::raise(SIGKILL);
  if (how == "exits") ::_exit(3);
  if (how == "hangs-up") {
    say(answer.substr(0, answer.size() / 2));
    ::_exit(0);
  }
  if (how == "closes") {
    ::close(STDIN_FILENO);
    ::close(STDOUT_FILENO);
    sleep_for_ever();
  }
  if (how == "leaves") {
    leave_a_process_behind(candidate);
    while (!fs::exists(candidate.string() + ".pid")) std::this_thread::yield();
    ::raise(SIGKILL);
  }
}

// What is sent instead of the right record.
LaneMessage wrong_answer(const std::string& how, LaneMessage message, Record record,
                         const LaneOptions& options) {
  if (how == "other-path") record.candidates[0].path += "x";
  if (how == "other-content") record.candidates[0].sha256 = std::string(64, '0');
  if (how == "other-problem") record.problem_slug += "x";
  if (how == "changed-problem") record.problem_sha256 = std::string(64, '0');
  if (how == "other-dtype") record.dtype = Dtype::bfloat16;
  if (how == "other-class") record.required_precision = Precision::bf16;
  if (how == "other-effort") record.effort = Effort::ranked;
  if (how == "two-candidates") record.candidates.push_back(record.candidates[0]);
  message.text = result_line_of(record, options);
  if (how == "no-record") message.text = "{\"schema\": 3";
  if (how == "no-json") message.text = "wrong";
  if (how == "two-lines") message.text = to_text(record);
  if (how == "other-number") message.candidate += 1;
  return message;
}

bool is_first_time(const fs::path& candidate) {
  const fs::path mark = candidate.string() + ".tried";
  if (fs::exists(mark)) return false;
  std::ofstream(mark) << "once";
  return true;
}

void grade_one(const LaneJob& job, std::size_t number) {
  const fs::path candidate = job.candidates[number];
  std::string how = candidate.stem().string();
  how = how.substr(0, how.find('.'));  // "killed.2.cu" is one more of those
  if (how.starts_with("once-")) how = is_first_time(candidate) ? how.substr(5) : "good";
  const Record record = result_of(job, candidate);
  const LaneMessage right{LaneMessage::Kind::graded, number, result_line_of(record, job.options)};
  say({LaneMessage::Kind::begun, number, ""});
  say({LaneMessage::Kind::doing, 0, "\033[2J doing"});
  if (how == "garbage") say("garbage\n{}\n[1,2]\n\xff\xfe\n{\"kind\":17}\n");
  go_wrong(how, candidate, line_of(right));
  say(wrong_answer(how, right, record, job.options));
  if (how == "twice") say(right);
}

// In the way `kgrade` ends a run that it cannot continue.
bool ends_early(const fs::path& candidate, bool begun) {
  return candidate.stem().string().starts_with(begun ? "ends-within" : "ends-before");
}

bool spoils(const fs::path& candidate) { return candidate.stem().string().starts_with("spoils"); }

// One byte for each lane of the sweep.
std::size_t count(const LaneJob& job, const char* what, bool one_more = false) {
  const fs::path file = fs::path(job.problem).parent_path() / what;
  if (one_more) std::ofstream(file, std::ios::app) << '.';
  std::error_code none;
  const auto size = fs::file_size(file, none);
  return none ? 0 : static_cast<std::size_t>(size);
}

// A device that cannot be opened, or no longer after two results, or whose driver ends the process; or a good
// one that lets another refuse first.
bool device_fails(const LaneJob& job) {
  const std::string& device = job.options.device;
  while (device == "patient" && count(job, "refusals") < 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const bool broken = device == "broken" || (device == "breaks" && count(job, "results") >= 2);
  if (broken || device == "deadly") count(job, "refusals", true);
  if (device == "deadly") ::raise(SIGABRT);
  if (broken) say({LaneMessage::Kind::ended, 0, "no such device", 3});
  return broken;
}

// Each is a MiB.
void build(const LaneJob& job) {
  const std::string what =
      job.work == LaneWork::build_trusted ? "trusted" : fs::path(job.candidates.front()).stem().string();
  std::ofstream(fs::path(job.problem).parent_path() / "built", std::ios::app) << what + "\n";
  if (what == "builds-for-ever") sleep_for_ever();
  if (what == "breaks-builder") ::raise(SIGKILL);
  LaneMessage end;
  end.bytes = std::uint64_t{1} << 20;
  say(end);
}

void carry_out(const LaneJob& job) {
  batch = job.batch;
  if (job.work != LaneWork::grade) return build(job);
  if (device_fails(job)) return;
  if (std::any_of(job.candidates.begin(), job.candidates.end(), spoils))
    return say({LaneMessage::Kind::ended, 0, "no such file", 2});
  for (std::size_t i = 0; i < job.candidates.size(); ++i) {
    if (ends_early(job.candidates[i], true)) say({LaneMessage::Kind::begun, i, ""});
    if (ends_early(job.candidates[i], true) || ends_early(job.candidates[i], false))
      return say({LaneMessage::Kind::ended, 0, "no memory", 70});
    grade_one(job, i);
    count(job, "results", true);
    if (i + 1 < job.candidates.size() && device_fails(job)) return;
  }
  say({LaneMessage::Kind::ended, 0, ""});
}

}  // namespace

int main(int, char** arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  // A lane elsewhere gets no folder.
  if (arguments[1] != nullptr)
    std::ofstream(fs::path(arguments[1]) / "left-behind") << "as by a process that dies";
  say(to_line(hello_of_this_program("auto")) + "\n");
  while (const auto line = next_line()) {
    const auto job = read_job(*line);
    if (!job) return 1;
    carry_out(*job);
  }
}
