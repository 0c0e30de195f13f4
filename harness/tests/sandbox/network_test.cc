// A confined program cannot reach listeners outside.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/unique_fd.h"
#include "tests/sandbox/confinement.h"

namespace kgrade::network_test {

class TcpListener {
 public:
  TcpListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = std::to_string(ntohs(address.sin_port));
  }
  const std::string& port() const { return port_; }

 private:
  UniqueFd socket_;
  std::string port_;
};

class AbstractListener {
 public:
  AbstractListener()
      : name_("kgrade-sandbox-test-" + std::to_string(::getpid())),
        socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name_.data(), name_.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  UniqueFd socket_;
};

int landlock_version_of(const Sandbox& sandbox) {
  for (const SandboxLayer& layer : sandbox.layers()) {
    if (layer.name == "landlock" && layer.active) return std::stoi(layer.detail.substr(4));
  }
  return 0;
}

class Network : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(GetParam()); }
};

TEST_P(Network, loopback_of_the_outside_is_out_of_reach) {
  const TcpListener listener;
  ASSERT_EQ(plain_attempt({"connect-tcp", listener.port()}), 0);
  const Confined confined(GetParam());
  constexpr int version_with_tcp = 4;
  if (GetParam().name == only_landlock.name && landlock_version_of(confined.sandbox()) < version_with_tcp) {
    GTEST_SKIP() << "this version of Landlock does not know TCP";
  }
  EXPECT_NE(confined.attempt({"connect-tcp", listener.port()}), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, Network,
                         testing::Values(all_layers, forked, only_namespaces, without_user_namespace,
                                         with_bubblewrap, only_bubblewrap, only_landlock, only_seccomp,
                                         no_namespaces),
                         name_of_mode);

class AbstractSockets : public Network {};

TEST_P(AbstractSockets, of_the_outside_are_out_of_reach) {
  const AbstractListener listener;
  ASSERT_EQ(plain_attempt({"connect-abstract", listener.name()}), 0);
  const Confined confined(GetParam());
  constexpr int version_with_scopes = 6;
  if (!confined.sandbox().confines() && landlock_version_of(confined.sandbox()) < version_with_scopes) {
    GTEST_SKIP() << "this version of Landlock does not know abstract sockets";
  }
  EXPECT_NE(confined.attempt({"connect-abstract", listener.name()}), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, AbstractSockets,
                         testing::Values(all_layers, forked, only_namespaces, without_user_namespace,
                                         with_bubblewrap, only_bubblewrap, only_landlock, no_namespaces),
                         name_of_mode);

}  // namespace kgrade::network_test
