// The paths of the service with their methods and parameters, as openapi.json describes them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kgrade {

class Interface {
 public:
  struct Operation {
    bool needs_token = true;
    bool has_body = false;
    std::vector<std::string> parameters;  // that the query may have
  };
  struct Path {
    std::string pattern;                          // "/v1/grades/{id}"
    std::map<std::string, Operation> operations;  // by method: "GET"

    // Null if the path does not take that method.
    const Operation* operation(const std::string& method) const;
    // The methods for the header `Allow`: "GET, HEAD, DELETE". The front answers HEAD like GET.
    std::string methods() const;
  };

  // `description`: a document in OpenAPI 3.1 whose references are all in it.
  explicit Interface(std::string_view description);

  // The path that a request names, without its query. Null if there is none.
  const Path* find(std::string_view path) const;

 private:
  std::vector<Path> paths_;  // those without {...} first
};

}  // namespace kgrade
