// CUDA calls whose failure is an exception, and the twin for destructors, where it is a line on standard error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace tilemeter::kernels {

/// A CUDA runtime call failed. The message holds the call, its place, and the error's name and text.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const char* call, const char* file, int line)
      : std::runtime_error(std::string(call) + " at " + file + ":" + std::to_string(line) + ": " +
                           cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")"),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Throws CudaError unless `code` is success.
inline void check(cudaError_t code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // a failed call leaves its error behind for the next query
  throw CudaError(code, call, file, line);
}

/// Reports a failure where no exception may leave.
inline void report(cudaError_t code, const char* call, const char* file, int line) noexcept {
  if (code == cudaSuccess) return;
  cudaGetLastError();
  std::fprintf(stderr, "%s at %s:%d: %s (%s)\n", call, file, line, cudaGetErrorName(code), cudaGetErrorString(code));
}

}  // namespace tilemeter::kernels

#define TILEMETER_CHECK(call) ::tilemeter::kernels::check((call), #call, __FILE__, __LINE__)
#define TILEMETER_REPORT(call) ::tilemeter::kernels::report((call), #call, __FILE__, __LINE__)
