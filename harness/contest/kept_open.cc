// The record lists the libraries that a contestant opens by what is mapped into its process after a case
// (contest/mapped_libraries.h): one that it closed within a call would not be there. So the worker's program
// defines dlclose() for all that it loads, and closes nothing.
#include <dlfcn.h>

extern "C" int dlclose(void*) noexcept { return 0; }
