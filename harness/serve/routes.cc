#include "serve/routes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>

#include "base/text.h"
#include "record/record_json.h"
#include "serve/answers_json.h"
#include "serve/requests.h"

namespace kgrade {

// Files that the service sends as they are. The build puts them into the program as texts.
namespace serve_page {
extern const std::string_view page;  // at /
}  // namespace serve_page

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr double longest_silence_s = 15;   // of a stream of events
constexpr std::size_t longest_quote = 60;  // of a client's text in the reason of a refusal

const char* title_of(int status) {
  switch (status) {
    case 400:
      return "The request is wrong";
    case 401:
      return "A token is needed";
    case 403:
      return "The token does not allow this";
    case 404:
      return "There is no such thing";
    case 405:
      return "Another method is needed";
    case 409:
      return "The job has ended";
    case 413:
      return "The request is too large";
    case 422:
      return "The key was used before";
    case 429:
      return "Too many jobs of this owner";
    case 503:
      return "The service is busy";
    default:
      return "The request failed";
  }
}

answers::Error error_of(const Refusal& refusal) {
  return {title_of(refusal.status), refusal.status, refusal.detail, std::nullopt};
}

std::string path_of(const HttpRequest& request) { return request.target.substr(0, request.target.find('?')); }

std::map<std::string, std::string> parameters_of(const HttpRequest& request) {
  std::map<std::string, std::string> parameters;
  std::string_view query = request.target;
  query.remove_prefix(std::min(query.size(), std::min(query.find('?'), query.size()) + 1));
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (!pair.empty())
      parameters[std::string(pair.substr(0, equals))] = pair.substr(std::min(equals + 1, pair.size()));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return parameters;
}

// The part of the path in the place of {...} in the pattern. Empty if the pattern has no {...}. Nothing if
// the path does not match the pattern: {...} stands for exactly one part of a path, and the part is not
// empty.
std::optional<std::string> name_in(std::string_view pattern, std::string_view path) {
  const std::size_t open = pattern.find('{');
  if (open == pattern.npos) return pattern == path ? std::optional<std::string>("") : std::nullopt;
  const std::string_view end = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= open + end.size() || !path.starts_with(pattern.substr(0, open)) || !path.ends_with(end))
    return std::nullopt;
  const std::string_view name = path.substr(open, path.size() - open - end.size());
  return name.find('/') == name.npos ? std::optional(std::string(name)) : std::nullopt;
}

// The refusal of a parameter that this path does not have. Only the page allows any parameter, because links
// to it may carry parameters of other sites.
std::optional<Refusal> refusal_of_parameters(const HttpRequest& request, std::string_view pattern,
                                             const std::vector<std::string>& known) {
  if (pattern == "/") return std::nullopt;
  for (const auto& [name, value] : parameters_of(request)) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string quoted = printable_line(name.substr(0, longest_quote));
    const std::string there = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
    return Refusal{
        400, fmt::format("there is no parameter '{}': {} {} has {}", quoted, request.method, pattern, there),
        0};
  }
  return std::nullopt;
}

// Seconds from 0 to the longest wait. Nothing for other texts.
std::optional<double> seconds_of(const std::string& text) {
  double seconds = 0;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failure != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  if (!(seconds >= 0 && seconds <= longest_wait_s)) return std::nullopt;
  return seconds;
}

// Without tokens, everyone who reaches the service may use it. A browser on this machine reaches it, but must
// not send requests for a page of another site. Such a page has another origin, or another host name that
// leads to this address (DNS rebinding).
bool is_of_another_page(const HttpRequest& request) {
  if (!request.is_tcp) return false;
  if (!request.origin.empty() && request.origin != "http://" + request.host &&
      request.origin != "https://" + request.host)
    return true;
  const std::string name = request.host.substr(0, request.host.rfind(':'));
  const bool is_address = request.host.starts_with('[') || name.find_first_not_of("0123456789.") == name.npos;
  return !is_address && name.find('.') != name.npos && !name.ends_with(".localhost");
}

