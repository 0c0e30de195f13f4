// The input is what a front sends to its service, as the frames of serve/front_frames.h. A front that parses
// hostile bytes may have been taken over, so it may send anything.
#include <sys/socket.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "serve/front_frames.h"
#include "serve/front_link.h"
#include "tests/fuzz/fuzzed_service.h"

namespace kgrade::fuzz {
namespace {

// Small, so that inputs reach them.
HttpLimits front_limits() {
  HttpLimits limits;
  limits.connections = 4;
  limits.body_bytes = 3000;
  limits.bodies_of_owner = 4000;
  limits.bodies = 5000;
  limits.answers_of_owner = 120'000;
  limits.answers = 120'000;
  return limits;
}

struct SentFrames {
  std::set<std::uint64_t> answered, streams;
  std::set<std::string> ids;  // of jobs

  void take(const Frame& frame) {
    if (frame.kind == FrameKind::go_on) return promise(frame.payload.empty(), "a permission has no payload");
    if (frame.kind == FrameKind::part)
      return promise(streams.contains(frame.exchange), "a part belongs to a stream");
    promise(frame.kind == FrameKind::answer, "the service sends a frame that is known");
    std::string_view body = frame.payload;
    const auto head = take_answer_head(body);
    promise(head.has_value(), "an answer has a head");
    promise(answered.insert(frame.exchange).second, "a request is answered once");
    if (head->is_stream) streams.insert(frame.exchange);
    const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
    if (head->content_type.find("json") != std::string::npos) promise(json.is_object(), "JSON is JSON");
    promise((head->status >= 400) == (head->content_type == "application/problem+json") ||
                head->content_type.starts_with("text/plain"),
            "an error is a problem");
    if (head->status == 202) ids.insert(json.at("id").get<std::string>());
  }
};

// Returns the ids of the jobs that were accepted.
std::set<std::string> serve_front(const std::filesystem::path& state, std::string_view input) {
  const auto service = open_service(state);
  Routes routes(*service, {});
  int ends[2];
  promise(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
  const UniqueFd front(ends[0]);
  FrontLink link(UniqueFd(ends[1]), routes, front_limits(), false);
  SentFrames sent;
  FrameReader reader(~std::uint32_t{0});
  char bytes[1 << 16];
  for (bool has_more = true; has_more;) {
    const std::string_view piece = input.substr(0, sizeof bytes);
    const ssize_t given = ::send(front.get(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (given > 0) input.remove_prefix(static_cast<std::size_t>(given));
    has_more = link.receive();
    if (service->has_to_commit()) service->commit();
    link.send();
    for (ssize_t count = 0; (count = ::recv(front.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0;) {
      has_more = true;
      reader.append({bytes, static_cast<std::size_t>(count)});
      while (const auto frame = reader.next()) sent.take(*frame);
    }
    promise(link.kept_bytes() <= front_limits().bodies + front_limits().answers,
            "little is kept for the front");
    if (!link.fault().empty()) break;
  }
  promise(!reader.is_wrong(), "the service sends whole frames");
  for (const std::string& id : sent.ids)
    promise(service->find("local", id) != nullptr, "an accepted job exists");
  return sent.ids;
}

}  // namespace

int fuzz_front(const std::uint8_t* data, std::size_t size) {
  serve_and_restart(serve_front, {reinterpret_cast<const char*>(data), size});
  return 0;
}

}  // namespace kgrade::fuzz
