// An algorithm with a way to choose its tiles, billed at any length, head dimension and memory on chip.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/on_chip.hpp"
#include "model/problem.hpp"
#include "model/work.hpp"

namespace tilemeter::complexity {

/// One head of N queries and keys of dimension d, masked or not, and M elements on chip. For a GEMM, m = n = N and k =
/// d.
struct Scale {
  Count seq = 1;
  Count head_dim = 1;
  Count capacity = 1;
  std::optional<Count> keys_back{};  ///< a causal window: keys before the row's own position
};

/// How the tile sizes follow from M.
enum class TileChoice {
  untiled,  ///< there are none, or none that follow from M: `standard`
  paper,    ///< Bc = ceil(M / 4d), Br = min(Bc, d), whether or not they fit
  fit,      ///< the largest that fit, Br (Bc) at most d
  optimum,  ///< the least traffic of all that fit
  square,   ///< the largest Br = Bc that fit
  panels    ///< `standard` charged for the same M: GEMM panels that fit (closed_form/standard_at_capacity.hpp)
};
std::string_view name_of(TileChoice tiles);

struct Contender {
  std::string_view algorithm;
  TileChoice tiles = TileChoice::untiled;
  std::optional<Variant> variant{};  ///< absent: the default of the algorithm
};

/// "flash1 (paper)", "flash2_backward two_kernels (fit)".
std::string text_of(const Contender& contender);

/// What bills a point: the simulator's count, or the closed form that equals it.
using Counting = std::function<Work(std::string_view algorithm, const Case& point)>;

/// The point of `contender` at `scale`, with its tiles (`panels` has none). fp16 operands and fp32 statistics, which
/// matter for bytes only. Throws InputError when no tile fits.
Case point_of(const Contender& contender, const Scale& scale);

/// The elements that one tile of each kind holds at most, zero without tiles.
Elements on_chip(const Contender& contender, const Case& point);

/// What a contender moves. `work` is empty for `panels`, which is known as a total only.
struct Billed {
  Case point;
  Work work;
  Elements total;
};
Billed bill_of(const Contender& contender, const Scale& scale, const Counting& counting);

}  // namespace tilemeter::complexity
