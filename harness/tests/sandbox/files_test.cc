// What a confined program can see of the file system.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "tests/sandbox/confinement.h"

namespace kgrade::files_test {

namespace fs = std::filesystem;

// A folder with one file in each part that a policy can name.
class Files {
 public:
  Files() {
    for (const char* part : {"secret", "shown", "shown/inner", "own"}) {
      fs::create_directory(folder_.path() / part);
      std::ofstream(folder_.path() / part / "file") << "text\n";
    }
  }
  std::string operator/(const std::string& name) const { return (folder_.path() / name).string(); }

 private:
  TemporaryDirectory folder_;
};

// With its own file system, created by us or by bubblewrap.
class OwnRoot : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(GetParam()); }
  Files files;
};

TEST_P(OwnRoot, what_the_policy_does_not_name_is_not_there) {
  const Confined confined(GetParam());
  for (const std::string& path : {files / "secret/file", files / "secret", std::string("/etc/passwd"),
                                  std::string("/root"), std::string("/home"), std::string("/var")}) {
    EXPECT_EQ(confined.attempt({"stat", path}), ENOENT) << path;
    EXPECT_EQ(confined.attempt({"read", path}), ENOENT) << path;
  }
  EXPECT_NE(confined.attempt({"create", files / "secret/new"}), 0);
  EXPECT_FALSE(fs::exists(files / "secret/new"));
}

TEST_P(OwnRoot, readable_is_not_writable) {
  Confined confined(GetParam());
  confined.policy.readable.push_back(files / "shown");
  EXPECT_EQ(confined.attempt({"read", files / "shown/file"}), 0);
  EXPECT_NE(confined.attempt({"write", files / "shown/file"}), 0);
  EXPECT_NE(confined.attempt({"create", files / "shown/new"}), 0);
  EXPECT_FALSE(fs::exists(files / "shown/new"));
}

TEST_P(OwnRoot, a_single_file_can_be_shown) {
  Confined confined(GetParam());
  confined.policy.readable.push_back(files / "secret/file");
  EXPECT_EQ(confined.attempt({"read", files / "secret/file"}), 0);
  EXPECT_NE(confined.attempt({"write", files / "secret/file"}), 0);
  EXPECT_EQ(confined.run({"count", files / "secret"}).output, "1\n");
}

TEST_P(OwnRoot, hidden_lies_below_readable_and_is_empty) {
  Confined confined(GetParam());
  confined.policy.readable.push_back(files / "shown");
  confined.policy.hidden.push_back(files / "shown/inner");
  EXPECT_EQ(confined.attempt({"read", files / "shown/file"}), 0);
  EXPECT_EQ(confined.attempt({"stat", files / "shown/inner/file"}), ENOENT);
  EXPECT_EQ(confined.run({"count", files / "shown/inner"}).output, "0\n");
  EXPECT_NE(confined.attempt({"create", files / "shown/inner/new"}), 0);
}

TEST_P(OwnRoot, a_hidden_file_can_be_neither_read_nor_written) {
  Confined confined(GetParam());
  confined.policy.readable.push_back(files / "shown");
  confined.policy.hidden.push_back(files / "shown/file");
  EXPECT_NE(confined.attempt({"write", files / "shown/file"}), 0);
  std::ifstream file(files / "shown/file");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "text\n");
  EXPECT_EQ(confined.attempt({"read", files / "shown/file"}), EACCES);
}

TEST_P(OwnRoot, writable_is_written_through) {
  Confined confined(GetParam());
  confined.policy.writable.push_back(files / "own");
  EXPECT_EQ(confined.attempt({"create", files / "own/new"}), 0);
  EXPECT_TRUE(fs::exists(files / "own/new"));
  EXPECT_EQ(confined.attempt({"write", files / "own/file"}), 0);
}

TEST_P(OwnRoot, writable_below_readable_and_readable_below_writable) {
  Confined confined(GetParam());
  confined.policy.readable = narrow_policy().readable;
  confined.policy.readable.push_back(files / "shown");
  confined.policy.writable.push_back(files / "shown/inner");
  EXPECT_EQ(confined.attempt({"create", files / "shown/inner/new"}), 0);
  EXPECT_NE(confined.attempt({"create", files / "shown/new"}), 0);
}

