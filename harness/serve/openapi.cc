// openapi.json, from the table of routes and the fields of requests and answers.
#include <fmt/format.h>

#include <algorithm>

#include "serve/answers_json.h"
#include "serve/requests.h"
#include "serve/routes.h"

namespace kgrade {
namespace {

using OrderedJson = nlohmann::ordered_json;

// --- Parameters ---

struct DescribedParameter {
  const char* name;
  const char* place;  // "path", "query", "header"
  const char* description;
  OrderedJson schema;
};

std::vector<DescribedParameter> all_parameters(SchemaDefinitions& definitions) {
  const auto text = [](const char* pattern) { return OrderedJson{{"type", "string"}, {"pattern", pattern}}; };
  OrderedJson wait = NumberRule{0, longest_wait_s}.schema();
  wait["default"] = 0;
  OrderedJson key = text("^[ -~]*$");
  key["maxLength"] = longest_key;
  return {
      {"problem", "path", "A slug, or the SHA-256 of a file that this owner has uploaded.",
       text("^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$")},
      {"id", "path", "The id of a job.", text("^g_[0-9a-f]{32}$")},
      {"wait", "query", "Seconds to wait for the end of the job before the answer.", wait},
      {"view", "query",
       "`reward`: a Grade, always. `agent` and `record`: an AgentLine or the whole record of a "
       "job that has a verdict; for other jobs, the answer is 404. `source`: the candidate that "
       "was sent.",
       definitions.reference_to<View>()},
      {"owner", "query",
       "Another owner, whose jobs in the contest a teacher may see. If missing, the token's own.",
       OrderedJson{{"type", "string"}}},
      {"before", "query", "The id of a job: go on behind it.", text("^g_[0-9a-f]{32}$")},
      {"limit",
       "query",
       "The most jobs of an answer.",
       {{"type", "integer"}, {"minimum", 1}, {"maximum", most_listed}, {"default", most_listed}}},
      {"Last-Event-ID", "header", "The `id` of the last event that the client has seen.",
       text("^[0-9]{0,18}$")},
      {"Idempotency-Key", "header",
       "A request with the same key and the same body gives the same job again, also after a "
       "restart. Keys belong to their owner, and are kept as long as the job.",
       key},
  };
}

OrderedJson parameter_json(const std::vector<DescribedParameter>& all, std::string_view name) {
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const DescribedParameter& one) { return one.name == name; });
  OrderedJson json = {{"name", at->name}, {"in", at->place}};
  if (at->place == std::string_view("path")) json["required"] = true;
  json["description"] = at->description;
  json["schema"] = at->schema;
  return json;
}

// --- Refusals ---

struct DescribedRefusal {
  int status;
  const char* name;
  const char* description;
};
constexpr DescribedRefusal refusals[] = {
    {400, "WrongRequest", "A parameter, a header or a member of the body is wrong. `detail` names it."},
    {401, "NoToken",
     "The service needs a token, and the request has none that it knows, or one that has "
     "expired."},
    {403, "NotAllowed",
     "The token has no right to upload problems, or to see what others send, or its owner has "
     "no room for another problem. Or a contest has not begun, is over, or has no such "
     "problem."},
    {404, "NotFound",
     "There is no such job of this owner, no such problem, or no such view of the job. Jobs "
     "are forgotten a day after their end, or earlier if there are more than 50,000 or their "
     "records take more than 10 GB: then the oldest of the owner with most of them."},
    {409, "HasEnded", "The job had ended before."},
    {413, "TooLarge",
     "The body is larger than 32 MiB, and the connection is closed. Or the answer would be "
     "larger than 64 MiB: then ask for fewer jobs at a time."},
    {422, "KeyUsed", "The Idempotency-Key was used with another body."},
    {429, "TooMany",
     "Too many jobs of this owner are queued, or the owner has used its quota of lane time. "
     "Or the bodies of this owner's requests that are being read, or the answers to them that "
     "are not yet taken, have more than 128 MiB."},
    {503, "Busy",
     "The queue is full, or the disk takes nothing. Or all bodies that are being read, or all "
     "answers that are not yet taken, have more than 256 MiB."},
};

