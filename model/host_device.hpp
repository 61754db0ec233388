// Marks functions that both the host and the GPU run; without a CUDA compiler the mark is empty.
#pragma once

#ifdef __CUDACC__
#define TILEMETER_HOST_DEVICE __host__ __device__
#else
#define TILEMETER_HOST_DEVICE
#endif
