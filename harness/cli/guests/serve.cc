// `kgrade serve`: the service that grades candidates for its clients (docs/service.md); and `kgrade watch`,
// which shows the lanes and the queue of a service in a terminal.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/cleanup.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/guests/lane.h"
#include "cli/options.h"
#include "device/registry.h"
#include "grade/failure.h"
#include "record/terminal.h"
#include "serve/http_client.h"
#include "serve/http_server.h"

namespace kgrade::cli {
namespace {

struct ServeArguments {
  std::string listen = "127.0.0.1:8642";
  std::string state;
  std::string tokens;
  std::string gpus;
  bool board = false;
  std::string contest;
  int jobs = 0;
  std::string lane_command;
  int lanes = 1;
  LaneOptions lane;
};

// $XDG_STATE_HOME/kgrade/serve, or ~/.local/state/kgrade/serve.
Result<std::filesystem::path> usual_state() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return std::filesystem::path(state) / "kgrade" / "serve";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".local" / "state" / "kgrade" / "serve";
  return Error{"there is no home folder for the service's state", "name a folder with --state", {}};
}

// Checks the CUDA devices before jobs are accepted. A failure names the first device that cannot be used.
Failure lack_of_devices(const std::vector<std::string>& devices) {
  for (const std::string& device : devices) {
    const auto choice = parse_device_choice(device);
    if (!choice) return choice.errors();
    const DeviceChoice resolved = resolve_choice(*choice);
    if (resolved.kind != DeviceChoice::Kind::cuda) continue;
    if (const auto found = find_cuda_device(resolved.ordinal); !found) return found.errors();
  }
  return std::nullopt;
}

// Writes to the service's own log. The service goes on even if nobody reads the log any more.
void note(const std::string& what) {
  const std::string line = fmt::format("kgrade serve: {}\n", printable(what));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int run(ServeArguments& arguments) {
  const auto address = parse_listen_address(arguments.listen);
  if (!address) return fail(address.errors());
  Tokens tokens;
  if (!arguments.tokens.empty()) {
    auto read = Tokens::read(arguments.tokens);
    if (!read) return fail(read.errors());
    tokens = std::move(*read);
  }
  std::optional<Competition> contest;
  if (!arguments.contest.empty()) {
    auto read = read_contest(std::filesystem::path(arguments.contest));
    if (!read) return fail(read.errors());
    contest = std::move(*read);
    if (!tokens.have_teacher())
      return fail(
          {{tokens.are_needed() ? "--contest: no token is a teacher's, so nobody could see the results"
                                : "--contest needs tokens, which tell contestants apart",
            tokens.are_needed() ? "add the word `teacher` to a line of the tokens' file"
                                : "name a file with --tokens; docs/contest.md says how to make one",
            {arguments.tokens, 0, 0}}});
  }
  if (!address->is_loopback()) {
    if (!tokens.are_needed())
      return fail(
          {{fmt::format("--listen: {} can be reached from other machines, and nobody would need a token",
                        address->host),
            "name a file of tokens with --tokens, or listen at 127.0.0.1 or a Unix socket",
            {}}});
    // Everyone who reaches this address can have code run, so the sandbox has to confine that code.
    arguments.lane.require_sandbox = true;
  }
  const Layout layout = Layout::find(arguments.lane.problems);
  const auto sandbox = Sandbox::shared(layout.launcher);
  if (!address->is_loopback() && !sandbox->confines())
    return fail({machine_error(
        fmt::format("--listen: {} can be reached from other machines, and this machine allows no namespaces, "
                    "so that neither candidates nor what parses HTTP would be confined",
                    address->host),
        "`kgrade doctor` says what namespaces need; or listen at 127.0.0.1 or a Unix socket")});
  const bool is_elsewhere = !arguments.lane_command.empty();
  auto devices = is_elsewhere ? names_of_lanes(arguments.lanes)
                              : lane_devices(arguments.gpus, arguments.lane.device, arguments.jobs);
  if (!devices) return fail(devices.errors());
  if (const auto missing = is_elsewhere ? std::nullopt : lack_of_devices(*devices)) return fail(*missing);
  const std::string lanes = fmt::format("{}", fmt::join(*devices, ", "));
  ServiceOptions options;
  if (arguments.state.empty()) {
    auto folder = usual_state();
    if (!folder) return fail(folder.errors());
    options.state = std::move(*folder);
  } else {
    options.state = std::filesystem::absolute(arguments.state);
  }
  options.lane = arguments.lane;
  options.shows_boards = arguments.board;
  options.contest = std::move(contest);
  options.build_jobs = is_elsewhere ? 0 : spare_cores(devices->size());
  options.devices = std::move(*devices);
  options.lane_command =
      is_elsewhere ? lane_command_of(arguments.lane_command) : LaneCommand{own_lane_command()};
  options.note = note;
  std::signal(SIGPIPE, SIG_IGN);
  const std::filesystem::path state = options.state;
  raise_descriptor_limit();
  auto service = Service::open(std::move(options));
  if (!service) return fail(service.errors());
  // A signal that ends the service removes the files of the lanes' batches, which hold the texts of
  // candidates. If `work` is a symbolic link, the link and its target stay.
  std::error_code ignored;
  if (const auto work = state / "work"; !std::filesystem::is_symlink(work, ignored))
    Cleanup::of_this_process().remember(work);
  Routes routes(**service, std::move(tokens));
  note("grades on " + lanes);
  if (!sandbox->confines() && !is_elsewhere)
    note(
        "candidates are not confined, and nothing that is built is kept: namespaces are missing (kgrade "
        "doctor)");
  const FrontSetup front{front_command(*sandbox, layout), note};
  const auto served = serve_http(**service, routes, *address, front, {},
                                 [](const std::string& where) { note("listening at " + where); });
  return served ? *served : fail(served.errors());
}

using ServiceJson = nlohmann::json;

constexpr auto look_again = std::chrono::seconds(1);
constexpr const char* usual_service = "http://127.0.0.1:8642";
constexpr std::size_t longest_cell = 48;

std::string value_of_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A text from the service, made printable, because a client may have written it. Empty for other values.
std::string cell(const ServiceJson& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end() || !at->is_string()) return "";
  return printable_line(at->get<std::string>()).substr(0, longest_cell);
}

double number_at(const ServiceJson& object, const char* name) {
  const auto at = object.find(name);
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

std::string picture_of(const ServiceJson& capacity, const std::string& url, const Style& style) {
  std::string text = style(Colour::bold, fmt::format("kgrade {} at {}", cell(capacity, "version"), url));
  text +=
      fmt::format("\n{:.0f} queued, {:.0f} running, {:.1f} grades a minute\n", number_at(capacity, "queued"),
                  number_at(capacity, "running"), number_at(capacity, "grades_per_minute"));
  TextTable lanes({"lane", "device", "state", "for", "problem", "job", "does"},
                  {false, false, false, true, false, false, false});
  for (const ServiceJson& lane : capacity.value("lanes", ServiceJson::array())) {
    if (!lane.is_object()) continue;
    const std::string state = cell(lane, "state"), name = cell(lane, "name");
    const Colour colour = state == "busy"          ? Colour::green
                          : state == "quarantined" ? Colour::red
                                                   : Colour::dim;
    lanes.add({name.empty() ? "here" : name, cell(lane, "device"), style(colour, state),
               lane.contains("since_s") && lane["since_s"].is_number()
                   ? fmt::format("{:.0f} s", number_at(lane, "since_s"))
                   : "",
               cell(lane, "problem"), cell(lane, "job"), cell(lane, "doing")});
  }
  text += lanes.render(style);
  const ServiceJson owners = capacity.value("by_owner", ServiceJson::object());
  if (owners.empty()) return text;
  TextTable queue({"owner", "queued"}, {false, true});
  for (const auto& [owner, count] : owners.items())
    queue.add({printable_line(owner), count.is_number() ? fmt::format("{:.0f}", count.get<double>()) : ""});
  return text + queue.render(style);
}

int watch_service(std::string url, bool once) {
  if (url.empty()) url = value_of_variable("KGRADE_URL");
  if (url.empty()) url = usual_service;
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  const bool stays = !once && ::isatty(STDOUT_FILENO) == 1;
  for (;;) {
    const auto answer = get_from_service(url, "/v1/capacity", value_of_variable("KGRADE_TOKEN"));
    if (!answer) return fail(answer.errors());
    const ServiceJson capacity = ServiceJson::parse(*answer, nullptr, false);
    if (!capacity.is_object())
      return fail({machine_error(url + " answers, but is no service of kgrade", "name its address")});
    const std::string picture = picture_of(capacity, url, style);
    // The picture is written over the last one, and the rest of each line and of the screen is erased. So
    // nothing flickers.
    fmt::print("{}", stays ? "\033[H" + replace_all(picture, "\n", "\033[K\n") + "\033[J" : picture);
    std::fflush(stdout);
    if (!stays) return exit_ok;
    std::this_thread::sleep_for(look_again);
  }
}

}  // namespace

Command add_serve(CLI::App& app) {
  auto arguments = std::make_shared<ServeArguments>();
  CLI::App* command = app.add_subcommand("serve", "Grade for other programs, over HTTP");
  command
      ->add_option("--listen", arguments->listen,
                   "IP address and port, or unix:PATH (default: 127.0.0.1:8642; port 0 takes a free one). An "
                   "address that other machines reach needs --tokens and the sandbox")
      ->type_name("ADDRESS");
  command
      ->add_option("--tokens", arguments->tokens,
                   "File with a line OWNER SHA256 for each token (docs/service.md): only clients with one of "
                   "the tokens are served")
      ->type_name("FILE");
  command
      ->add_option("--state", arguments->state,
                   "Folder for accepted jobs and their results, which a restart goes on with (default: "
                   "~/.local/state/kgrade/serve)")
      ->type_name("DIR");
  command->add_flag(
      "--board", arguments->board,
      "Show each owner the best speeds of the others, with the names of the owners and nothing else");
  command
      ->add_option("--contest", arguments->contest,
                   "File of a contest (docs/contest.md): only its problems, from its start to its end. Needs "
                   "--tokens with a token that has `teacher`")
      ->type_name("FILE");
  add_device_option(*command, arguments->lane.device);
  command->add_option("--gpus", arguments->gpus, "CUDA devices to grade on, one candidate at a time on each")
      ->type_name("0,1,..")
      ->excludes(command->get_option("--device"));
  command
      ->add_option("--jobs", arguments->jobs,
                   "Lanes of the emulated device (default: all cores that kgrade may use)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_grade_options(*command, by_serve, arguments->lane);
  CLI::Option* const lane_command =
      add_lane_command_option(*command, arguments->lane_command, arguments->lanes);
  for (const char* const other : {"--gpus", "--device", "--jobs"})
    lane_command->excludes(command->get_option(other));
  command->footer(
      "Example: kgrade serve --gpus 0,1 --listen unix:/tmp/kgrade.socket\n"
      "Exit codes: 2 wrong usage, 3 the address or the state folder cannot be used, 70 a fault of kgrade.");
  return {command, [arguments] { return run(*arguments); }};
}

Command add_watch(CLI::App& app) {
  struct WatchArguments {
    std::string url;
    bool once = false;
  };
  auto arguments = std::make_shared<WatchArguments>();
  CLI::App* command = app.add_subcommand("watch", "Show the lanes and the queue of a service");
  command
      ->add_option("service", arguments->url,
                   "Its address: http://HOST:PORT or unix:PATH (default: $KGRADE_URL, or " +
                       std::string(usual_service) + ")")
      ->type_name("URL");
  command->add_flag("--once", arguments->once, "Print them once, as where the output is no terminal");
  command->footer(
      "$KGRADE_TOKEN is sent to a service that wants a token.\n"
      "Exit codes: 2 wrong usage, 3 no service answers.");
  return {command, [arguments] { return watch_service(arguments->url, arguments->once); }};
}

}  // namespace kgrade::cli