OrderedJson refusal_json(const DescribedRefusal& refusal, SchemaDefinitions& definitions) {
  OrderedJson json = {{"description", refusal.description}};
  const auto header = [&](const char* name, OrderedJson schema) {
    json["headers"][name] = {{"required", true}, {"schema", std::move(schema)}};
  };
  if (refusal.status == 401) header("WWW-Authenticate", {{"const", "Bearer"}});
  // Seconds after which the request may be sent again.
  if (refusal.status == 429 || refusal.status == 503) header("Retry-After", from_one.schema());
  json["content"]["application/problem+json"]["schema"] = described<answers::Error>(definitions);
  return json;
}

// --- Operations ---

OrderedJson operation_json(const Operation& operation, std::string_view pattern, bool needs_token,
                           const std::vector<DescribedParameter>& parameters,
                           SchemaDefinitions& definitions) {
  OrderedJson json = {
      {"operationId", operation.id}, {"tags", {operation.tag}}, {"summary", operation.summary}};
  if (*operation.description != '\0') json["description"] = operation.description;
  if (!needs_token) json["security"] = OrderedJson::array();
  for (const std::string& name : operation.parameters)
    json["parameters"].push_back(parameter_json(parameters, name));
  for (const char* const name : operation.headers)
    json["parameters"].push_back(parameter_json(parameters, name));
  if (operation.body != nullptr)
    json["requestBody"] = {{"required", true},
                           {"content", {{"application/json", {{"schema", operation.body(definitions)}}}}}};
  for (const DescribedAnswer& answer : operation.answers)
    json["responses"][std::to_string(answer.status)] = {
        {"description", answer.description},
        {"content", {{answer.type, {{"schema", answer.schema(definitions)}}}}}};
  // All statuses with which the operation can refuse a request, in order.
  std::vector<int> statuses = operation.refusals;
  if (pattern != "/") statuses.push_back(400);
  if (needs_token) statuses.push_back(401);
  if (operation.body != nullptr) statuses.insert(statuses.end(), {413, 429, 503});
  std::sort(statuses.begin(), statuses.end());
  for (const int status : statuses) {
    const auto at = std::find_if(std::begin(refusals), std::end(refusals),
                                 [&](const DescribedRefusal& one) { return one.status == status; });
    json["responses"][std::to_string(status)] = {
        {"$ref", fmt::format("#/components/responses/{}", at->name)}};
  }
  return json;
}

}  // namespace

OrderedJson Routes::description() {
  SchemaDefinitions definitions("#/components/schemas/");
  const std::vector<DescribedParameter> parameters = all_parameters(definitions);
  OrderedJson paths = OrderedJson::object();
  for (const Route& route : table()) {
    OrderedJson& path = paths[std::string(route.pattern)];
    // The parameter in a pattern: "id" in "/v1/grades/{id}".
    if (const std::size_t open = route.pattern.find('{'); open != route.pattern.npos) {
      const std::string_view name = route.pattern.substr(open + 1, route.pattern.find('}') - open - 1);
      path["parameters"] = {parameter_json(parameters, name)};
    }
    std::string method(route.method);
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    path[method] = operation_json(route.operation, route.pattern, route.needs_token, parameters, definitions);
  }
  OrderedJson responses = OrderedJson::object();
  for (const DescribedRefusal& refusal : refusals)
    responses[refusal.name] = refusal_json(refusal, definitions);
  const OrderedJson token = {
      {"type", "http"},
      {"scheme", "bearer"},
      {"description",
       "A token of the file that `--tokens` names. A service without this option needs no "
       "token, and everybody who reaches it is one owner who may choose seeds."}};
  return {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "kgrade serve"},
        {"version", "1"},
        {"summary", "Grades GPU kernels for other programs."},
        {"description",
         "docs/service.md describes the service for people. Every answer to GET is given to HEAD "
         "too, without its body. A request that cannot be read as HTTP/1.1 is answered with 400 "
         "or not at all, and then the connection is closed. The header of a request may have 16 "
         "KiB; a longer one is answered with 431. A method that a path does not take is answered "
         "with 405, and `Allow` names those that it takes. A parameter of the query that an "
         "operation does not have is answered with 400, except at `/`."}}},
      {"servers", {{{"url", "/"}, {"description", "The address that serves this document."}}}},
      {"security", {{{"token", OrderedJson::array()}}, OrderedJson::object()}},
      {"tags",
       {{{"name", "jobs"},
         {"description", "Grades that a client asked for. A client sees only jobs of its own owner."}},
        {{"name", "problems"}},
        {{"name", "service"}}}},
      {"paths", paths},
      {"components",
       {{"securitySchemes", {{"token", token}}}, {"responses", responses}, {"schemas", definitions.all()}}}};
}

}  // namespace kgrade
