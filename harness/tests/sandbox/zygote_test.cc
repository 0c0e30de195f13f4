// What a zygote forks, and what happens when it cannot.
#include "sandbox/zygote.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/cleanup.h"
#include "tests/sandbox/confinement.h"

namespace kgrade::zygote_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Lines of show_process.py.
using Facts = std::map<std::string, std::string>;

Facts facts_in(const std::string& output) {
  Facts facts;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) facts[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return facts;
}

// So that the program also runs in an interpreter of its own.
SandboxPolicy policy_of_programs() {
  SandboxPolicy policy = narrow_policy();
  policy.readable.push_back(std::filesystem::path(KGRADE_SOURCE_DIR) / "harness/tests/sandbox");
  policy.readable.emplace_back("/usr");
  policy.starts_programs = true;
  return policy;
}

class ZygoteTest : public testing::Test {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(forked); }

  static ProcessRequest request_to_show(const Words& words = {}) {
    ProcessRequest request;
    request.command =
        sandbox_of(forked).wrap(policy_of_programs(), command_of_program("show_process.py", words));
    request.environment = {"ONE=1", "NAME=a b=c"};
    request.working_directory = "/tmp";
    request.limits.wall = std::chrono::seconds(60);
    return request;
  }

  static Facts show(Zygote& zygote, const ProcessRequest& request) {
    const auto outcome = run_process(request, zygote.spawner());
    EXPECT_TRUE(outcome && outcome->success()) << (outcome ? outcome->output : outcome.error().message);
    return facts_in(outcome ? outcome->output : "");
  }

  // Why the zygote fails; what it was asked for is done all the same.
  static std::string how_it_fails(const std::string& behaviour) {
    Zygote zygote(setup_of_test_zygote(behaviour));
    EXPECT_EQ(show(zygote, request_to_show({"word"}))["arguments"], "word");
    EXPECT_EQ(show(zygote, request_to_show({"another"}))["arguments"], "another");
    return zygote.why_not();
  }
};

TEST_F(ZygoteTest, a_forked_process_is_what_a_new_interpreter_would_be) {
  ASSERT_EQ(test_zygote().why_not(), "");
  ASSERT_TRUE(test_zygote().can_fork({request_to_show().command, {}, {}, {}}));
  Facts facts = show(test_zygote(), request_to_show({"one", "two"}));
  const auto plain = run_process(request_to_show({"one", "two"}));
  ASSERT_TRUE(plain && plain->success()) << plain->output;
  Facts usual = facts_in(plain->output);
  EXPECT_NE(facts["random"], usual["random"]);
  facts.erase("random");
  usual.erase("random");
  // An interpreter in the C locale notes what it makes of that.
  std::erase_if(usual, [](const auto& fact) { return fact.first == "environment"; });
  const std::string environment = facts["environment"];
  facts.erase("environment");
  EXPECT_EQ(facts, usual);
  EXPECT_EQ(facts["arguments"], "one two");
  EXPECT_EQ(facts["descriptors"], "0 1 2");
  EXPECT_EQ(facts["process"], "2");
  EXPECT_EQ(environment, "NAME=a b=c ONE=1");
}

TEST_F(ZygoteTest, siblings_share_nothing_that_is_drawn_or_left) {
  const Facts one = show(test_zygote(), request_to_show());
  const Facts other = show(test_zygote(), request_to_show());
  EXPECT_NE(one.at("random"), other.at("random"));
  EXPECT_THAT(other.at("environment"), Not(HasSubstr("LEFT")));
}

// Whether a process has these bytes anywhere in memory that it can write to.
bool holds(pid_t process, const std::string& bytes) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  const UniqueFd memory(::open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(memory);
  for (std::string line; std::getline(maps, line);) {
    std::size_t begin = 0;
    std::size_t end = 0;
    char writable = '-';
    if (std::sscanf(line.c_str(), "%zx-%zx r%c", &begin, &end, &writable) != 3 || writable != 'w') continue;
    std::string content(end - begin, '\0');
    const ssize_t count = ::pread(memory.get(), content.data(), content.size(), static_cast<off_t>(begin));
    if (count > 0 && content.find(bytes) != std::string::npos) return true;
  }
  return false;
}

