// The endpoints of the service (docs/service.md), without a network.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "serve/answers.h"
#include "serve/front_frames.h"
#include "serve/service.h"
#include "serve/tokens.h"

namespace kgrade {

// An answer that is not a refusal.
struct DescribedAnswer {
  int status = 200;
  const char* description = "";
  Describe schema = nullptr;
  const char* type = "application/json";
};

struct Operation {
  const char* id = "";
  const char* tag = "";  // "jobs", "problems", "service"
  const char* summary = "";
  const char* description = "";              // empty: the summary is enough
  std::vector<std::string> parameters = {};  // parameters of the query
  std::vector<const char*> headers = {};     // headers that the operation reads
  Describe body = nullptr;                   // null: there is none
  std::vector<DescribedAnswer> answers = {};
  // Statuses of refusals, without those that all operations with a query, a token or a body have.
  std::vector<int> refusals = {};
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  int retry_after_s = 0;   // 0: no such header
  std::string allow = {};  // empty: no such header
  // For a stream: `more` calls its argument once with the next part of the body. An empty `more`: the answer
  // is not a stream.
  using Part = std::function<void(const std::string&)>;
  std::function<void(Part)> more = {};
};

HttpAnswer json_answer(const nlohmann::ordered_json& json, int status = 200);
// The answer for a refusal: the status, a title and a detail (RFC 9457).
HttpAnswer problem_answer(const Refusal& refusal);

class Routes {
 public:
  using Answer = std::function<void(HttpAnswer)>;

  // openapi.json: the table of routes as a description in OpenAPI 3.1.
  static nlohmann::ordered_json description();

  // Keeps a reference to the service. `longest_answer`: the most bytes of results that are put into one
  // answer.
  Routes(Service& service, Tokens tokens, std::uint64_t longest_answer = HttpLimits{}.answer_bytes);

  // Reads the file of the tokens again if it has changed. Call it ten times a second, requests or not.
  void look_at_tokens() { tokens_.look_at_file(service_.note()); }

  // The owner whose token is in the request's header. Empty if the service does not know the token.
  std::string owner_of(const HttpRequest& request) const;
  // Whether handle() needs the request's body. Only the header is read for this. If not, handle() answers or
  // refuses the request without its body.
  bool wants_body_of(const HttpRequest& request) const;
  // Answers one request: at once, or later for a request that waits. `answer` is called once.
  void handle(const HttpRequest& request, Answer answer);

 private:
  // A request of a known client. Where no token is needed, the client may be unknown.
  struct Call {
    const HttpRequest& request;
    Client client;
    std::map<std::string, std::string> parameters;
    std::string name;  // the part of the path in the place of {...}

    std::string parameter(const char* of) const {
      const auto at = parameters.find(of);
      return at == parameters.end() ? "" : at->second;
    }
  };

  // An operation of the service. openapi.json is made from the same table of operations.
  struct Route {
    std::string_view method;   // requests with POST and PUT have a body
    std::string_view pattern;  // "/v1/grades/{id}"
    std::function<void(Routes&, const Call&, Answer)> handle;
    Operation operation;
    bool needs_token = true;
  };
  static const std::vector<Route>& table();
  // The pattern that matches the path of a request. Empty if there is none.
  static std::string_view pattern_of(const HttpRequest& request);
  // The route of a request. Null if there is none with its path and method.
  static const Route* route_of(const HttpRequest& request);

  // Why this client may not send this request, whatever its body is.
  std::optional<Refusal> refusal_of(const HttpRequest& request, const std::optional<Client>& client) const;
  HttpAnswer page(const Call& call) const;
  HttpAnswer openapi(const Call& call) const;
  HttpAnswer record_schema(const Call& call) const;
  HttpAnswer health(const Call& call) const;
  HttpAnswer metrics(const Call& call) const;
  HttpAnswer capacity(const Call& call) const;
  void grades(const Call& call, Answer answer);
  void batch(const Call& call, Answer answer);
  void wait(const Call& call, Answer answer);
  void one_grade(const Call& call, Answer answer);
  void cancel(const Call& call, Answer answer);
  void events(const Call& call, Answer answer);
  // These and the following are in routes_problems.cc.
  HttpAnswer me(const Call& call) const;
  HttpAnswer list(const Call& call) const;
  HttpAnswer standings(const Call& call) const;
  HttpAnswer standings_csv(const Call& call) const;
  HttpAnswer problems(const Call& call) const;
  HttpAnswer problem(const Call& call) const;
  HttpAnswer board(const Call& call) const;
  HttpAnswer put_problem(const Call& call);
  HttpAnswer delete_problem(const Call& call);

  HttpAnswer view(const Client& client, const std::string& id, View view) const;

  Service& service_;
  Tokens tokens_;
  std::uint64_t longest_answer_;
};

}  // namespace kgrade