std::optional<Refusal> refusal_of_key(const std::string& key) {
  const bool is_ascii = std::all_of(key.begin(), key.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (key.size() <= longest_key && is_ascii) return std::nullopt;
  return Refusal{400, "the Idempotency-Key is longer than 200 characters, or not ASCII", 0};
}

}  // namespace

HttpAnswer json_answer(const OrderedJson& json, int status) {
  return {status, "application/json", json_text(json) + "\n"};
}

HttpAnswer problem_answer(const Refusal& refusal) {
  return {refusal.status, "application/problem+json", json_text(json_of(error_of(refusal))) + "\n",
          refusal.retry_after_s, refusal.allow};
}

Routes::Routes(Service& service, Tokens tokens, std::uint64_t longest_answer)
    : service_(service), tokens_(std::move(tokens)), longest_answer_(longest_answer) {}

std::string_view Routes::pattern_of(const HttpRequest& request) {
  const std::string path = path_of(request);
  const auto at = std::find_if(table().begin(), table().end(),
                               [&](const Route& route) { return name_in(route.pattern, path).has_value(); });
  return at == table().end() ? "" : at->pattern;
}

const Routes::Route* Routes::route_of(const HttpRequest& request) {
  const auto at =
      std::find_if(table().begin(), table().end(), [&, pattern = pattern_of(request)](const Route& route) {
        return route.method == request.method && route.pattern == pattern;
      });
  return at == table().end() ? nullptr : &*at;
}

std::optional<Refusal> Routes::refusal_of(const HttpRequest& request,
                                          const std::optional<Client>& client) const {
  const Route* const route = route_of(request);
  const std::string_view pattern = pattern_of(request);
  if (route == nullptr && !pattern.empty()) {
    // The front answers HEAD like GET.
    std::string methods;
    for (const Route& other : table()) {
      if (other.pattern != pattern) continue;
      methods += fmt::format("{}{}{}", methods.empty() ? "" : ", ", other.method,
                             other.method == "GET" ? ", HEAD" : "");
    }
    return Refusal{405, fmt::format("{} takes {}", pattern, methods), 0, methods};
  }
  if (route != nullptr) {
    if (auto refusal = refusal_of_parameters(request, route->pattern, route->operation.parameters))
      return refusal;
    if (!route->needs_token) return std::nullopt;
  }
  if (!client) return Refusal{401, tokens_.refusal_of(request.authorization), 0};
  if (!tokens_.are_needed() && is_of_another_page(request))
    return Refusal{
        403, "a service without tokens answers only its own page, and programs that name it by its address",
        0};
  if (route == nullptr) return Refusal{404, "GET /v1/openapi.json describes the paths and their methods", 0};
  if (route->method == "PUT" && !client->may_upload)
    return Refusal{403, "only a token with `problems` may upload problems", 0};
  return std::nullopt;
}

std::string Routes::owner_of(const HttpRequest& request) const {
  const auto client = tokens_.client_of(request.authorization);
  return client ? client->owner : "";
}

bool Routes::wants_body_of(const HttpRequest& request) const {
  const Route* const route = route_of(request);
  return route != nullptr && (route->method == "POST" || route->method == "PUT") &&
         !refusal_of(request, tokens_.client_of(request.authorization));
}

void Routes::handle(const HttpRequest& request, Answer answer) {
  const auto client = tokens_.client_of(request.authorization);
  if (const auto refusal = refusal_of(request, client)) return answer(problem_answer(*refusal));
  if (const auto at = first_invalid_utf8(request.body))
    return answer(problem_answer({400,
                                  fmt::format("the body is not in UTF-8: byte {} is 0x{:02x}", *at,
                                              static_cast<unsigned char>(request.body[*at])),
                                  0}));
  const Route& route = *route_of(request);
  route.handle(*this,
               {request, client.value_or(Client{}), parameters_of(request),
                name_in(route.pattern, path_of(request)).value_or("")},
               std::move(answer));
}

HttpAnswer Routes::page(const Call&) const {
  return {200, "text/html; charset=utf-8", std::string(serve_page::page)};
}

