// The bills of the backward passes against loops that execute them tile by tile.
#include <string>

#include "model/closed_form/catalog.hpp"
#include "model/closed_form/gradients.hpp"
#include "model/footprint.hpp"
#include "tests/model/closed_form/direct_loops.hpp"
#include "tests/model/closed_form/random_case.hpp"
#include "tests/support/catch.hpp"

using namespace tilemeter;

namespace {

/// What the kernels of one point move and compute.
class Loops {
 public:
  explicit Loops(const Case& point)
      : point_(point), p_(point.problem), map_(p_, point.tiling.block_q, point.tiling.block_k) {}

  Work flash1() {
    for (Count stream = 0; stream < p_.streams(); ++stream) {
      if (point_.options.init == StatisticsInit::counted) {
        store(TensorName::dQ, p_.rows() * p_.head_dim, p_.o_dtype);
        store_key_gradients(p_.seq_k);
      }
      for_key_tiles([&](Count rows) {
        load(TensorName::O, rows * p_.head_dim_v, o_type());
        load(TensorName::l, rows, p_.stat_dtype);
        load(TensorName::m, rows, p_.stat_dtype);
        load(TensorName::dQ, rows * p_.head_dim, p_.o_dtype);
        store(TensorName::dQ, rows * p_.head_dim, p_.o_dtype);
      });
    }
    reduce();
    return work_;
  }

  Work flash2() {
    const bool atomics = point_.options.variant != Variant::two_kernels;
    const Count buffers = accumulation_buffers(point_);
    for (Count stream = 0; stream < p_.streams(); ++stream) {
      load(TensorName::O, p_.rows() * p_.head_dim_v, o_type());
      load(TensorName::dO, p_.rows() * p_.head_dim_v, p_.dtype);
      store(TensorName::D, p_.rows(), p_.stat_dtype);
      for (Count buffer = 0; atomics && buffer < buffers; ++buffer) {
        store(TensorName::dQacc, p_.rows() * p_.head_dim, p_.stat_dtype);
        load(TensorName::dQacc, p_.rows() * p_.head_dim, p_.stat_dtype);
      }
      for_key_tiles([&](Count rows) {
        load_statistics(rows);
        if (!atomics) return;
        load(TensorName::dQacc, rows * p_.head_dim, p_.stat_dtype);
        store(TensorName::dQacc, rows * p_.head_dim, p_.stat_dtype);
      });
      if (!atomics) query_kernel();
      store(TensorName::dQ, p_.rows() * p_.head_dim, p_.dtype);
    }
    reduce();
    return work_;
  }

 private:
  DType o_type() const { return p_.dtype == DType::fp8 ? p_.fp8_output : p_.dtype; }
  void load(TensorName tensor, Count elements, DType type) {
    work_[tensor].read += Elements(elements);
    work_[tensor].read_bytes += Bytes(elements * size_of(type));
  }
  void store(TensorName tensor, Count elements, DType type) {
    work_[tensor].write += Elements(elements);
    work_[tensor].write_bytes += Bytes(elements * size_of(type));
  }
  void load_statistics(Count rows) {
    load(TensorName::LSE, rows, p_.stat_dtype);
    load(TensorName::D, rows, p_.stat_dtype);
  }
  void load_queries(Count rows) {
    load(TensorName::Q, rows * p_.head_dim, p_.dtype);
    load(TensorName::dO, rows * p_.head_dim_v, p_.dtype);
  }
  void load_keys(Count keys) {
    load(TensorName::K, keys * p_.head_dim, p_.dtype);
    load(TensorName::V, keys * p_.head_dim_v, p_.dtype);
  }
  void multiply(Count products_of_d, Count products_of_d_v, Count scores) {
    work_.matmul_flops += Flops(2 * scores * (products_of_d * p_.head_dim + products_of_d_v * p_.head_dim_v));
  }
  bool expands() const { return p_.packing == Packing::unpacked && p_.heads != p_.kv_heads; }
  void store_key_gradients(Count keys) {
    store(expands() ? TensorName::dKx : TensorName::dK, keys * p_.head_dim, p_.dtype);
    store(expands() ? TensorName::dVx : TensorName::dV, keys * p_.head_dim_v, p_.dtype);
  }

  /// The key-outer kernel of a stream; `own` is what an algorithm moves besides, for each visit of some query rows.
  template <class Own>
  void for_key_tiles(Own own) {
    const bool whole = point_.options.variant != Variant::two_kernels;
    for (Count j = 0; j < map_.key_tiles(); ++j) {
      if (map_.key_tile_visited(j)) load_keys(map_.key_rows(j));
      for (Count a = 0; a < map_.query_tiles(); ++a) {
        if (!map_.visited(a, j)) continue;
        const Count scores = map_.query_rows(a) * map_.key_rows(j);
        load_queries(map_.query_rows(a));
        own(map_.query_rows(a));
        multiply(whole ? 3 : 2, 2, scores);
        work_.exp.scores += scores;
        work_.tiles += 1;
      }
      store_key_gradients(map_.key_rows(j));
    }
  }

