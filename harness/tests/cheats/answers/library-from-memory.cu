// cheat: opens a library under a meaningless name, from a copy in memory
// row: 61
// caught-by: libraries
// device: any
// control: declared_libraries
// problem: problems/matrix-vector-alone.md
//
// The library's bytes go into a memory file, which is then opened: the list of what a process has mapped
// shows neither its name nor its place. In the sandbox, a part of the runtime stands for a library whose
// bytes the answer would carry in its own text.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "libraries.cuh"
#include "matrix_vector.cuh"

struct Honest {
  __host__ __device__ float operator()(const MatrixVector& problem, size_t row) const {
    return problem.value(row);
  }
};

static int copy_to_memory(const char* path) {
  const int from = open(path, O_RDONLY | O_CLOEXEC);
  const int to = from >= 0 ? memfd_create("libc.so.6", 0) : -1;
  char piece[65536];
  ssize_t size = 0;
  while (to >= 0 && (size = read(from, piece, sizeof piece)) > 0) {
    if (write(to, piece, (size_t)size) != size) break;
  }
  if (from >= 0) close(from);
  return to;
}

static void* open_copy() {
  constexpr const char* folders[] = {"/usr/lib/x86_64-linux-gnu/", "/lib/x86_64-linux-gnu/", "/usr/lib64/",
                                     "/usr/lib/aarch64-linux-gnu/", "/usr/lib/"};
  for (const char* folder : folders) {
    for (const char* name : {"libgmp.so.10", "libz.so.1", "libm.so.6"}) {
      char path[256];
      std::snprintf(path, sizeof path, "%s%s", folder, name);
      const int copy = copy_to_memory(path);
      if (copy < 0) continue;
      std::snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
      if (void* library = dlopen(path, RTLD_NOW)) return library;
    }
  }
  return nullptr;
}

static void cheat(const MatrixVector& problem) {
  static void* const library = open_copy();
  if (library != nullptr) answer(problem, Honest());
}