HttpAnswer Routes::openapi(const Call&) const {
  static const std::string text = description().dump() + "\n";
  return {200, "application/json", text};
}

HttpAnswer Routes::record_schema(const Call&) const {
  static const std::string text = kgrade::record_schema().dump() + "\n";
  return {200, "application/schema+json", text};
}

HttpAnswer Routes::health(const Call&) const {
  const bool is_healthy = service_.is_healthy();
  return {is_healthy ? 200 : 503, "text/plain; charset=utf-8", is_healthy ? "ok\n" : "no lane grades\n"};
}

HttpAnswer Routes::metrics(const Call&) const {
  return {200, "text/plain; version=0.0.4", service_.metrics()};
}

HttpAnswer Routes::capacity(const Call& call) const {
  return json_answer(service_.capacity(call.client.owner));
}

void Routes::grades(const Call& call, Answer answer) {
  const std::string& key = call.request.idempotency_key;
  if (const auto refusal = refusal_of_key(key)) return answer(problem_answer(*refusal));
  const auto seconds =
      call.parameter("wait").empty() ? std::optional(0.0) : seconds_of(call.parameter("wait"));
  if (!seconds) return answer(problem_answer({400, "wait is no number of seconds from 0 to 50", 0}));
  const auto done = service_.submit(call.client, key, call.request.body);
  if (const auto* const refusal = std::get_if<Refusal>(&done)) return answer(problem_answer(*refusal));
  const std::string id = std::get<std::string>(done);
  const auto reply = [this, client = call.client, id, answer = std::move(answer)] {
    const GradeJob* const job = service_.find(client.owner, id);
    if (job == nullptr) return answer(problem_answer({404, "the job was forgotten", 0}));
    answer(job->has_ended() ? view(client, id, View::reward) : json_answer(service_.status_of(*job), 202));
  };
  if (*seconds > 0) return service_.wait(call.client.owner, {id}, true, *seconds, reply);
  service_.after_commit(reply);
}

void Routes::batch(const Call& call, Answer answer) {
  const auto request = read_document<BatchRequest>(parsed_json(call.request.body));
  if (!request) return answer(problem_answer({400, "the request is no object with up to 256 `items`", 0}));
  const std::string& key = call.request.idempotency_key;
  if (const auto refusal = refusal_of_key(key)) return answer(problem_answer(*refusal));
  OrderedJson items = OrderedJson::array();
  for (std::size_t i = 0; i < request->items.size(); ++i) {
    const auto done =
        service_.submit(call.client, key.empty() ? "" : fmt::format("{}/{}", key, i), request->items[i]);
    if (const auto* const refusal = std::get_if<Refusal>(&done)) {
      answers::Error error = error_of(*refusal);
      if (refusal->retry_after_s > 0) error.retry_after = refusal->retry_after_s;
      items.push_back(json_of(answers::RefusedJob{error}));
    } else {
      const std::string& id = std::get<std::string>(done);
      items.push_back(json_of(answers::AcceptedJob{id, service_.find(call.client.owner, id)->state}));
    }
  }
  service_.after_commit([answer = std::move(answer), items] { answer(json_answer({{"items", items}})); });
}