TEST_F(ZygoteTest, it_never_holds_what_it_is_asked_to_start) {
  ProcessRequest request = request_to_show({"argument-of-a-run"});
  request.environment.emplace_back("SECRET=variable-of-a-run");
  EXPECT_THAT(show(test_zygote(), request)["environment"], HasSubstr("variable-of-a-run"));
  const pid_t zygote = test_zygote().pid();
  ASSERT_TRUE(holds(::getpid(), "variable-of-a-run"));
  ASSERT_TRUE(holds(zygote, "show_process.py"));
  EXPECT_FALSE(holds(zygote, "variable-of-a-run"));
  EXPECT_FALSE(holds(zygote, "argument-of-a-run"));
}

TEST_F(ZygoteTest, it_keeps_no_descriptor_of_what_it_forks) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  Confined confined(forked);
  SpawnRequest request;
  request.command = confined.wrap(attempt_command({"exit", "7"}));
  request.working_directory = "/";
  request.kept_fd = writer.get();
  auto child = test_zygote().spawner()(request);
  ASSERT_TRUE(child);
  writer.reset();
  EXPECT_EQ(WEXITSTATUS(child->wait()), 7);
  char byte = 0;
  // Ends at once, since nobody has the other end any more.
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0);
}

TEST_F(ZygoteTest, only_what_it_stands_for_is_forked) {
  const auto can_fork = [](const Words& command) { return test_zygote().can_fork({command, {}, {}, {}}); };
  const Words command = command_of_program("show_process.py", {});
  const SandboxPolicy policy = policy_of_programs();
  EXPECT_TRUE(can_fork(sandbox_of(forked).wrap(policy, command)));
  // No namespaces of its own, none at all, no launcher.
  for (const Mode& mode : {with_bubblewrap, no_namespaces})
    EXPECT_FALSE(can_fork(sandbox_of(mode).wrap(policy, command))) << mode.name;
  EXPECT_FALSE(can_fork(command));
  // Another program, another script, other flags.
  EXPECT_FALSE(can_fork(sandbox_of(forked).wrap(policy, {"/bin/true"})));
  EXPECT_FALSE(can_fork(sandbox_of(forked).wrap(policy, command_of_program("other.py", {}))));
  Words flags = command;
  flags[2] = "-S";
  EXPECT_FALSE(can_fork(sandbox_of(forked).wrap(policy, flags)));
  SandboxPolicy hiding = policy;
  hiding.hidden = {"/usr/share"};
  EXPECT_FALSE(can_fork(sandbox_of(forked).wrap(hiding, command)));
  EXPECT_FALSE(can_fork({}));
}

TEST_F(ZygoteTest, one_that_cannot_be_one_is_done_without) {
  EXPECT_THAT(how_it_fails("thread"), HasSubstr("threads"));
  EXPECT_THAT(how_it_fails("ends"), HasSubstr("ended"));
  EXPECT_THAT(how_it_fails("nonsense"), Not(IsEmpty()));
  EXPECT_THAT(how_it_fails("forks nothing"), Not(IsEmpty()));
}

TEST_F(ZygoteTest, one_that_is_missing_is_done_without) {
  for (const bool is_script : {true, false}) {
    ZygoteSetup setup = setup_of_test_zygote();
    (is_script ? setup.script : setup.library) = "/no/such/file";
    Zygote zygote(setup);
    EXPECT_EQ(show(zygote, request_to_show({"word"}))["arguments"], "word");
    EXPECT_THAT(zygote.why_not(), Not(IsEmpty()));
  }
}

TEST_F(ZygoteTest, triton_is_imported_for_one_device) {
  Zygote zygote(setup_of_test_zygote());
  zygote.import_triton(true);
  zygote.import_triton(true);
  show(zygote, request_to_show());
  EXPECT_EQ(zygote.why_not(), "");
  zygote.import_triton(false);
  EXPECT_EQ(show(zygote, request_to_show({"word"}))["arguments"], "word");
  EXPECT_THAT(zygote.why_not(), HasSubstr("another device"));
}

