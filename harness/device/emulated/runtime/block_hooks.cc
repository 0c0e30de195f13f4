#include "device/emulated/runtime/block_hooks.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "kgrade_emulated/shared.h"

namespace kgrade_emulated {
namespace {

// Libraries add and remove hooks while they are loaded and unloaded, blocks read them.
struct Hooks {
  std::shared_mutex mutex;
  std::vector<void (*)()> functions;
  std::atomic<bool> any{false};
};

// Never destroyed: libraries are unloaded late in the process's end.
Hooks& hooks() {
  static Hooks* const all = new Hooks;
  return *all;
}

}  // namespace

BlockHook::BlockHook(void (*function)()) : function_(function) {
  const std::lock_guard lock(hooks().mutex);
  hooks().functions.push_back(function_);
  hooks().any = true;
}

BlockHook::~BlockHook() {
  const std::lock_guard lock(hooks().mutex);
  auto& functions = hooks().functions;
  functions.erase(std::find(functions.begin(), functions.end(), function_));
  hooks().any = !functions.empty();
}

void call_block_hooks() {
  if (!hooks().any.load(std::memory_order_acquire)) return;
  const std::shared_lock lock(hooks().mutex);
  for (void (*const function)() : hooks().functions) function();
}

}  // namespace kgrade_emulated
