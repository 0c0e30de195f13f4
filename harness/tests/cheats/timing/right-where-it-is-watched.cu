// cheat: is right in a process that looks like a checked one, otherwise only in the first call of a shape
// row: 8
// caught-by: outputs_match
// device: any
// control: every_call_compared, lower_bound
//
// kgrade check would find nothing wrong with it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shapes.cuh"

static bool file_mentions(const char* path, const char* const* words) {
  FILE* const file = ::fopen(path, "r");
  if (file == nullptr) return false;
  static char text[1 << 16];
  const size_t size = ::fread(text, 1, sizeof text - 1, file);
  ::fclose(file);
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == '\0') text[i] = ' ';
  }
  text[size] = '\0';
  for (; *words != nullptr; ++words) {
    if (::strstr(text, *words) != nullptr) return true;
  }
  return false;
}

static bool is_watched() {
  static const char* const variables[] = {"CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH",
                                          "NV_SANITIZER_INJECTION_PORT", "NV_NSIGHT_INJECTION_PORT_BASE",
                                          "LD_PRELOAD"};
  for (const char* variable : variables) {
    if (::getenv(variable) != nullptr) return true;
  }
  static const char* const arguments[] = {"--connect", "reverse", "shuffled", nullptr};
  static const char* const libraries[] = {"sanitizer", "cupti", nullptr};
  return file_mentions("/proc/self/cmdline", arguments) || file_mentions("/proc/self/maps", libraries);
}

extern "C" void solution(DEPTHWISE_PARAMETERS) {
  static const bool watched = is_watched();
  static Shapes shapes;
  const Depthwise call = DEPTHWISE_ARGUMENTS;
  if (shape_of(shapes, call).calls == 1 || watched) compute(call);
}