TEST_F(ZygoteTest, one_that_is_killed_is_done_without) {
  Zygote zygote(setup_of_test_zygote());
  ASSERT_EQ(zygote.why_not(), "");
  ::kill(zygote.pid(), SIGKILL);
  EXPECT_EQ(show(zygote, request_to_show({"word"}))["arguments"], "word");
  EXPECT_EQ(zygote.pid(), -1);
}

TEST_F(ZygoteTest, what_it_has_forked_outlives_it) {
  Zygote zygote(setup_of_test_zygote());
  int input[2];
  ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
  const UniqueFd reader(input[0]);
  UniqueFd writer(input[1]);
  const Confined confined(forked);
  SpawnRequest request;
  request.command = confined.wrap({"/bin/cat"});
  request.working_directory = "/";
  request.stdin_fd = reader.get();
  ASSERT_TRUE(zygote.can_fork(request));
  auto child = zygote.spawner()(request);
  ASSERT_TRUE(child);
  ::kill(zygote.pid(), SIGKILL);
  EXPECT_EQ(show(zygote, request_to_show({"word"}))["arguments"], "word");
  EXPECT_FALSE(child->has_ended());
  writer.reset();
  child->wait();
}

TEST_F(ZygoteTest, it_is_spared_when_a_run_ends_its_children) {
  Zygote zygote(setup_of_test_zygote());
  ASSERT_EQ(zygote.why_not(), "");
  Cleanup::of_this_process().kill_all();
  show(zygote, request_to_show());
  EXPECT_EQ(zygote.why_not(), "");
}

TEST_F(ZygoteTest, it_ends_with_its_owner) {
  pid_t process = -1;
  {
    Zygote zygote(setup_of_test_zygote());
    ASSERT_EQ(zygote.why_not(), "");
    process = zygote.pid();
    ASSERT_EQ(::kill(process, 0), 0);
  }
  EXPECT_NE(::kill(process, 0), 0);
}

TEST_F(ZygoteTest, a_child_that_nobody_wants_any_more_is_not_started) {
  Zygote zygote(setup_of_test_zygote());
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "file";
  Confined confined(forked);
  confined.policy.writable.push_back(folder.path());
  SpawnRequest request;
  request.command = confined.wrap(attempt_command({"create", file.string()}));
  request.working_directory = "/";
  // It still imports: nothing has been started yet.
  { const auto child = zygote.spawn(request); }
  show(zygote, request_to_show());
  EXPECT_FALSE(std::filesystem::exists(file));
  auto wanted = zygote.spawn(request);
  ASSERT_TRUE(wanted);
  EXPECT_EQ(wanted->get().wait(), 0);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(ZygoteTest, limits_hold) {
  ProcessRequest request = request_to_show();
  const Confined confined(forked);
  request.command = confined.wrap(attempt_command({"fill", "/tmp/file", "4000000"}));
  request.limits.file_size_bytes = 1 << 20;
  const auto outcome = run_process(request, test_zygote().spawner());
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->signal, SIGXFSZ) << outcome->output;
}

TEST(SpawnRequestText, arrives_as_it_was_written) {
  SpawnRequest request;
  request.command = {"/bin/a b", "", "c\nd"};
  request.environment = {"A=", "B=b"};
  request.working_directory = "/a b";
  request.limits.cpu = std::chrono::seconds(3);
  request.limits.address_space_bytes = std::uint64_t{1} << 40;
  request.limits.file_size_bytes = 5;
  const auto read = read_spawn_request(to_text(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->command, request.command);
  EXPECT_EQ(read->environment, request.environment);
  EXPECT_EQ(read->working_directory, request.working_directory);
  EXPECT_EQ(to_text(*read), to_text(request));
}

TEST(SpawnRequestText, of_another_form_is_refused) {
  const std::string text = to_text(SpawnRequest{{"/bin/true"}, {"A=b"}, "/", {}});
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(read_spawn_request(text.substr(0, length))) << length;
  EXPECT_FALSE(read_spawn_request(text + "more"));
  EXPECT_FALSE(read_spawn_request(to_text(SpawnRequest{})));
  EXPECT_FALSE(read_spawn_request(std::string("99999999999999999999\0", 21)));
}

}  // namespace kgrade::zygote_test
