// Marks functions that host and device code share.
#pragma once

#ifdef __CUDACC__
#define KGRADE_HOST_DEVICE __host__ __device__
#else
#define KGRADE_HOST_DEVICE
#endif
