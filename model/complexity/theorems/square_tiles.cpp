#include "model/complexity/quantities.hpp"
#include "model/complexity/theorems/all.hpp"
#include "model/complexity/theorems/grids.hpp"

namespace tilemeter::complexity {
namespace {

/// M from `tenths` / 10 to `to` times d^2, at N = 2^20, d = 64.
template <Count tenths, Count to>
Grid square_window(std::uint64_t) {
  constexpr Count head_dim = 64;
  constexpr Scale base = {.seq = 1 << 20, .head_dim = head_dim};
  return unaligned(base, Axis::capacity, head_dim * head_dim * tenths / 10, head_dim * head_dim * to, 60);
}

FitExperiment square_fit(std::string_view algorithm, std::string_view where, Grid (*grid)(std::uint64_t),
                         double exponent) {
  return {.contender = {algorithm, TileChoice::square},
          .quantity = streamed_traffic(algorithm),
          .where = where,
          .grid = grid,
          .exponents = {{Variable::capacity, around(exponent, ceilings)}}};
}

}  // namespace

Theorem square_tiles() {
  Theorem theorem{
      .name = "square-tiles",
      .title = "tiles of Br = Bc with S on chip",
      .source = "footprint 4dB + B^2 + 2B <= M of square tiles",
      .statement =
          "B = sqrt((2d + 1)^2 + M) - (2d + 1): 3N^2 d / B (flash1) and 2N^2 d / B (flash2), so "
          "Theta(N^2 d / sqrt(M)) once M is far above 4d^2",
      .validity = "every M in which a row fits; the exponent moves from -1 to -1/2",
      .edges = "the steps of a tiny B make it steeper than -1 below d^2",
      .conclusion = "holds: square tiles do not show the -1 of Theorem 2",
  };
  for (const std::string_view algorithm : {"flash1", "flash2"}) {
    theorem.fits.push_back(square_fit(algorithm, "M/d^2 0.1 to 1", square_window<1, 1>, -1.17));
    theorem.fits.push_back(square_fit(algorithm, "M/d^2 1 to 8", square_window<10, 8>, -0.89));
    theorem.fits.push_back(square_fit(algorithm, "M/d^2 8 to 64", square_window<80, 64>, -0.70));
    theorem.fits.push_back(square_fit(algorithm, "M/d^2 64 to 1024", square_window<640, 1024>, -0.57));
    theorem.fits.push_back(square_fit(algorithm, "M/d^2 1024 to 16384", square_window<10240, 16384>, -0.52));
  }
  return theorem;
}

}  // namespace tilemeter::complexity
