// A request as the service sees it, after the front has parsed it.
#pragma once

#include <string>

namespace kgrade {

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // "/v1/grades/g_12?wait=5"
  std::string authorization;
  std::string idempotency_key;
  std::string last_event_id;
  std::string host;     // "127.0.0.1:8642"
  std::string origin;   // of the web page that sends the request; empty: unknown, or no web page
  bool is_tcp = false;  // false: a Unix socket, which no browser can reach
  std::string body;
};

}  // namespace kgrade
