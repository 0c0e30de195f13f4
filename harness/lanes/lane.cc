#include "lanes/lane.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/cleanup.h"
#include "base/json_schema.h"
#include "base/machine_faults.h"
#include "base/text.h"
#include "lanes/lane_files.h"
#include "record/record_json.h"
#include "record/shared_json.h"

namespace kgrade {
namespace {

// --- Messages ---

using Json = nlohmann::json;

// Text for bytes that need not be UTF-8, such as a path, since JSON holds only UTF-8: each byte becomes the
// character with that number.
std::string text_of_bytes(std::string_view raw) {
  std::string text;
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

// The inverse of text_of_bytes(). A text with characters beyond 255 gives arbitrary bytes.
std::string bytes_of_text(std::string_view text) {
  std::string raw;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80 || i + 1 == text.size()) {
      raw += text[i];
    } else {
      raw += static_cast<char>((first << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
    }
  }
  return raw;
}

// The rule of a text of bytes that need not be UTF-8.
template <std::size_t most_bytes>
struct ByteText {
  std::string operator()(const JsonValue& value) const { return bytes_of_text(value.text(most_bytes)); }
  static nlohmann::ordered_json written(std::string_view raw) { return text_of_bytes(raw); }
  static nlohmann::ordered_json schema() { return TextRule{most_bytes}.schema(); }
};
constexpr ByteText<most_text> byte_text;
constexpr ByteText<LineStream::longest_line> file_text;

template <class T>
std::string line_of(const T& value) {
  return json_of(value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
std::optional<T> read_line(const std::string& line) {
  auto value = parse_document<T>(line);
  return value ? std::optional(std::move(*value)) : std::nullopt;
}

}  // namespace

// --- Messages ---

template <>
inline constexpr std::array<std::string_view, 3> enum_words<LaneWork> = {"grade", "build_candidates",
                                                                         "build_trusted"};
template <>
inline constexpr std::array<std::string_view, 6> enum_words<LaneMessage::Kind> = {"begun", "doing", "graded",
                                                                                  "spent", "ended", "alive"};

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneOptions>& options) {
  archive("device", options.device);
  grade_options(
      [&archive]<class T, class Rule>(const GradeOption& option, T& value, const Rule&) {
        if constexpr (std::is_same_v<Rule, AnySeed>) {
          archive(option.name, value, unsigned_text);
        } else if constexpr (std::is_same_v<Rule, AnySetting> &&
                             !std::is_same_v<std::remove_const_t<T>, bool>) {
          archive(option.name, value, byte_text);
        } else {
          archive(option.name, value);
        }
      },
      options);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneFile>& file) {
  archive("path", file.path, byte_text, "As the job names it.");
  archive("sha256", file.sha256, sha256_of);
  archive("content", file.content, file_text, "Null if the job before had a file with this hash.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneHello>& hello) {
  archive("protocol", hello.protocol, "The version of all lines.");
  archive("build", hello.build, "Version and commit. They have to be those of who sends jobs.");
  archive("device", hello.device, "cuda:0, or emulated.");
  archive("host", hello.host);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneJob>& job) {
  archive("options", job.options);
  archive("problem", job.problem, byte_text, "The path of its file.");
  archive("candidates", job.candidates, byte_text, "The paths of their files.");
  archive("numbers", job.numbers, "Of the candidates in a sweep, from which their seeds follow.");
  archive("work", job.work, "grade, or fill the cache with what grading needs.");
  archive("as_declared", job.as_declared, "Each candidate has the type that it declares.");
  archive("batch", job.batch, "An id, which each answer to this job repeats.");
  archive("folder", job.folder, byte_text, "The working folder of who sends it. Empty on the same machine.");
  archive("files", job.files, "All files that the job names. None on the same machine.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<LaneMessage>& message) {
  archive("kind", message.kind);
  archive("candidate", message.candidate, "Its place in the job, from 0.");
  archive("text", message.text, text_up_to<LineStream::longest_line>,
          "doing: the action. graded: the record, as JSON. ended: why the job ended before its time, or "
          "nothing.");
  archive("exit_code", message.exit_code,
          "ended before its time: what `kgrade grade` would have exited with.");
  archive("bytes", message.bytes, "ended, of a job that builds: what it has added to the cache.");
  archive("batch", message.batch, "Of the last job.");
  archive("seconds", message.seconds,
          "spent: what the candidate has taken. ended, of a job that builds: what compilers have.");
}

nlohmann::ordered_json lane_schema() {
  SchemaDefinitions definitions;
  nlohmann::ordered_json lines = {definitions.reference_to<LaneHello>(), definitions.reference_to<LaneJob>(),
                                  definitions.reference_to<LaneMessage>()};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", fmt::format("A line to or from kgrade lane, protocol {}", lane_protocol)},
          {"description", "The first line of a lane, a job for it, or an answer (docs/lanes.md)."},
          {"anyOf", std::move(lines)},
          {"$defs", definitions.all()}};
}

LaneJob job_for(const LaneOptions& options, const Problem& problem) {
  LaneJob job{options, problem.path.string(), {}};
  job.options.dtype = to_string(problem.dtype);
  job.options.precision = problem.precision;
  return job;
}

std::string text_of(const LaneOptions& options) { return line_of(options); }

std::string conditions_of(const LaneOptions& options) {
  nlohmann::ordered_json conditions;
  JsonWriter archive(conditions);
  recorded_options(archive, options);
  return Json(conditions).dump();  // in alphabetical order, as readers of results have them
}

std::string result_line_of(Record record, const LaneOptions& options) {
  record.options = conditions_of(options);
  return to_json(record).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

LaneHello hello_of_this_program(const std::string& device) {
  const ToolInfo tool = tool_info();
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const std::string commit = tool.git_commit.substr(0, 12) + (tool.git_dirty ? ", with changes" : "");
  return {lane_protocol, commit.empty() ? tool.version : fmt::format("{} ({})", tool.version, commit), device,
          host};
}

std::string to_line(const LaneJob& job) { return line_of(job); }
std::string to_line(const LaneHello& hello) { return line_of(hello); }
std::string to_line(const LaneMessage& message) { return line_of(message); }

std::optional<LaneJob> read_job(const std::string& line) {
  auto job = read_line<LaneJob>(line);
  const bool fits = job && (job->numbers.empty() || job->numbers.size() == job->candidates.size());
  return fits ? std::move(job) : std::nullopt;
}

std::optional<LaneHello> read_hello(const std::string& line) { return read_line<LaneHello>(line); }

std::optional<LaneMessage> read_message(const std::string& line) { return read_line<LaneMessage>(line); }

// --- Processes ---

bool LineStream::receive(int descriptor) {
  char buffer[65536];
  const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
  if (count < 0 && errno == EAGAIN) {  // another process may have set O_NONBLOCK
    pollfd entry{descriptor, POLLIN, 0};
    ::poll(&entry, 1, -1);
    return true;
  }
  if (count <= 0) return count < 0 && errno == EINTR;
  received_.append(buffer, static_cast<std::size_t>(count));
  return received_.size() <= longest_line || received_.find('\n', searched_) != received_.npos;
}

std::optional<std::string> LineStream::next() {
  const std::size_t end = received_.find('\n', searched_);
  searched_ = end == received_.npos ? received_.size() : 0;
  if (end == received_.npos) return std::nullopt;
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

namespace {

// The file for the standard error of a user's command, which may say why it failed.
std::filesystem::path errors_in(const std::filesystem::path& folder) { return folder / "stderr"; }

}  // namespace

LaneCommand lane_command_of(const std::string& text) {
  // Because of the trap, the shell lives until its command has dealt with SIGTERM.
  return {{"/bin/sh", "-c", "trap : TERM; " + text}, true};
}

Result<Lane> Lane::start(const LaneCommand& command, std::size_t number) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return machine_error(fmt::format("no socket: {}", std::strerror(errno)), "raise `ulimit -n`");
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  std::unique_ptr<TemporaryDirectory> folder;
  try {
    folder = std::make_unique<TemporaryDirectory>();
  } catch (const std::system_error& error) {
    return machine_error(fmt::format("a lane gets no folder for temporary files: {}", error.code().message()),
                         remedy_for_machine(error.code().value()),
                         {TemporaryDirectory::base().string(), 0, 0});
  }
  SpawnRequest request;
  request.command = command.words;
  request.stdin_fd = request.output_fd = theirs.get();
  UniqueFd errors;
  if (command.is_elsewhere) {
    request.environment = whole_environment();
    request.environment.push_back(fmt::format("KGRADE_LANE={}", number));
    errors.reset(::open(errors_in(folder->path()).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  } else {
    request.command.push_back(folder->path().string());
    request.environment = whole_environment(folder->path());
    errors.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  }
  // Without this file, texts that libraries print would be read as answers.
  if (!errors)
    return machine_error(fmt::format("a lane's standard error cannot be opened: {}", std::strerror(errno)),
                         remedy_for_machine(errno));
  request.error_fd = errors.get();
  auto child = spawn(request);
  if (!child) return child.errors();
  if (command.is_elsewhere) Cleanup::of_this_process().end_gently(child->pid());
  return Lane(std::move(folder), std::move(*child), std::move(ours), command.is_elsewhere);
}

void Lane::ask_to_end() {
  socket_.reset();
  if (is_elsewhere_ && !child_.has_ended()) ::kill(-child_.pid(), SIGTERM);
}

Lane::~Lane() {
  ask_to_end();
  if (is_elsewhere_ && !child_.has_ended()) (void)child_.wait_for(std::chrono::seconds(2));
}

bool Lane::give(LaneJob job) {
  if (is_elsewhere_) add_files(job, known_);
  unsent_ += to_line(job) + "\n";
  return send();
}

bool Lane::send() {
  std::size_t sent = 0;
  bool is_there = true;
  while (sent < unsent_.size()) {
    const ssize_t count =
        ::send(socket_.get(), unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    is_there = count >= 0 || errno == EAGAIN;
    if (count < 0) break;
    sent += static_cast<std::size_t>(count);
  }
  unsent_.erase(0, sent);
  return is_there;
}

bool Lane::read() {
  silence_s_ = 0;
  if (!lines_.receive(socket_.get())) return false;
  while (!hello_) {
    const auto line = lines_.next();
    if (!line) break;
    hello_ = read_hello(*line);
    const LaneHello ours = hello_of_this_program("");
    is_other_ = hello_ && (hello_->protocol != ours.protocol || hello_->build != ours.build);
  }
  return !is_other_;
}

std::optional<LaneMessage> Lane::next() {
  if (!hello_ || is_other_) return std::nullopt;
  while (const auto line = lines_.next()) {
    auto message = read_message(*line);
    if (message && message->kind != LaneMessage::Kind::alive) return message;
  }
  return std::nullopt;
}

bool Lane::is_silent(double now) {
  // A process that looks seldom, or was stopped, has not listened all the time.
  constexpr double longest_step_s = 1;
  silence_s_ += std::clamp(now - looked_at_, 0.0, longest_step_s);
  looked_at_ = now;
  return hello_ && silence_s_ > longest_silence_s;
}

LaneEnd Lane::end() {
  if (is_other_)
    return {fmt::format("is kgrade {} on {}, and this is kgrade {}: install the same version on both",
                        printable_line(hello_->build.substr(0, 100)), printable_line(hello_->host),
                        hello_of_this_program("").build),
            false};
  if (silence_s_ > longest_silence_s)
    return {fmt::format("said nothing for {:g} s", longest_silence_s), false};
  if (child_.pid() < 0) return {"ended", false};
  const auto status = child_.wait_for(std::chrono::seconds(2));
  child_.kill_group();
  if (!status) {
    child_.wait();
    return {"closed its connection and went on", false};
  }
  return {"ended with " + describe_wait_status(*status) + last_words(),
          WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL};
}

// The last line that the command of a user has printed to standard error, without remedies.
std::string Lane::last_words() const {
  if (!is_elsewhere_) return "";
  constexpr off_t longest = 2000;
  const UniqueFd file(::open(errors_in(folder_->path()).c_str(), O_RDONLY | O_CLOEXEC));
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, longest)), '\0');
  if (::pread(file.get(), text.data(), text.size(), std::max<off_t>(0, size - longest)) <= 0) return "";
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!trimmed(line).empty() && !line.starts_with("  hint:")) last = trimmed(line);
  }
  return last.empty() ? "" : ": " + printable_line(last);
}

}  // namespace kgrade
