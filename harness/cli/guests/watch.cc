// `kgrade watch`: the lanes and the queue of a service, in a terminal.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "record/terminal.h"
#include "serve/http_client.h"

namespace kgrade::cli {
namespace {

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

Colour colour_of(const std::string& state) {
  if (state == "busy") return Colour::green;
  return state == "quarantined" ? Colour::red : Colour::dim;
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
    lanes.add({name.empty() ? "here" : name, cell(lane, "device"), style(colour_of(state), state),
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
