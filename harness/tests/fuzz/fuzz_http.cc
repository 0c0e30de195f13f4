// The input is what clients send, each over a connection of its own and one after the other. A form feed ends
// what a client sends. `g_LAST` stands for the id that the service sent last. All
// connections stay open until the end, so a client may wait for a job that another one cancels.
#include <sys/socket.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "serve/front_link.h"
#include "serve/http_front.h"
#include "tests/fuzz/fuzzed_service.h"

namespace kgrade::fuzz {
namespace {

constexpr std::size_t most_clients = 8;
// A client that has got this much is not served further: few bytes can ask for a page many times.
constexpr std::size_t most_answers = std::size_t{1} << 20;
constexpr std::string_view beginning = "HTTP/1.1 ";
constexpr std::string_view id_mark = "\"id\":\"g_";
constexpr std::size_t id_length = 2 + 32;

// Small, so that inputs reach them.
HttpLimits limits() {
  HttpLimits limits;
  limits.body_bytes = 3000;
  limits.bodies_of_owner = 7000;
  limits.header_bytes = 1000;
  return limits;
}

// A service and its front in one process and one thread, without an address to listen at.
class HttpConnections {
 public:
  // Keeps references to both.
  HttpConnections(Service& service, Routes& routes, const HttpLimits& limits) : service_(service) {
    int ends[2];
    promise(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
    link_ = std::make_unique<FrontLink>(UniqueFd(ends[0]), routes, limits, false);
    front_ = std::make_unique<HttpFront>(UniqueFd(ends[1]), limits);
    front_->announce();
  }

  // Serves the client at the other end of this Unix stream socket.
  void add(UniqueFd socket) { front_->add(std::move(socket)); }

  // Reads, answers and commits until all clients have to be waited for. Waits for nothing itself, and starts
  // no lane.
  void go_on() {
    for (bool has_more = true; has_more;) {
      has_more = front_->poll();
      has_more = link_->receive() || has_more;
      if (service_.has_to_commit()) service_.commit();
      link_->send();
      promise(link_->fault().empty(), "a sound front does not break the rules: " + link_->fault());
    }
  }

  std::uint64_t kept_bytes() const { return link_->kept_bytes(); }

 private:
  Service& service_;
  std::unique_ptr<FrontLink> link_;
  std::unique_ptr<HttpFront> front_;
};

struct FuzzedClient {
  UniqueFd socket;
  std::string received;

