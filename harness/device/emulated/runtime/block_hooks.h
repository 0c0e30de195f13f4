// The functions that contestants want called whenever a block begins (BlockHook in kgrade_emulated/shared.h).
#pragma once

namespace kgrade_emulated {

void call_block_hooks();

}  // namespace kgrade_emulated
