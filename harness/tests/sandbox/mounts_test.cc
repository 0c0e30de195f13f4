// Which mounts a policy leads to.
#include "sandbox/mounts.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade::mounts_test {

namespace fs = std::filesystem;

class MountPlanTest : public testing::Test {
 protected:
  MountPlanTest() : root(fs::canonical(folder_.path())) {
    fs::create_directories(root / "a/b/c");
    std::ofstream(root / "a/file") << "text";
  }

  // Only the policy's own paths.
  std::vector<std::pair<MountKind, fs::path>> steps() const {
    std::vector<std::pair<MountKind, fs::path>> found;
    for (const MountStep& step : make_mount_plan(policy, "").steps) {
      if (is_within(step.path, root)) found.emplace_back(step.kind, step.path.lexically_relative(root));
    }
    return found;
  }

  SandboxPolicy policy;

 private:
  TemporaryDirectory folder_;

 protected:
  fs::path root;
};

using Steps = std::vector<std::pair<MountKind, fs::path>>;

TEST_F(MountPlanTest, folders_come_before_what_lies_in_them) {
  policy.readable = {root / "a/b/c", root / "a"};
  policy.writable = {root / "a/b"};
  EXPECT_EQ(
      steps(),
      (Steps{{MountKind::read_only, "a"}, {MountKind::read_write, "a/b"}, {MountKind::read_only, "a/b/c"}}));
}

TEST_F(MountPlanTest, what_is_shown_already_is_not_mounted_again) {
  policy.readable = {root / "a", root / "a/b", root / "a/b/c", root / "a/file", root / "a"};
  EXPECT_EQ(steps(), (Steps{{MountKind::read_only, "a"}}));
}

TEST_F(MountPlanTest, what_lies_below_hidden_can_be_shown_again) {
  policy.readable = {root / "a", root / "a/b/c"};
  policy.hidden = {root / "a/b"};
  EXPECT_EQ(
      steps(),
      (Steps{{MountKind::read_only, "a"}, {MountKind::hidden, "a/b"}, {MountKind::read_only, "a/b/c"}}));
}

TEST_F(MountPlanTest, what_is_not_shown_need_not_be_hidden) {
  policy.hidden = {root / "a/b"};
  EXPECT_EQ(steps(), Steps{});
}

TEST_F(MountPlanTest, a_name_that_continues_another_is_not_below_it) {
  fs::create_directory(root / "ab");
  policy.readable = {root / "a", root / "ab"};
  EXPECT_EQ(steps(), (Steps{{MountKind::read_only, "a"}, {MountKind::read_only, "ab"}}));
}

TEST_F(MountPlanTest, proc_of_the_outside_is_never_bound) {
  policy.readable = {"/proc", "/proc/self", "/proc/1", "/proc/cpuinfo"};
  for (const bool proc : {true, false}) {
    policy.proc = proc;
    for (const MountStep& step : make_mount_plan(policy, "").steps) {
      const bool may_be = proc ? step.kind == MountKind::proc : step.path == "/proc/cpuinfo";
      EXPECT_TRUE(!is_within(step.path, "/proc") || may_be) << step.path;
    }
  }
}

TEST_F(MountPlanTest, links_in_a_circle_lead_nowhere) {
  fs::create_symlink("two", root / "one");
  fs::create_symlink("one", root / "two");
  EXPECT_FALSE(resolve(root / "one"));
  EXPECT_FALSE(resolve(""));
  EXPECT_FALSE(resolve("relative"));
}

TEST_F(MountPlanTest, every_link_on_the_way_is_kept) {
  fs::create_symlink("a/b", root / "one");
  fs::create_symlink(root / "one" / ".." / "b", root / "two");
  const auto found = resolve(root / "two" / "c");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, root / "a/b/c");
  EXPECT_TRUE(found->is_directory);
  ASSERT_EQ(found->links.size(), 2u);
  EXPECT_EQ(found->links[0].path, root / "two");
  EXPECT_EQ(found->links[1].path, root / "one");
  EXPECT_EQ(found->links[1].target, "a/b");
}

}  // namespace kgrade::mounts_test