TEST_P(OwnRoot, missing_paths_are_passed_over) {
  Confined confined(GetParam());
  confined.policy.readable.push_back(files / "nothing");
  confined.policy.hidden.push_back(files / "nothing");
  confined.policy.devices.push_back("/dev/no-such-device");
  EXPECT_EQ(confined.attempt({"stat", files / "nothing"}), ENOENT);
}

TEST_P(OwnRoot, a_link_is_shown_with_what_it_leads_to) {
  Confined confined(GetParam());
  fs::create_symlink("secret", files / "alias");
  fs::create_symlink(files / "alias/file", files / "alias to file");
  confined.policy.readable.push_back(files / "alias to file");
  EXPECT_EQ(confined.attempt({"read", files / "alias to file"}), 0);
  EXPECT_EQ(confined.run({"link", files / "alias"}).output, "secret\n");
  EXPECT_EQ(confined.run({"count", files / "secret"}).output, "1\n");
}

TEST_P(OwnRoot, tmp_is_empty_private_and_gone_afterwards) {
  const Confined confined(GetParam());
  const std::string name = "/tmp/kgrade-sandbox-test-" + std::to_string(::getpid());
  EXPECT_EQ(confined.attempt({"create", name}), 0);
  EXPECT_FALSE(fs::exists(name));
  EXPECT_EQ(confined.attempt({"stat", name}), ENOENT);
  EXPECT_EQ(confined.attempt({"create", "/dev/shm/file"}), 0);
  EXPECT_EQ(confined.run({"count", "/dev/shm"}).output, "0\n");
}

TEST_P(OwnRoot, tmp_is_empty_but_for_what_the_policy_names) {
  Confined confined(GetParam());
  const auto entries = [&confined] { return std::stoi(confined.run({"count", "/tmp"}).output); };
  // The program itself may be there.
  const int before = entries();
  EXPECT_LE(before, 1);
  const std::string name = "/tmp/kgrade-sandbox-shown-" + std::to_string(::getpid());
  std::ofstream(name) << "text";
  EXPECT_EQ(entries(), before);
  confined.policy.readable.push_back(name);
  EXPECT_EQ(entries(), before + 1);
  fs::remove(name);
}

TEST_P(OwnRoot, tmp_has_a_limit) {
  Confined confined(GetParam());
  confined.policy.temporary_bytes = 1 << 20;
  EXPECT_EQ(confined.attempt({"fill", "/tmp/file", "524288"}), 0);
  EXPECT_EQ(confined.attempt({"fill", "/tmp/file", "4194304"}), ENOSPC);
  EXPECT_EQ(confined.attempt({"fill", "/dev/shm/file", "4194304"}), ENOSPC);
}

TEST_P(OwnRoot, nothing_can_be_written_beside_it) {
  const Confined confined(GetParam());
  for (const char* path : {"/file", "/dev/file", "/usr/lib/file", "/usr/file", "/proc/file"}) {
    EXPECT_NE(confined.attempt({"create", path}), 0) << path;
  }
}

TEST_P(OwnRoot, the_usual_devices_work_and_others_are_not_there) {
  Confined confined(GetParam());
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"}) {
    EXPECT_EQ(confined.attempt({"read", path}), 0) << path;
  }
  EXPECT_EQ(confined.attempt({"write", "/dev/null"}), 0);
  EXPECT_EQ(confined.attempt({"write", "/dev/full"}), ENOSPC);
  EXPECT_EQ(confined.attempt({"stat", "/dev/tty"}), ENOENT);
  if (!fs::exists("/dev/tty")) return;
  confined.policy.devices.push_back("/dev/tty");
  // It is there now, although there is no terminal behind it.
  EXPECT_EQ(confined.attempt({"stat", "/dev/tty"}), 0);
}

TEST_P(OwnRoot, sysctls_cannot_be_written_though_root_owns_them) {
  Confined confined(GetParam());
  for (const bool programs : {false, true}) {
    confined.policy.starts_programs = programs;
    confined.policy.names_threads = true;
    for (const char* path :
         {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
          "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"}) {
      EXPECT_NE(confined.attempt({"open-to-write", path}), 0) << path;
    }
  }
}

TEST_P(OwnRoot, proc_can_be_left_out) {
  Confined confined(GetParam());
  EXPECT_EQ(confined.attempt({"stat", "/proc/self/status"}), 0);
  confined.policy.proc = false;
  EXPECT_EQ(confined.attempt({"stat", "/proc/self"}), ENOENT);
}

