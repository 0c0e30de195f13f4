// A service and its end of the connection to a front, for tests that are the front.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <fstream>
#include <map>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "serve/front_frames.h"
#include "serve/front_link.h"
#include "tests/serve/service_fixture.h"

namespace kgrade::test {

inline const std::string ready_frame = [] {
  std::string bytes;
  append_frame(bytes, FrameKind::ready, front_version);
  return bytes;
}();

inline std::string frame(FrameKind kind, std::uint64_t exchange, const std::string& payload = "") {
  std::string bytes;
  append_frame(bytes, kind, exchange, payload);
  return bytes;
}

inline std::string ask(std::uint64_t exchange, const char* method, const char* target,
                       std::uint64_t length = 0, const char* token = "anns") {
  RequestHead head;
  head.request.method = method;
  head.request.target = target;
  head.request.authorization = std::string("Bearer ") + token;
  head.length = length;
  return frame(FrameKind::ask, exchange, to_payload(head));
}

// The service has the tokens of three owners, and one lane, which is not there yet.
struct FrontLinkTest : ::testing::Test {
  FrontLinkTest() {
    ServiceOptions options;
    options.devices = {"lane 1"};
    options.lane_command.is_elsewhere = true;
    options.start_lane = [this](std::size_t) -> Result<Lane> { return lane.connect(); };
    options.state = folder.path() / "state";
    options.problems.emplace("softmax", load_problem(KGRADE_SOURCE_DIR "/problems/softmax.md").value());
    service = Service::open(std::move(options)).value();
    const auto file = folder.path() / "tokens";
    std::ofstream(file) << "ann " << sha256_hex("anns") << "\nbob " << sha256_hex("bobs") << "\neve "
                        << sha256_hex("eves") << " problems\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    routes.emplace(*service, Tokens::read(file).value());
    limits.connections = 12;
    limits.body_bytes = 1000;
    limits.bodies_of_owner = 1500;
    limits.bodies = 2000;
    connect();
  }

  void connect() {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    front.reset(ends[0]);
    link.emplace(UniqueFd(ends[1]), *routes, limits, false);
    reader = FrameReader(~std::uint32_t{0});
  }

  // Sends frames, and keeps what the service says in return: for each exchange, the last.
  void send(const std::string& bytes) {
    said.clear();
    ASSERT_EQ(::send(front.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    link->receive();
    service->commit();
    char received[1 << 16];
    do {
      link->send();
      const ssize_t count = ::recv(front.get(), received, sizeof received, MSG_DONTWAIT);
      if (count > 0) reader.append({received, static_cast<std::size_t>(count)});
    } while (link->has_to_send());
    for (ssize_t count = 0; (count = ::recv(front.get(), received, sizeof received, MSG_DONTWAIT)) > 0;)
      reader.append({received, static_cast<std::size_t>(count)});
    while (const auto next = reader.next()) said[next->exchange] = {next->kind, std::string(next->payload)};
  }

  // The status of the answer to an exchange. 0: another frame, or none.
  std::uint32_t status(std::uint64_t exchange) {
    const auto at = said.find(exchange);
    if (at == said.end() || at->second.first != FrameKind::answer) return 0;
    std::string_view rest = at->second.second;
    return take_answer_head(rest)->status;
  }
  bool goes_on(std::uint64_t exchange) {
    const auto at = said.find(exchange);
    return at != said.end() && at->second.first == FrameKind::go_on;
  }
  std::string body_of(std::uint64_t exchange) {
    std::string_view rest = said.at(exchange).second;
    if (said.at(exchange).first == FrameKind::answer) take_answer_head(rest);
    return std::string(rest);
  }

  TemporaryDirectory folder;
  ScriptedLane lane;
  std::unique_ptr<Service> service;
  std::optional<Routes> routes;
  HttpLimits limits;
  UniqueFd front;
  std::optional<FrontLink> link;
  FrameReader reader{0};
  std::map<std::uint64_t, std::pair<FrameKind, std::string>> said;
};

}  // namespace kgrade::test