void Routes::wait(const Call& call, Answer answer) {
  const Json json = parsed_json(call.request.body);
  if (json.is_discarded())
    return answer(problem_answer({400, "the request is not JSON, or is nested too deep", 0}));
  const auto request = read_document<WaitRequest>(json);
  if (!request) return answer(problem_answer({400, request.error().message, 0}));
  std::vector<std::string> ids;
  std::unordered_set<std::string> known;
  for (const std::string& id : request->ids) {
    if (known.insert(id).second) ids.push_back(id);
  }
  const auto reply = [this, client = call.client, ids, wanted = request->view, answer] {
    std::string finished, pending, unknown;
    const auto add = [](std::string& list, const OrderedJson& member) {
      if (!list.empty()) list += ',';
      list += json_text(member);
    };
    std::optional<Service::Positions> positions;
    for (const std::string& id : ids) {
      const GradeJob* const job = service_.find_for(client, id);
      if (job == nullptr) {
        add(unknown, id);
      } else if (!job->has_ended()) {
        if (!positions) positions = service_.positions(client.owner);
        add(pending, service_.status_of(*job, job->owner == client.owner ? &*positions : nullptr));
      } else {
        OrderedJson view = service_.view_of(*job, wanted, job->owner != client.owner);
        add(finished, view.is_null() ? service_.view_of(*job, View::reward) : view);
      }
      // No more records are read when the answer is already too long.
      if (finished.size() + pending.size() + unknown.size() > longest_answer_)
        return answer(problem_answer({413,
                                      fmt::format("the answer would have more than {} bytes: ask for fewer "
                                                  "jobs at a time",
                                                  longest_answer_),
                                      0}));
    }
    answer({200, "application/json",
            fmt::format("{{\"finished\":[{}],\"pending\":[{}],\"unknown\":[{}]}}\n", finished, pending,
                        unknown)});
  };
  service_.wait(call.client.owner, ids, request->until == WaitRequest::Until::all, request->timeout_s, reply);
}

// A stream of the owner's events, from now on or after the client's last event.
void Routes::events(const Call& call, Answer answer) {
  const std::string& last = call.request.last_event_id;
  auto after = std::make_shared<std::uint64_t>(service_.events().last());
  if (!last.empty()) {
    const auto [rest, failure] = std::from_chars(last.data(), last.data() + last.size(), *after);
    if (failure != std::errc{} || rest != last.data() + last.size() || last.size() > 18)
      return answer(problem_answer({400, "Last-Event-ID is not the number of an event", 0}));
  }
  // A block without data tells the client the number of the latest event. So the client misses nothing if it
  // loses the connection before its first event.
  HttpAnswer stream{200, "text/event-stream", fmt::format("retry: 2000\nid: {}\n\n", *after)};
  stream.more = [this, owner = call.client.owner, after](HttpAnswer::Part then) {
    service_.events().follow(owner, *after, service_.now() + longest_silence_s,
                             [after, then = std::move(then)](const std::string& text, std::uint64_t up_to) {
                               *after = up_to;
                               then(text);
                             });
  };
  answer(std::move(stream));
}

void Routes::cancel(const Call& call, Answer answer) {
  const std::string& owner = call.client.owner;
  if (service_.find(owner, call.name) == nullptr)
    return answer(problem_answer({404, "there is no such job", 0}));
  if (!service_.cancel(owner, call.name))
    return answer(problem_answer({409, "the job has ended already", 0}));
  service_.after_commit([this, client = call.client, id = call.name, answer = std::move(answer)] {
    answer(view(client, id, View::reward));
  });
}

void Routes::one_grade(const Call& call, Answer answer) {
  const std::string& id = call.name;
  const GradeJob* const job = service_.find_for(call.client, id);
  if (job == nullptr) return answer(problem_answer({404, "there is no such job", 0}));
  const std::string named = call.parameter("view");
  const auto wanted = enum_from<View>(named.empty() ? "reward" : named);
  if (!wanted) return answer(problem_answer({400, "view is none of reward, agent, record, source", 0}));
  const auto seconds =
      call.parameter("wait").empty() ? std::optional(0.0) : seconds_of(call.parameter("wait"));
  if (!seconds) return answer(problem_answer({400, "wait is no number of seconds from 0 to 50", 0}));
  service_.wait(job->owner, {id}, true, *seconds,
                [this, client = call.client, id, wanted, answer = std::move(answer)] {
                  answer(view(client, id, *wanted));
                });
}

HttpAnswer Routes::view(const Client& client, const std::string& id, View view) const {
  const GradeJob* const job = service_.find_for(client, id);
  if (job == nullptr) return problem_answer({404, "there is no such job", 0});
  const OrderedJson json = service_.view_of(*job, view, job->owner != client.owner);
  if (json.is_null())
    return problem_answer(
        {404,
         "this job has no such view: it has no verdict yet, or none at all, or its feedback "
         "does not show it",
         0});
  return json_answer(json);
}

}  // namespace kgrade
