#include "base/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace kgrade {
namespace {

template <class Change>
void change_limit(Change change) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  change(limit);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void raise_descriptor_limit() {
  change_limit([](rlimit& limit) {
    constexpr rlim_t enough = 1 << 20;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, enough));
  });
}

void restore_usual_descriptor_limit() {
  change_limit([](rlimit& limit) {
    constexpr rlim_t usual = 1024;
    limit.rlim_cur = std::min(limit.rlim_cur, usual);
  });
}

void limit_descriptors(unsigned int most) {
  change_limit([most](rlimit& limit) {
    limit.rlim_max = std::min<rlim_t>(limit.rlim_max, most);
    limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  });
}

}  // namespace kgrade