  // False if nothing has come.
  bool receive() {
    const std::size_t before = received.size();
    char bytes[1 << 16];
    ssize_t count = 0;
    while (received.size() < most_answers &&
           (count = ::recv(socket.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
      received.append(bytes, static_cast<std::size_t>(count));
    return received.size() > before;
  }
};

int number_in(std::string_view text, int base = 10) {
  int number = -1;
  const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  promise(failure == std::errc{} && rest == text.data() + text.size() && number >= 0, "a number is one");
  return number;
}

// The value of a header that every answer has once.
std::string_view header(std::string_view head, std::string_view name) {
  const std::size_t at = head.find("\r\n" + std::string(name) + ": ");
  promise(at != head.npos, "an answer has its headers");
  const std::string_view rest = head.substr(at + name.size() + 4);
  return rest.substr(0, rest.find("\r\n"));
}

void expect_sound(int status, std::string_view type, std::string_view body) {
  static const std::set<int> statuses = {200, 202, 400, 401, 404, 405, 409, 410, 413, 422, 429, 431, 503};
  promise(statuses.contains(status), "a status is documented");
  if (type.find("json") == type.npos) return;
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  promise(json.is_object(), "JSON is JSON");
  promise((status >= 400) == (type == "application/problem+json"), "an error is a problem");
  promise(status < 400 || json.at("status") == status, "a problem has its status");
}

// The rest of what a client got is a stream of events in chunks.
void expect_chunks(std::string_view rest, bool sent) {
  while (!rest.empty()) {
    const std::size_t end = rest.find("\r\n");
    if (end == rest.npos && !sent) return;
    promise(end != rest.npos, "a chunk has a size");
    const auto length = static_cast<std::size_t>(number_in(rest.substr(0, end), 16));
    promise(length > 0, "a stream does not end");
    rest.remove_prefix(end + 2);
    if (rest.size() < length + 2 && !sent) return;
    promise(rest.size() >= length + 2 && rest.substr(length, 2) == "\r\n", "a chunk has its size");
    promise(rest.substr(0, length).ends_with("\n\n"), "a chunk has whole events");
    rest.remove_prefix(length + 2);
  }
}

// Reads the answers to one client. `sent`: whether all of them were received. `has_head`: some may be without
// the body whose length they name.
void expect_answers(std::string_view rest, bool sent, bool has_head) {
  while (!rest.empty()) {
    promise(rest.starts_with(beginning), "an answer begins like one");
    const std::size_t end = rest.find("\r\n\r\n");
    if (end == rest.npos && !sent) return;
    promise(end != rest.npos, "an answer has a head");
    const std::string_view head = rest.substr(0, end + 2);
    rest.remove_prefix(end + 4);
    const int status = number_in(head.substr(beginning.size(), 3));
    if (status == 100) continue;
    if (head.find("\r\nTransfer-Encoding: chunked\r\n") != head.npos) return expect_chunks(rest, sent);
    const auto length = static_cast<std::size_t>(number_in(header(head, "Content-Length")));
    if (has_head && (rest.empty() || rest.starts_with(beginning))) continue;
    if (rest.size() < length && !sent) return;
    promise(rest.size() >= length, "an answer has its body");
    expect_sound(status, header(head, "Content-Type"), rest.substr(0, length));
    rest.remove_prefix(length);
  }
}

std::set<std::string> ids_in(std::string_view text) {
  std::set<std::string> ids;
  for (std::size_t at = 0; (at = text.find(id_mark, at)) != text.npos; at += id_mark.size()) {
    const std::string_view id = text.substr(at + id_mark.size() - 2, id_length);
    if (id.size() == id_length && id.find('"') == id.npos) ids.emplace(id);
  }
  return ids;
}

class Clients {
 public:
  explicit Clients(Service& service) : routes_(service, {}), connections_(service, routes_, limits()) {}

  // Returns what it received.
  const std::string& send(const std::string& text) {
    int ends[2];
    promise(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
            "there are sockets");
    clients_.push_back({UniqueFd(ends[0]), ""});
    connections_.add(UniqueFd(ends[1]));
    connections_.go_on();
    std::size_t sent = 0;
    bool goes_on = true;
    while (goes_on) {
      const ssize_t count = ::send(ends[0], text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count > 0) sent += static_cast<std::size_t>(count);
      if (sent == text.size()) ::shutdown(ends[0], SHUT_WR);
      connections_.go_on();
      goes_on = false;
      for (FuzzedClient& client : clients_) goes_on = client.receive() || goes_on;
    }
    return clients_.back().received;
  }

  const std::vector<FuzzedClient>& all() const { return clients_; }

 private:
  Routes routes_;
  HttpConnections connections_;
  std::vector<FuzzedClient> clients_;
};

struct Served {
  std::unique_ptr<Service> service;
  std::unique_ptr<Clients> clients;

  explicit Served(const std::filesystem::path& state)
      : service(open_service(state)), clients(std::make_unique<Clients>(*service)) {}
};

// Returns the ids of all jobs that the clients were told of.
std::set<std::string> serve(const std::filesystem::path& state, std::string_view input) {
  const Served served(state);
  const bool has_head = input.find("HEAD") != input.npos;
  std::string last(id_length, '0');
  for (std::size_t i = 0; i < most_clients && !input.empty(); ++i) {
    const std::size_t end = input.find(between_files);
    const std::string text = replace_all(std::string(input.substr(0, end)), "g_LAST", last);
    const std::string& received = served.clients->send(text);
    const auto ids = ids_in(received);
    if (!ids.empty()) last = *ids.begin();
    input.remove_prefix(end == input.npos ? input.size() : end + 1);
  }
  const std::string alive = served.clients->send("GET /healthz HTTP/1.1\r\n\r\n");
  promise(alive.starts_with("HTTP/1.1 200 ") || alive.starts_with("HTTP/1.1 503 "),
          "the next client is served");
  std::set<std::string> ids;
  for (const FuzzedClient& client : served.clients->all()) {
    expect_answers(client.received, client.received.size() < most_answers, has_head);
    ids.merge(ids_in(client.received));
  }
  for (const std::string& id : ids) promise(served.service->find("local", id) != nullptr, "a job exists");
  return ids;
}

}  // namespace

int fuzz_http(const std::uint8_t* data, std::size_t size) {
  serve_and_restart(serve, {reinterpret_cast<const char*>(data), size});
  return 0;
}

}  // namespace kgrade::fuzz
