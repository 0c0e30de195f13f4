// How openapi.json describes an operation of the service.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "serve/answers.h"

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
  const char* description = "";              // empty: the summary says all
  std::vector<std::string> parameters = {};  // that the query may have
  std::vector<const char*> headers = {};     // that mean something
  Describe body = nullptr;                   // null: there is none
  std::vector<DescribedAnswer> answers = {};
  // Statuses of refusals, besides those of all operations with a query, a token or a body.
  std::vector<int> refusals = {};
};

}  // namespace kgrade
