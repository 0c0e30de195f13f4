// cheat: starts a thread by a name that no scan of the source finds
// row: 62
// caught-by: idle
// device: any
// control: host_threads
// case: plain
//
// The words are in rot13, against a table of forbidden words.
#include <dlfcn.h>
#include <unistd.h>

#include "depthwise.cuh"

static void* linger(void*) {
  sleep(15);
  return nullptr;
}

static void cheat(const Depthwise& problem) {
  answer_honestly(problem);
  static bool started = false;
  if (started) return;
  started = true;
  char name[] = "cguernq_perngr";
  for (char* letter = name; *letter != '\0'; ++letter) {
    if (*letter != '_') *letter = (char)('a' + (*letter - 'a' + 13) % 26);
  }
  using Start = int (*)(unsigned long*, const void*, void* (*)(void*), void*);
  const Start start = (Start)dlsym(RTLD_DEFAULT, name);
  unsigned long thread = 0;
  if (start != nullptr) start(&thread, nullptr, linger, nullptr);
}