TEST_P(OwnRoot, works_from_a_folder_that_is_shown_and_otherwise_from_the_root) {
  Confined confined(GetParam());
  confined.working_directory = files / "shown";
  EXPECT_EQ(confined.run({"place"}).output, "/ kept\n");
  confined.policy.readable.push_back(files / "shown");
  EXPECT_EQ(confined.run({"place"}).output, (files / "shown") + " kept\n");
}

TEST_P(OwnRoot, what_is_mounted_below_readable_is_not_writable_either) {
  // Most machines have something writable mounted there; what matters is that it would be refused.
  Confined confined(GetParam());
  confined.policy.readable.push_back("/sys");
  confined.policy.starts_programs = true;
  confined.policy.readable.push_back("/usr/bin");
  const ProcessOutcome mounts = confined.run_command({"/usr/bin/cat", "/proc/self/mounts"});
  ASSERT_TRUE(mounts.success()) << mounts.output;
  std::istringstream lines(mounts.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string source;
    std::string point;
    std::string type;
    std::string options;
    fields >> source >> point >> type >> options;
    if (!point.starts_with("/sys")) continue;
    EXPECT_TRUE(options.starts_with("ro,nosuid")) << line;
  }
}

TEST_P(OwnRoot, paths_with_blanks_are_paths) {
  Confined confined(GetParam());
  fs::create_directory(files / "with a blank, and a comma");
  std::ofstream(files / "with a blank, and a comma/file") << "text";
  confined.policy.readable.push_back(files / "with a blank, and a comma");
  EXPECT_EQ(confined.attempt({"read", files / "with a blank, and a comma/file"}), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, OwnRoot,
                         testing::Values(all_layers, forked, only_namespaces, without_user_namespace,
                                         on_older_kernel, with_bubblewrap, only_bubblewrap),
                         name_of_mode);

class OnlyLandlock : public testing::Test {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(only_landlock); }
  Files files;
};

TEST_F(OnlyLandlock, files_outside_the_policy_are_closed) {
  const Confined confined(only_landlock);
  EXPECT_EQ(confined.attempt({"read", files / "secret/file"}), EACCES);
  EXPECT_EQ(confined.attempt({"write", files / "secret/file"}), EACCES);
  EXPECT_EQ(confined.attempt({"create", files / "secret/new"}), EACCES);
  EXPECT_EQ(confined.attempt({"count", "/"}), EACCES);
  EXPECT_EQ(confined.attempt({"create", "/tmp/kgrade-sandbox-test-file"}), EACCES);
  EXPECT_EQ(confined.attempt({"read", "/etc/passwd"}), EACCES);
}

TEST_F(OnlyLandlock, readable_is_not_writable_and_writable_is) {
  Confined confined(only_landlock);
  confined.policy.readable.push_back(files / "shown");
  confined.policy.writable.push_back(files / "own");
  EXPECT_EQ(confined.attempt({"read", files / "shown/inner/file"}), 0);
  EXPECT_EQ(confined.attempt({"write", files / "shown/file"}), EACCES);
  EXPECT_EQ(confined.attempt({"create", files / "own/new"}), 0);
  EXPECT_EQ(confined.attempt({"write", files / "own/file"}), 0);
}

TEST_F(OnlyLandlock, own_proc_is_open_and_that_of_others_is_not) {
  const Confined confined(only_landlock);
  const std::string outside = "/proc/" + std::to_string(::getpid());
  EXPECT_EQ(confined.attempt({"read", "/proc/self/status"}), 0);
  EXPECT_EQ(confined.attempt({"read", "/proc/self/maps"}), 0);
  for (const char* file : {"/environ", "/maps", "/status", "/cmdline"}) {
    EXPECT_EQ(confined.attempt({"read", outside + file}), EACCES) << file;
  }
  EXPECT_EQ(confined.attempt({"count", outside + "/fd"}), EACCES);
  EXPECT_EQ(confined.attempt({"count", "/proc"}), EACCES);
}

TEST_F(OnlyLandlock, devices_open) {
  const Confined confined(only_landlock);
  EXPECT_EQ(confined.attempt({"read", "/dev/urandom"}), 0);
  EXPECT_EQ(confined.attempt({"write", "/dev/null"}), 0);
}

}  // namespace kgrade::files_test
