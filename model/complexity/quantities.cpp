#include "model/complexity/quantities.hpp"

#include <array>
#include <stdexcept>

#include "model/bound.hpp"

namespace tilemeter::complexity {
namespace {

double real(Count count) { return static_cast<double>(count); }
double total(const Billed& billed) { return real(billed.total.value()); }
double without(const Billed& billed, Count part) { return real(billed.total.value() - part); }

/// T without the part of a bill that does not depend on M. A variant is given where it makes a difference.
struct Streamed {
  std::string_view algorithm;
  Quantity quantity;
  std::optional<Variant> variant{};
};

/// T - `heads` Nd - `rows` N - `scores` N^2.
template <Count heads, Count rows = 0, Count scores = 0>
double streamed(const Scale& scale, const Billed& billed) {
  const Count n = scale.seq;
  return without(billed, heads * n * scale.head_dim + rows * n + scores * n * n);
}

constexpr std::array streams = {
    Streamed{"flash1", {"T - 2Nd", streamed<2>}},
    Streamed{"flash2", {"T - 2Nd - N", streamed<2, 1>}},
    Streamed{"flash1_backward", {"T - 4Nd", streamed<4>}},
    Streamed{"flash2_backward", {"T - 9Nd - 3N", streamed<9, 3>}, Variant::two_kernels},
    Streamed{"flash2_backward", {"T - 9Nd - N", streamed<9, 1>}},
    Streamed{"flash3", {"T - 2Nd - N", streamed<2, 1>}},
    Streamed{"materialised", {"T - 2N^2 - Nd", streamed<1, 0, 2>}},
};

Count elements_of(TensorName tensor, const Work& work) {
  return work[tensor].read.value() + work[tensor].write.value();
}

/// Size of a tensor of attention that is neither input nor output: a figure a query row, or one a score; zero for
/// inputs and outputs.
Count size_of_intermediate(TensorName tensor, const Problem& problem) {
  switch (tensor) {
    case TensorName::Q:
    case TensorName::K:
    case TensorName::V:
    case TensorName::O:
      return 0;
    case TensorName::l:
    case TensorName::m:
    case TensorName::LSE:
      return problem.rows();
    case TensorName::S:
    case TensorName::P:
    case TensorName::E:
    case TensorName::Pd:
    case TensorName::Z:
      return checked::multiply(problem.rows(), problem.seq_k);
    default:
      break;
  }
  throw std::logic_error("the size of tensor " + std::string(name_of(tensor)) + " is not known here");
}

double extra_elements(const Scale&, const Billed& billed) {
  Count sum = 0;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (billed.work.tensors[i].empty()) continue;
    sum = checked::add(sum, size_of_intermediate(static_cast<TensorName>(i), billed.point.problem));
  }
  return real(sum);
}

double flash_order(const Scale& scale) {
  return real(scale.seq) * real(scale.seq) * real(scale.head_dim) * real(scale.head_dim) / real(scale.capacity);
}

}  // namespace

Quantity total_traffic() {
  return {"T", [](const Scale&, const Billed& billed) { return total(billed); }};
}

Quantity streamed_traffic(std::string_view algorithm, std::optional<Variant> variant) {
  for (const Streamed& known : streams) {
    if (known.algorithm == algorithm && (!known.variant || known.variant == variant)) return known.quantity;
  }
  return total_traffic();
}

Quantity score_traffic() { return {"T - 4Nd", streamed<4>}; }

Quantity gradient_score_traffic() { return {"T - 8Nd", streamed<8>}; }

Quantity panel_traffic() { return {"T - 4N^2 - 2Nd", streamed<2, 0, 4>}; }

Quantity operand_traffic() { return {"T - mn", streamed<0, 0, 1>}; }

Quantity query_and_output_traffic() {
  return {"Q and O alone", [](const Scale&, const Billed& billed) {
            return real(elements_of(TensorName::Q, billed.work) + elements_of(TensorName::O, billed.work));
          }};
}

Quantity matmul_flops() {
  return {"FLOPs", [](const Scale&, const Billed& billed) { return real(billed.work.matmul_flops.value()); }};
}

Quantity extra_memory() { return {"extra memory", extra_elements}; }

Quantity traffic_over_flash_order() {
  return {"T M / (N^2 d^2)",
          [](const Scale& scale, const Billed& billed) { return total(billed) / flash_order(scale); }};
}

Quantity traffic_over_forward_order() {
  return {"T / min(N^2 d^2 / M, N^2 d / sqrt(M))", [](const Scale& scale, const Billed& billed) {
            return total(billed) / order_of_growth::forward(scale.seq, scale.head_dim, scale.capacity);
          }};
}

Quantity traffic_over_backward_order() {
  return {"T / min((N^2 d^2 + N d^3) / M, (N^2 d + N d^2) / sqrt(M))", [](const Scale& scale, const Billed& billed) {
            return total(billed) / order_of_growth::backward(scale.seq, scale.head_dim, scale.capacity);
          }};
}

Quantity traffic_over_row_granular() {
  return {"T / row-granular bound", [](const Scale& scale, const Billed& billed) {
            const auto least = row_granular_least(billed.point.problem, Elements(scale.capacity));
            return total(billed) / real(least.value_or(Elements(1)).value());
          }};
}

Quantity traffic_over_score_products() {
  return {"T / bound of the products", [](const Scale& scale, const Billed& billed) {
            return total(billed) / real(score_products_least(billed.point.problem, Elements(scale.capacity)).value());
          }};
}

Quantity traffic_over_product() {
  return {"T / matmul bound", [](const Scale& scale, const Billed& billed) {
            return total(billed) / real(matmul_least(product_of(billed.point), Elements(scale.capacity)).value());
          }};
}

Quantity traffic_over_deep_product() {
  return {"T / (2mnk / sqrt(M) + mn)", [](const Scale& scale, const Billed& billed) {
            const auto least = deep_matmul_least(product_of(billed.point), Elements(scale.capacity));
            return total(billed) / real(least.value_or(Elements(1)).value());
          }};
}

Quantity traffic_over_flash2_floor() {
  return {"T / (4Nd + N)", [](const Scale& scale, const Billed& billed) {
            return total(billed) / real(4 * scale.seq * scale.head_dim + scale.seq);
          }};
}

Quantity traffic_over_flash1_floor() {
  return {"T / (5Nd + 4N)", [](const Scale& scale, const Billed& billed) {
            return total(billed) / real(5 * scale.seq * scale.head_dim + 4 * scale.seq);
          }};
}

}  // namespace tilemeter::complexity