  void query_kernel() {
    for (Count a = 0; a < map_.query_tiles(); ++a) {
      if (!map_.query_tile_visited(a)) continue;
      load_queries(map_.query_rows(a));
      load_statistics(map_.query_rows(a));
      for (Count j = 0; j < map_.key_tiles(); ++j) {
        if (!map_.visited(a, j)) continue;
        const Count scores = map_.query_rows(a) * map_.key_rows(j);
        load_keys(map_.key_rows(j));
        multiply(2, 1, scores);
        work_.exp.scores += scores;
      }
    }
  }

  void reduce() {
    if (!expands()) return;
    for (Count head = 0; head < p_.batch * p_.heads; ++head) {
      load(TensorName::dKx, p_.seq_k * p_.head_dim, p_.dtype);
      load(TensorName::dVx, p_.seq_k * p_.head_dim_v, p_.dtype);
    }
    for (Count head = 0; head < p_.batch * p_.kv_heads; ++head) {
      store(TensorName::dK, p_.seq_k * p_.head_dim, p_.dtype);
      store(TensorName::dV, p_.seq_k * p_.head_dim_v, p_.dtype);
    }
  }

  const Case& point_;
  const Problem& p_;
  TileMap map_;
  Work work_;
};

std::string differing_tensors(const Work& a, const Work& b) {
  std::string names;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (!(a.tensors[i] == b.tensors[i])) names.append(tensor_names[i]).append(" ");
  }
  return names;
}

void check_gradients(const Work& formula, const Work& loops) {
  REQUIRE(differing_tensors(formula, loops).empty());
  REQUIRE(formula.matmul_flops.value() == loops.matmul_flops.value());
  REQUIRE(formula == loops);
}

}  // namespace

TEST_CASE("the bills of the flash backward passes equal the loops that they describe") {
  constexpr std::uint32_t seed = 99;
  RandomCases cases(seed);
  for (int i = 0; i < 2000; ++i) {
    Case point = cases.point();
    if (point.problem.seq_q == 0) continue;
    INFO("seed " << seed << " case " << i << ": " << describe(point));
    check_gradients(closed_form("flash1_backward", point), Loops(point).flash1());
    point.options.accumulation = i % 3 == 0 ? Accumulation::deterministic : Accumulation::unordered;
    for (const Variant variant : {Variant::atomics, Variant::two_kernels}) {
      point.options.variant = variant;
      check_gradients(closed_form("flash2_backward", point), Loops(point).flash2());
    }
  }
}

TEST_CASE("footprints of the backward passes") {
  Case point;
  point.problem = {.seq_q = 1024, .seq_k = 1024, .head_dim = 64, .head_dim_v = 64};
  point.tiling = {.block_q = 64, .block_k = 128};
  const auto elements = [&](std::string_view algorithm) {
    return footprint_of(on_chip_tiles(algorithm, point)).elements.value();
  };
  CHECK(elements("flash1_backward") == 4 * 64 * (64 + 128) + 2 * 64 * 128 + 3 * 64);
  CHECK(elements("flash2_backward") == 61568);
  point.problem.head_dim_v = 32;
  CHECK(elements("flash1_backward") == 2 * (64 + 32) * (64 + 128) + 2 * 64 * 128 + 3 * 64);
  point.options.variant = Variant::two_kernels;
  CHECK(elements("flash2_backward") == (64 + 32) * (2 * 128 + 64) + 2 * 64 * 128 + 2 * 64);
}

TEST_CASE("the bill of standard_backward, step by step") {
  Case point;
  point.problem = {.heads = 4, .kv_heads = 2, .seq_q = 10, .seq_k = 20, .head_dim = 3, .head_dim_v = 5};
  const auto total = [&] { return closed_form("standard_backward", point).total().total().value(); };
  const Count scores = 4 * 200;
  const Count sums = (4 + 2) * 20 * 8;  // dKx, dVx read, dK, dV written
  const Count plain = 7 * scores + 4 * (2 * 10 * 8 + 2 * 20 * 8) + sums;
  CHECK(total() == plain);
  point.options.unfused_gradients.scale = true;
  CHECK(total() == plain + 2 * scores);
  point.options.unfused_gradients.mask = true;
  CHECK(total() == plain + 4 * scores);
  point.options.unfused_gradients.dropout = true;
  CHECK(total() == plain + 7 * scores);
}
