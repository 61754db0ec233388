// Loops of one scalar instruction each, in independent chains whose end is known.
#pragma once

#include <cmath>

#include "kernels/probe_cycles.cuh"

namespace tilemeter::kernels {

/// What the chains of all scalar loops share.
struct ScalarChains {
  static constexpr int most_threads = 1024;
  static constexpr int chains = 8;    ///< of a thread
  static constexpr int repeats = 64;  ///< instructions of each chain in a step

  static constexpr double operations(int threads, int iterations) {
    return static_cast<double>(chains) * repeats * threads * iterations;
  }

  float* results = nullptr;  ///< a float for every thread: how far its worst chain is from where it must end
  float x[chains] = {};

  __device__ void drain() {}

 protected:
  __device__ void start(int rank, float low, float high) {
    for (int j = 0; j < chains; ++j) {
      x[j] = low + (high - low) * static_cast<float>(mixed(rank * chains + j) & 0xffff) / 65536.0f;
    }
  }
  __device__ void write_distance(int rank, int block, float end) {
    float distance = 0;
    for (const float value : x) distance = fmaxf(distance, fabsf(value - end));
    results[block * static_cast<int>(blockDim.x) + rank] = distance;
  }
};

/// x = 2^-x, whose chains end at 0.6411857.
struct ExpChains : ScalarChains {
  static constexpr float end = 0.641185745f;
  __device__ void prepare(int rank, int) { start(rank, 0, 1); }
  __device__ void step(int) {
#pragma unroll
    for (int i = 0; i < repeats; ++i) {
      for (float& value : x) asm volatile("{.reg .f32 m; neg.f32 m, %0; ex2.approx.ftz.f32 %0, m;}" : "+f"(value));
    }
  }
  __device__ void finish(int rank, int block) { write_distance(rank, block, end); }
};

/// x = x / 2 + 1, whose chains end at 2.
struct FmaChains : ScalarChains {
  static constexpr float end = 2;
  float half = 0.5f, one = 1;
  __device__ void prepare(int rank, int) { start(rank, 0, 1); }
  __device__ void step(int) {
#pragma unroll
    for (int i = 0; i < repeats; ++i) {
      for (float& value : x) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(value) : "f"(half), "f"(one));
    }
  }
  __device__ void finish(int rank, int block) { write_distance(rank, block, end); }
};

/// Each chain takes the maximum of itself and the next, so that all end at the largest start.
struct MaxChains : ScalarChains {
  float largest = 0;
  __device__ void prepare(int rank, int) {
    start(rank, 0, 1);
    largest = x[0];
    for (const float value : x) largest = value > largest ? value : largest;
  }
  __device__ void step(int) {
#pragma unroll
    for (int i = 0; i < repeats; ++i) {
#pragma unroll
      for (int j = 0; j < chains; ++j) {
        asm volatile("max.f32 %0, %0, %1;" : "+f"(x[j]) : "f"(x[(j + 1) % chains]));
      }
    }
  }
  __device__ void finish(int rank, int block) { write_distance(rank, block, largest); }
};

/// Throws ProbeWrong unless every chain ended where it must.
inline void require_ends(const Buffer<float>& distances, const char* what) {
  constexpr float tolerance = 1e-5f;
  for (const float distance : distances.to_host()) {
    if (distance <= tolerance) continue;  // not so for a NaN
    throw ProbeWrong(std::string(what) + ": a chain ended " + std::to_string(distance) + " from where it must");
  }
}

}  // namespace tilemeter::kernels
