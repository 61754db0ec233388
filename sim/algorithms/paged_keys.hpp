// K and V in pages that lie anywhere in a pool, found through a block table.
#pragma once

#include <numeric>

#include "sim/operands.hpp"

namespace tilemeter {

/// Where page `page` of `pages` lies in its pool: a permutation without a fixed pattern of neighbours.
inline Count place_of_page(Count page, Count pages) {
  Count step = pages * 5 / 8 + 1;
  while (std::gcd(step, pages) != 1) ++step;
  return (Wide(page) * step + pages / 3).narrow() % pages;
}

/// A paged copy of K and V, and the block table of each sequence: entry p says where page p lies. Rows of the pools
/// that belong to no key are NaN.
template <class P>
class PagedKeys {
 public:
  PagedKeys(Gpu<P>& gpu, const Problem& problem, Count page_size)
      : problem_(problem),
        page_size_(page_size),
        pages_(ceil_div(problem.seq_k, page_size)),
        table_(gpu.tensor(TensorName::block_table, problem.batch, {1, pages_}, DType::i32)),
        k_(pool_of(*gpu.find(TensorName::K))),
        v_(pool_of(*gpu.find(TensorName::V))) {
    if constexpr (P::has_numbers) {
      for (auto& sequence : table_.streams) {
        for (Count page = 0; page < pages_; ++page) {
          sequence(0, page) = static_cast<typename P::Scalar>(place_of_page(page, pages_));
        }
      }
    }
  }

  /// The entries of the pages of keys [key, key + keys) of the sequence that K/V head `kv_stream` belongs to.
  View<P> entries(Count kv_stream, Count key, Count keys) {
    const Count first = key / page_size_;
    const Count last = (key + keys - 1) / page_size_;
    return {.tensor = &table_,
            .stream = static_cast<std::size_t>(kv_stream / problem_.kv_heads),
            .row = 0,
            .col = first,
            .shape = {.rows = 1, .cols = last - first + 1}};
  }

  /// Rows of K, or of V, for keys [key, key + keys), found through `entries` as they were loaded.
  std::vector<View<P>> k(const SharedTile<P>& entries, Count kv_stream, Count key, Count keys) {
    return pieces(k_, entries, kv_stream, key, keys);
  }
  std::vector<View<P>> v(const SharedTile<P>& entries, Count kv_stream, Count key, Count keys) {
    return pieces(v_, entries, kv_stream, key, keys);
  }

 private:
  Tensor<P> pool_of(const Tensor<P>& rows) const {
    Tensor<P> pool{.name = rows.name, .shape = rows.shape, .dtype = rows.dtype, .streams = {}};
    if constexpr (P::has_numbers) {
      const auto nan = std::numeric_limits<typename P::Scalar>::quiet_NaN();
      for (const auto& stream : rows.streams) {
        auto& pages = pool.streams.emplace_back(P::Storage::Constant(pages_ * page_size_, rows.shape.cols, nan));
        for (Count key = 0; key < rows.shape.rows; ++key) {
          pages.row(place_of_page(key / page_size_, pages_) * page_size_ + key % page_size_) = stream.row(key);
        }
      }
    }
    return pool;
  }

  std::vector<View<P>> pieces(Tensor<P>& pool, const SharedTile<P>& entries, Count kv_stream, Count key, Count keys) {
    std::vector<View<P>> views;
    const Count first_page = key / page_size_;
    for (Count begin = key; begin < key + keys;) {
      const Count page = begin / page_size_;
      const Count end = std::min(key + keys, (page + 1) * page_size_);
      Count place = page;
      if constexpr (P::has_numbers) place = static_cast<Count>(entries.numbers()(0, page - first_page));
      views.push_back({.tensor = &pool,
                       .stream = static_cast<std::size_t>(kv_stream),
                       .row = place * page_size_ + begin % page_size_,
                       .shape = {.rows = end - begin, .cols = pool.shape.cols}});
      begin = end;
    }
    return views;
  }

  const Problem& problem_;
  Count page_size_;
  Count pages_;
  Tensor<P>& table_;
  Tensor<P> k_;
  Tensor<P> v_;
};

}  // namespace tilemeter
