// How the cache of contestants knows its size: with several processes in its folder, and without looking at
// every file for every new entry.
#include <gtest/gtest.h>

#include "compile/contestant_cache.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::cache_size_test {

namespace fs = std::filesystem;

constexpr std::uint64_t limit = 100000;

class CacheSize : public testing::Test {
 protected:
  fs::path folder() const { return folder_.path() / "cache"; }

  static void keep(const ContestantCache& cache, int number, std::size_t bytes = 9000) {
    cache.keep(key_of(number), {std::string(bytes, 'x'), "", "a.cu", 1});
  }

  static std::string key_of(int number) {
    const std::string digits = std::to_string(number);
    return std::string(64 - digits.size(), '0') + digits;
  }

  // An entry that was not added by keep().
  void plant(const std::string& name, std::uint64_t bytes) const {
    test::write_content(folder() / (name + ".contestant"), std::string(bytes, 'y'));
    fs::last_write_time(folder() / (name + ".contestant"),
                        fs::file_time_type::clock::now() - std::chrono::hours(2));
  }

  TemporaryDirectory folder_;
};

TEST_F(CacheSize, NeverGoesOverTheLimitWhoeverKeeps) {
  const ContestantCache one(folder(), limit);
  const ContestantCache other(folder(), limit);
  for (int number = 0; number < 60; ++number) {
    keep(number % 3 == 0 ? one : other, number, 1000 + 500 * static_cast<std::size_t>(number % 20));
    ASSERT_LE(one.use().bytes, limit) << number;
  }
  EXPECT_GT(one.use().bytes, limit / 2);
  EXPECT_TRUE(one.find(key_of(59)));
}

TEST_F(CacheSize, IsLookedUpWhenTheSumOfWhatWasAddedSaysSo) {
  const ContestantCache cache(folder(), limit);
  keep(cache, 0);
  plant("behind-its-back", 95000);
  for (int number = 1; number < 10; ++number) keep(cache, number);
  EXPECT_TRUE(fs::exists(folder() / "behind-its-back.contestant")) << "it has not looked at all files";
  for (int number = 10; number < 13; ++number) keep(cache, number);
  EXPECT_FALSE(fs::exists(folder() / "behind-its-back.contestant"));
  EXPECT_LE(cache.use().bytes, limit);
}

TEST_F(CacheSize, IsLookedUpWhereTheSumIsDamagedOrGone) {
  const ContestantCache cache(folder(), limit);
  for (const char* const damage : {"", "17", "000000000000000000x7", "99999999999999999999"}) {
    SCOPED_TRACE(damage);
    keep(cache, 0);
    plant("too-much", 95000);
    test::write_content(folder() / "size", damage);
    keep(cache, 1);
    EXPECT_FALSE(fs::exists(folder() / "too-much.contestant"));
    EXPECT_TRUE(cache.find(key_of(1)));
  }
  fs::remove(folder() / "size");
  plant("too-much", 95000);
  keep(cache, 2);
  EXPECT_LE(cache.use().bytes, limit);
}

}  // namespace kgrade::cache_size_test
