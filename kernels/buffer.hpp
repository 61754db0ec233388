// Device memory that owns itself.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/check.hpp"

namespace tilemeter::kernels {

/// `size` elements of device memory, uninitialised at first. Copies and fills use the default stream and return when
/// done; they do not wait for streams created as non-blocking. Failures throw CudaError.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    if (size > 0) TILEMETER_CHECK(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()));
  }
  explicit Buffer(std::span<const T> values) : Buffer(values.size()) { copy_from(values); }
  ~Buffer() {
    if (data_ != nullptr) TILEMETER_REPORT(cudaFree(data_));
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Buffer(std::move(other)).swap(*this);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Copies all elements from the host; `values` must be as long as the buffer (std::length_error).
  void copy_from(std::span<const T> values) {
    require_size(values.size());
    if (size_ > 0) TILEMETER_CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  /// Copies all elements to the host; `values` must be as long as the buffer (std::length_error).
  void copy_to(std::span<T> values) const {
    require_size(values.size());
    if (size_ > 0) TILEMETER_CHECK(cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
  }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    copy_to(values);
    return values;
  }

  /// Sets every bit: NaN in every floating type (fp64 fp32 fp16 bf16 fp8), the largest value in unsigned integers.
  void poison() {
    if (size_ == 0) return;
    TILEMETER_CHECK(cudaMemset(data_, 0xFF, bytes()));
    TILEMETER_CHECK(cudaStreamSynchronize(nullptr));
  }

 private:
  void require_size(std::size_t size) const {
    if (size == size_) return;
    throw std::length_error("a device buffer of " + std::to_string(size_) + " elements meets a host range of " +
                            std::to_string(size));
  }
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tilemeter::kernels
