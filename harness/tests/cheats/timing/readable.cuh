// Reads memory that may be unmapped: between two calls the buffers of a case are taken back.
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

// A pipe reports an error for an address that is not mapped.
class CarefulReader {
 public:
  CarefulReader() {
    if (::pipe2(ends_, O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }

  // False if not all of it could be read.
  bool read(void* to, const void* from, size_t bytes) {
    constexpr size_t most = 4096;
    for (size_t done = 0; done < bytes;) {
      const size_t part = bytes - done < most ? bytes - done : most;
      const ssize_t taken = ::write(ends_[1], (const char*)from + done, part);
      if (taken <= 0 || ::read(ends_[0], (char*)to + done, (size_t)taken) != taken) return false;
      done += (size_t)taken;
    }
    return true;
  }

 private:
  int ends_[2];
};
